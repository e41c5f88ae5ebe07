"""Labelled questions: the values that every part of an evaluation speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .places import Unit


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the places that answer it, each with its grade (1 or more).

    ``fields`` is whatever else the set says of it (``type``, ``hops``, ``source``, ``answer`` ...);
    results can be sliced by those. ``from`` among them is the place that the question's text was taken
    from, which is no answer to it.
    """

    id: str
    text: str
    gold: Mapping[str, int]
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taken_from(self) -> frozenset[str]:
        """The place that the text stands at, word for word."""
        place = self.fields.get("from")
        return frozenset({place}) if isinstance(place, str) else frozenset()


@dataclass(frozen=True, slots=True)
class Withheld:
    """An entry of a document's outline that is kept from the index, with the 1-based page it begins on."""

    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Part:
    """Questions that are asked of one index.

    ``sources`` are what the index is built from, in the spelling of ``treegraph build``. ``left_out`` are
    places that no ranking may hold (the pages of a printed index, which name every term). ``withheld``
    is, by source, what is taken out of documents before they are indexed.
    """

    name: str
    sources: tuple[str, ...]
    questions: tuple[Question, ...]
    unit: Unit
    left_out: frozenset[str] = frozenset()
    withheld: Mapping[str, tuple[Withheld, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A named set: one part an index. ``path`` is the folder or file that it was read from, None for
    questions that were made just now. ``notes`` say what was left out of it, and why."""

    name: str
    parts: tuple[Part, ...]
    path: Path | None = None
    notes: tuple[str, ...] = ()
