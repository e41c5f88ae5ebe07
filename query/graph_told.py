"""From a name of the question over the sentences that name it to what they name besides, where that has
passages of its own: hops that need no relation, for nobody knows every way to state one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..indexer.stores.graph_ports import Mention
from ..indexer.types import Relation
from .graph_link import Link
from .graph_paths import EDGES, Chain, Edge
from .graph_reading import GraphRead, Payload
from .phrases import question_forms

PLACES = 12
"""Chunks that name one thing in which sentences are read: first those that are about it."""
OWN = 3
"""Passages about a thing that are taken for its own; what has more of them, such as a title, has none."""
MOST = 6
"""Things that one name leads to."""
UNSAID = 0.2
"""What a sentence of a passage about a thing counts besides the share of the question that it says: it may
say it in other words."""
ELSEWHERE = 0.3
"""The part of that which a sentence counts that stands elsewhere."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")


@dataclass(frozen=True, slots=True)
class Told:
    """That ``chain``, from a name of the question to a thing beside it, leads to ``passages`` about that
    thing; ``lead``, in 0..1, is how much of the question its sentence says, the best one's being 1."""

    chain: Chain
    passages: Sequence[str]
    lead: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence about a thing: its chunk, whether that is about the thing, what is named ``beside`` it, and
    the question's words in it, the thing's own name apart."""

    chunk: str
    about: bool
    beside: tuple[str, ...]
    said: frozenset[str]


def told(read: GraphRead, link: Link) -> list[Told]:
    """Where the sentences that name the entity of ``link`` lead, the best first; nowhere if no passage, or
    more than a few, are about it."""
    start = link.entity.id
    naming = read.graph.snapshot.mentioning([start], read.graph.access.where(None), PLACES)
    if not 0 < sum(mention.role == "subject" for mention in naming) <= OWN:
        return []
    sentences = _sentences(read, link, naming)
    worth: dict[str, tuple[float, str]] = {}
    for one, value in zip(sentences, _values(read, sentences), strict=True):
        for other in one.beside:
            worth[other] = max(worth.get(other, (0.0, "")), (value, one.chunk))
    stated = _stated(read, start)
    passages = _own(read, worth)
    ranked = sorted(passages, key=lambda other: (-worth[other][0], other))[:MOST]
    best = max((value for value, _ in worth.values()), default=1.0)
    return [
        Told(
            Chain((Edge(start, other, worth[other][1], stated.get((other, worth[other][1]))),)),
            passages[other],
            worth[other][0] / best,
        )
        for other in ranked
    ]


def _stated(read: GraphRead, entity: str) -> dict[tuple[str, str], Relation]:
    """The relations of an entity by their other end and the chunks of their evidence."""
    relations = read.graph.snapshot.relations([entity], read.graph.access.where(None), "both", EDGES)
    return {
        (relation.target if relation.source == entity else relation.source, one.chunk): relation
        for relation in relations
        for one in relation.evidence
    }


def _sentences(read: GraphRead, link: Link, naming: Sequence[Mention]) -> list[_Sentence]:
    """The sentences in which the entity of ``link`` stands, or that stand in a passage about it."""
    languages = read.question.languages or (None,)
    own = frozenset(form for one in languages for form in question_forms(link.said, one))
    read.admit(read.near(mention.chunk for mention in naming).values())
    beside: dict[str, list[Mention]] = {}
    for mention in read.graph.snapshot.mentions([one.chunk for one in naming], read.graph.access.where(None)):
        if mention.role == "mention" and mention.entity != link.entity.id:
            beside.setdefault(mention.chunk, []).append(mention)
    return [
        _Sentence(here.chunk, here.role == "subject", found, _said(read, payload, text) - own)
        for here in naming
        if here.chunk in read.chunks
        for payload in (read.chunks[here.chunk].payload,)
        for text, found in _naming(payload["text"], here, beside.get(here.chunk, ()))
    ]


def _naming(text: str, here: Mention, others: Sequence[Mention]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of ``text`` about what ``here`` mentions, each with the entities that it names."""
    mine = _folded(here.names)
    names = [(mention.entity, _folded(mention.names)) for mention in others]
    for sentence in _SENTENCE.split(text):
        folded = sentence.casefold()
        if here.role == "subject" or any(name in folded for name in mine):
            yield sentence, tuple(one for one, spelt in names if any(name in folded for name in spelt))


def _said(read: GraphRead, payload: Payload, text: str) -> frozenset[str]:
    return read.match({"text": text, "language": payload.get("language")}).found


def _values(read: GraphRead, sentences: Sequence[_Sentence]) -> list[float]:
    """What each sentence counts: the share of the question that it says, a word that many of them have less,
    for it stands there with the name ("the PL-20 sensor")."""
    count = Counter(form for one in sentences for form in one.said)
    return [
        UNSAID * (1.0 if one.about else ELSEWHERE)
        + sum(read.weigh([form]) / count[form] for form in one.said)
        for one in sentences
    ]


def _own(read: GraphRead, names: Mapping[str, object]) -> dict[str, list[str]]:
    """The passages about each of the entities ``names`` that has some of its own and is not too common."""
    snapshot, where = read.graph.snapshot, read.graph.access.where(None)
    common = read.graph.common
    known = [entity.id for entity in snapshot.entities(sorted(names), where) if entity.mentions <= common]
    found: dict[str, list[str]] = {}
    for mention in snapshot.mentioning(known, where, OWN + 1):
        if mention.role == "subject":
            found.setdefault(mention.entity, []).append(mention.chunk)
    own = {entity: chunks for entity, chunks in found.items() if len(chunks) <= OWN}
    read.admit(read.near(chunk for chunks in own.values() for chunk in chunks).values())
    return own


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]
