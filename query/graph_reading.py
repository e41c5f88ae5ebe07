"""One question of one reader to the graph: what is shared by its steps, and how chunks become candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from time import perf_counter
from typing import Any

from ..indexer.stores.ports import Scored, VectorSnapshot
from .graph_open import ReadableGraph
from .phrases import Match, Matcher, question_forms
from .question import Candidate, Found, Question
from .relevance import relevance

Payload = Mapping[str, Any]


class Clock:
    """Says when the time for a question is up."""

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    @property
    def over(self) -> bool:
        """Whether it is."""
        return perf_counter() >= self._end


@dataclass(frozen=True)
class GraphRead:
    """One question of one reader: the graph, and the chunks that the hybrid route ``found``, best first."""

    vectors: VectorSnapshot
    graph: ReadableGraph
    question: Question
    found: Found
    clock: Clock

    @cached_property
    def chunks(self) -> dict[str, Candidate]:
        """The chunks that are known as candidates, by id: those found at first, later others as well."""
        return {candidate.payload["id"]: candidate for candidate in self.found.candidates}

    @property
    def language(self) -> str | None:
        """The first of the question's languages."""
        return self.question.languages[0] if self.question.languages else None

    @cached_property
    def _matchers(self) -> dict[str | None, Matcher]:
        return {}

    def near(self, ids: Iterable[str]) -> dict[str, Scored]:
        """The rows of those of the chunks ``ids`` that are no candidates yet, by id, with their cosine to the
        question; of those that the reader may see."""
        missing = sorted(set(ids) - self.chunks.keys())
        if not missing:
            return {}
        where = replace(self.graph.access.where(), ids=missing)
        rows = self.vectors.dense(self.question.dense, where, len(missing))
        return {row.payload["id"]: row for row in rows}

    def admit(self, rows: Iterable[Scored]) -> None:
        """Make candidates of rows that :meth:`near` gave."""
        for row in rows:
            match = self.match(row.payload)
            self.chunks[row.payload["id"]] = Candidate(
                key=row.key,
                payload=row.payload,
                score=0.0,
                dense=row.score,
                sparse=0.0,
                match=match,
                relevance=relevance(row.score, match),
                ranks={"dense": None, "sparse": None, "blended": None, "fused": None},
            )

    def match(self, payload: Payload) -> Match:
        """What stands in a chunk of the question's words."""
        return self.matcher(payload.get("language")).match_chunk(payload)

    def matcher(self, language: str | None) -> Matcher:
        """What compares texts of a language with the question."""
        if language not in self._matchers:
            forms = question_forms(self.question.text, language)
            self._matchers[language] = Matcher(forms, self.found.terms, language)
        return self._matchers[language]

    def weigh(self, forms: Iterable[str]) -> float:
        """What word forms of the question weigh together, in 0..1 of all of them."""
        total = fsum(self.found.terms.values())  # exact, so the same in any order of a set
        return fsum(self.found.terms.get(form, 0.0) for form in forms) / total if total > 0 else 0.0
