"""From a name of the question over the sentences about it to what they name besides, where that has passages
of its own: hops that need no relation, for nobody knows every way to state one.

A sentence that states a relation of the kind and direction that is asked for leads on surely; one that has a
word of that kind, or the question's own word, less so; one that is known to state something else leads
nowhere. Where none of the first two is there, what is left over must be it, if that is little enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..indexer.stores.graph_ports import Mention
from ..indexer.types import Relation
from .graph_asked import Asked, asked_of, senses_of
from .graph_link import Link
from .graph_paths import EDGES, Chain, Edge
from .graph_reading import GraphRead
from .graph_words import names_any

PLACES = 12
"""Chunks that name one thing in which sentences are read: first those that are about it."""
OWN = 3
"""Passages about a thing that are taken for its own; what has more of them, such as a title, has none."""
MOST = 6
"""Things that one name leads to."""
LEAST = 0.2
"""The least lead that counts."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n\s*\n|\n(?=\s*[-*•|#])")


@dataclass(frozen=True, slots=True)
class _Way:
    """How a sentence says of two things what is asked: the ``lead`` that it gives, to so many things
    (``room``); more of them share it."""

    name: str
    lead: float
    room: int


_STATED = _Way("stated", 1.0, 3)
_SPOKEN = _Way("spoken", 0.8, 2)
_OPEN = _Way("open", 0.7, 4)
_OTHER = _Way("other", 0.0, 1)


@dataclass(frozen=True, slots=True)
class Told:
    """That ``chain``, from a name of the question to a thing beside it, leads to ``passages`` about that
    thing; ``lead``, in 0..1, is how surely."""

    chain: Chain
    passages: Sequence[str]
    lead: float


@dataclass(frozen=True, slots=True)
class _Beside:
    """How a thing comes beside the name: in a sentence of ``chunk``, by a ``relation`` where one is known."""

    way: _Way
    chunk: str
    relation: Relation | None


def told(read: GraphRead, link: Link, alone: bool) -> list[Told]:
    """Where the sentences that name the entity of ``link`` lead, the surest first; nowhere if the question
    has no words for what it asks of it, or if no passage, or more than a few, are about it. ``alone`` says
    that the question names nothing else: with two names, what joins them tells more than what is left over.
    """
    start = link.entity.id
    asked = asked_of(read.question.text, link.said)
    naming = read.graph.snapshot.mentioning([start], read.graph.access.where(None), PLACES)
    if (
        not (asked.senses or asked.words)
        or not 0 < sum(mention.role == "subject" for mention in naming) <= OWN
    ):
        return []
    beside = _beside(read, start, asked, naming)
    if not alone:
        beside = {other: one for other, one in beside.items() if one.way is _STATED}
    passages = _own(read, beside)
    leads = _leads({other: beside[other].way for other in passages})
    ranked = sorted(leads, key=lambda other: (-leads[other], other))[:MOST]
    edges = {other: Edge(start, other, beside[other].chunk, beside[other].relation) for other in ranked}
    return [Told(Chain((edges[other],)), passages[other], leads[other]) for other in ranked]


def _leads(ways: Mapping[str, _Way]) -> dict[str, float]:
    """How surely each thing is led to, of those that are led to at all."""
    count = Counter(ways.values())
    known = count[_STATED] + count[_SPOKEN] > 0
    found: dict[str, float] = {}
    for other, way in ways.items():
        if not (known and way is _OPEN):
            found[other] = way.lead * min(1.0, way.room / count[way])
    return {other: lead for other, lead in found.items() if lead >= LEAST}


def _beside(read: GraphRead, start: str, asked: Asked, naming: Sequence[Mention]) -> dict[str, _Beside]:
    """What stands in the sentences about ``start``, each with the best way in which it does."""
    read.admit(read.near(mention.chunk for mention in naming).values())
    others: dict[str, list[Mention]] = {}
    for mention in read.graph.snapshot.mentions([one.chunk for one in naming], read.graph.access.where(None)):
        if mention.role == "mention" and mention.entity != start:
            others.setdefault(mention.chunk, []).append(mention)
    stated = _stated(read, start)
    found: dict[str, _Beside] = {}
    for here in naming:
        text = read.chunks[here.chunk].payload["text"] if here.chunk in read.chunks else ""
        for sentence, names in _naming(text, here, others.get(here.chunk, ())):
            for other in names:
                way, relation = _judged(asked, start, sentence, stated.get((other, here.chunk), ()))
                if other not in found or way.lead > found[other].way.lead:
                    found[other] = _Beside(way, here.chunk, relation)
    return found


def _judged(
    asked: Asked, start: str, sentence: str, stated: Sequence[tuple[Relation, str]]
) -> tuple[_Way, Relation | None]:
    """How ``sentence`` says what is asked of ``start``, and the relation in it that does, or another one."""
    here = [relation for relation, said in stated if said in sentence or sentence.strip() in said]
    senses = {one.id: senses_of(one.type, "out" if one.source == start else "in") for one in here}
    if fitting := [relation for relation in here if asked.fits(senses[relation.id])]:
        return _STATED, fitting[0]
    first = here[0] if here else None
    if any(senses.values()):
        return _OTHER, first
    return (_SPOKEN if asked.speaks(sentence) else _OPEN), first


def _stated(read: GraphRead, entity: str) -> dict[tuple[str, str], list[tuple[Relation, str]]]:
    """The relations of an entity with the sentences of their evidence, by their other end and its chunk."""
    found: dict[tuple[str, str], list[tuple[Relation, str]]] = {}
    for relation in read.graph.snapshot.relations([entity], read.graph.access.where(None), "both", EDGES):
        other = relation.target if relation.source == entity else relation.source
        for one in relation.evidence:
            found.setdefault((other, one.chunk), []).append((relation, one.sentence))
    return found


def _naming(text: str, here: Mention, others: Sequence[Mention]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of ``text`` about what ``here`` mentions, each with the entities that it names."""
    mine = _folded(here.names)
    names = [(mention.entity, _folded(mention.names)) for mention in others]
    for sentence in _SENTENCE.split(text):
        folded = " ".join(sentence.casefold().split())
        if here.role == "subject" or names_any(mine, folded):
            yield sentence, tuple(one for one, spelt in names if names_any(spelt, folded))


def _own(read: GraphRead, names: Mapping[str, object]) -> dict[str, list[str]]:
    """The passages about each of the entities ``names`` that has some of its own."""
    snapshot, where = read.graph.snapshot, read.graph.access.where(None)
    found: dict[str, list[str]] = {}
    for mention in snapshot.mentioning(sorted(names), where, OWN + 1):
        if mention.role == "subject":
            found.setdefault(mention.entity, []).append(mention.chunk)
    own = {entity: chunks for entity, chunks in found.items() if len(chunks) <= OWN}
    read.admit(read.near(chunk for chunks in own.values() for chunk in chunks).values())
    return own


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]
