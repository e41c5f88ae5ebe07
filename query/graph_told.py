"""From a name of the question over the sentences that name it to what they name besides, where that has
passages of its own: hops that need no relation, for nobody knows every way to state one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..indexer.stores.graph_ports import Mention
from ..indexer.types import Relation
from .graph_asked import Asked, Sense, asked_of, senses_of
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
STATED, SPOKEN, OPEN, OTHER = 1.0, 0.8, 0.35, 0.1
"""How surely a sentence says what the question asks: a relation in it does; a word of it speaks of such a
one; nothing tells; a relation in it says something else."""
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
    """A sentence about a thing: its chunk, what is named ``beside`` it, and the question's words in it, the
    thing's own name apart."""

    chunk: str
    text: str
    beside: tuple[str, ...]
    said: frozenset[str]


def told(read: GraphRead, link: Link) -> list[Told]:
    """Where the sentences that name the entity of ``link`` lead, the best first; nowhere if no passage, or
    more than a few, are about it."""
    start = link.entity.id
    naming = read.graph.snapshot.mentioning([start], read.graph.access.where(None), PLACES)
    if not 0 < sum(mention.role == "subject" for mention in naming) <= OWN:
        return []
    asked = asked_of(read.question.text, link.said)
    if not asked.senses and NEED:
        return []
    judge = _Judge(read, link, asked)
    worth: dict[str, tuple[float, str, Relation | None]] = {}
    for one in _sentences(read, link, naming):
        for other in one.beside:
            value, relation = judge(one, other)
            if other not in worth or value > worth[other][0]:
                worth[other] = (value, one.chunk, relation)
    worth = {other: one for other, one in worth.items() if one[0] >= LEAST}
    passages = _own(read, worth)
    ranked = sorted(passages, key=lambda other: (-worth[other][0], other))[:MOST]
    best = max((worth[other][0] for other in ranked), default=1.0)
    scale = max(best, CEIL)
    return [
        Told(
            Chain((Edge(start, other, worth[other][1], worth[other][2]),)),
            passages[other],
            worth[other][0] / scale,
        )
        for other in ranked
    ]

NEED=True
LEAST=0.2
CEIL=0.5

class _Judge:
    """Says how surely a sentence states of two things what the question asks of the first."""

    def __init__(self, read: GraphRead, link: Link, asked: Asked) -> None:
        self._read = read
        self._start = link.entity.id
        self._asked = asked
        self._stated = _stated(read, self._start)
        languages = read.question.languages or (None,)
        own = frozenset(form for one in languages for form in question_forms(link.said, one))
        self._clause = frozenset(form for one in languages for form in question_forms(asked.clause, one)) - own

    def __call__(self, sentence: _Sentence, other: str) -> tuple[float, Relation | None]:
        """In 0..1, with the relation that states it, if there is one."""
        relations = [
            relation
            for relation, said in self._stated.get((other, sentence.chunk), ())
            if said in sentence.text or sentence.text.strip() in said
        ]
        senses = {relation.id: self._senses(relation) for relation in relations}
        fitting = [relation for relation in relations if self._asked.fits(senses[relation.id])]
        first = (fitting or relations or [None])[0]
        if fitting:
            return STATED, first
        if any(senses.values()):
            return OTHER, first
        if self._asked.speaks(sentence.text):
            return SPOKEN, first
        held = self._read.weigh(self._clause)
        share = self._read.weigh(self._clause & sentence.said) / held if held > 0 else 0.0
        return max(OPEN, share * SPOKEN), first

    def _senses(self, relation: Relation) -> frozenset[Sense]:
        return senses_of(relation.type, "out" if relation.source == self._start else "in")


def _stated(read: GraphRead, entity: str) -> dict[tuple[str, str], list[tuple[Relation, str]]]:
    """The relations of an entity with the sentences of their evidence, by their other end and its chunk."""
    found: dict[tuple[str, str], list[tuple[Relation, str]]] = {}
    for relation in read.graph.snapshot.relations([entity], read.graph.access.where(None), "both", EDGES):
        other = relation.target if relation.source == entity else relation.source
        for one in relation.evidence:
            found.setdefault((other, one.chunk), []).append((relation, one.sentence))
    return found


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
        _Sentence(here.chunk, text, found, _said(read, payload, text) - own)
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
