"""From the words of a question to entities of the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Protocol

from ..indexer.names import QuestionNames, form
from ..indexer.types import Entity
from .graph_open import ReadableGraph
from .question import Question

LinkedBy = Literal["name", "alike", "phrase"]
HOMONYMS = 5
"""Entities that one name may stand for."""
LIKELY = 20
"""Names that are compared with one that no entity has."""
LONGEST = 8
"""Words of the longest part of a name that is looked up."""
SHORT = 6
"""Letters of the shortest name that may be another one misspelt."""
WORD = 0.75
"""How alike each word must be."""
_JOINED = re.compile(r"\w+(?:-\w+)+")
_FIGURES = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Link:
    """An entity that the question is about: ``said`` is how the question calls it, ``confidence``
    (0..1) how sure it is that it means this one."""

    entity: Entity
    said: str
    by: LinkedBy
    confidence: float


class Finder(Protocol):
    """Finds names in a question: those that are written as such, and every phrase that may be one."""

    def certain(self, text: str, languages: Sequence[str]) -> list[str]: ...

    def names(self, text: str, languages: Sequence[str]) -> list[str]: ...


class Linker:
    """Links questions to entities: by exact name or alias, else by a name like it, else by plain words."""

    def __init__(self, finder: Finder | None = None) -> None:
        self._finder = finder or QuestionNames()

    def __call__(self, question: Question, graph: ReadableGraph) -> list[Link]:
        """The question's entities that are not too common, in the order of their names there."""
        languages = question.languages
        phrases = self._finder.names(question.text, languages)
        certain = self._finder.certain(question.text, languages)
        found = self._named([*certain, *_spelled(phrases, graph)], graph, "name", 1.0)
        if not found:
            found = self._named(phrases, graph, "phrase", graph.settings.phrase)
        return found

    def _named(
        self, names: Sequence[str], graph: ReadableGraph, by: LinkedBy, confidence: float
    ) -> list[Link]:
        forms = {form(name): name for name in names}
        where = graph.access.where(None)
        known = graph.snapshot.named(list(forms), where)
        chosen: dict[str, tuple[str, LinkedBy, float]] = {}
        for key, name in forms.items():
            for identifier in known.get(key, ())[:HOMONYMS]:
                chosen.setdefault(identifier, (name, by, confidence))
            if by == "name" and key not in known:
                for identifier, said in self._inside(name, graph):
                    chosen.setdefault(identifier, (said, by, confidence))
                for identifier, likeness in self._alike(key, graph):
                    chosen.setdefault(identifier, (name, "alike", likeness))
        return _links(chosen, graph)

    def _inside(self, name: str, graph: ReadableGraph) -> list[tuple[str, str]]:
        """The entities whose names stand in ``name``, and those names: the longest, none over another."""
        parts = [(form(part), part, range(first, last)) for part, first, last in _parts(name.split())]
        known = graph.snapshot.named([key for key, _, _ in parts], graph.access.where(None))
        taken: set[int] = set()
        found: list[tuple[str, str]] = []
        for key, part, places in parts:
            if key in known and taken.isdisjoint(places):
                taken.update(places)
                found += [(identifier, part) for identifier in known[key][:HOMONYMS]]
        return found

    def _alike(self, key: str, graph: ReadableGraph) -> list[tuple[str, float]]:
        """The entities whose name is most like ``key``, if it is like enough, and how like it is."""
        where = graph.access.where(None)
        likeness = {other: alike(key, other) for other in graph.snapshot.alike(key, where, LIKELY)}
        best = max(likeness.values(), default=0.0)
        if best < max(graph.settings.alike, 1e-9):
            return []
        names = [other for other, value in likeness.items() if value == best]
        known = graph.snapshot.named(names, where)
        return [(found, best) for name in names for found in known.get(name, ())[:1]]


def _spelled(phrases: Sequence[str], graph: ReadableGraph) -> list[str]:
    """Those of ``phrases`` that are one word with a hyphen, as commands are, and an entity's name."""
    joined = [phrase for phrase in phrases if _JOINED.fullmatch(phrase)]
    known = graph.snapshot.named([form(phrase) for phrase in joined], graph.access.where(None))
    return [phrase for phrase in joined if form(phrase) in known]


def _links(chosen: Mapping[str, tuple[str, LinkedBy, float]], graph: ReadableGraph) -> list[Link]:
    entities = graph.snapshot.entities(list(chosen), graph.access.where(None))
    return [Link(entity, *chosen[entity.id]) for entity in entities if entity.mentions <= graph.common]


def _parts(words: Sequence[str]) -> list[tuple[str, int, int]]:
    """The runs of ``words``, without all of them, that begin and end as a name does; the longest first, with
    where they begin and end."""
    return [
        (" ".join(words[first : first + length]), first, first + length)
        for length in range(min(len(words) - 1, LONGEST), 0, -1)
        for first in range(len(words) - length + 1)
        if not words[first].islower() and not words[first + length - 1].islower()
    ]


def alike(first: str, second: str) -> float:
    """How alike two normalised names are, in 0..1: the share of letters that stand in both, in order.

    0 where they have other figures (CR0 is not CR4), another number of words, or a word that is not like
    its counterpart: the University of Chile is not that of Chicago.
    """
    ours, theirs = first.split(), second.split()
    if len(ours) != len(theirs) or _FIGURES.findall(first) != _FIGURES.findall(second) or len(first) < SHORT:
        return 0.0
    if min(_same_letters(one, other) for one, other in zip(ours, theirs, strict=True)) < WORD:
        return 0.0
    return _same_letters(first, second)


def _same_letters(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
