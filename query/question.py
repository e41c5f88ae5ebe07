"""A question as the retrievers see it, what they find, and the Protocol that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..indexer.models.ports import SparseVector, Vectors
from .access import Access
from .phrases import NOTHING, Match


@dataclass(frozen=True, slots=True)
class Question:
    """A question, encoded. ``dense`` is empty where the embedder was late. ``terms`` says which word stands
    behind each index of ``sparse``; ``idf`` whether the store multiplies the weights by IDF."""

    text: str
    dense: Vectors
    sparse: SparseVector
    terms: Mapping[int, str]
    languages: tuple[str, ...] = ()
    idf: bool = True

    @property
    def by_words(self) -> bool:
        """Whether there are only its words to go by."""
        return not self.dense.size


@dataclass(frozen=True, slots=True)
class Judged:
    """What stands in a passage of the question's words, and how surely it answers (0..1)."""

    match: Match = NOTHING
    relevance: float = 0.0


class Judging:
    """What ``judge`` says of a passage, asked when it is first needed: to read hundreds of texts for the
    question's words takes longer than to find them, and of most only the score is looked at. For one
    thread."""

    __slots__ = ("_judge", "_judged")

    def __init__(self, judge: Callable[[], Judged]) -> None:
        self._judge = judge
        self._judged: Judged | None = None

    def __call__(self) -> Judged:
        if self._judged is None:
            self._judged = self._judge()
        return self._judged


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may become a hit, with all that was found out about it.

    ``dense`` is the cosine, ``sparse`` the raw sparse score, ``judged`` what stands in it of the question's
    words. ``ranks`` are
    1-based, by list and by step; ``score`` is that of the last step, ``fused`` that before reranking.

    Of a node, ``leaves`` are the ids of the chunks that it is cited by, best first. ``path`` is the
    descent to it, as a hit shows it, where a route made one.
    """

    key: str
    payload: Mapping[str, Any]
    score: float
    dense: float
    sparse: float
    judged: Judged | Judging = Judged()
    fused: float = 0.0
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    path: tuple[Mapping[str, Any], ...] | None = None

    @property
    def match(self) -> Match:
        """What stands in it of the question's words."""
        return self._judgement.match

    @property
    def relevance(self) -> float:
        """How surely it answers the question, in 0..1."""
        return self._judgement.relevance

    @property
    def _judgement(self) -> Judged:
        return self.judged if isinstance(self.judged, Judged) else self.judged()


@dataclass(frozen=True, slots=True)
class Found:
    """What a retriever found: the best candidates in order, the share of the dense list in their scores,
    and the question's words with their weights. ``late`` names steps that were left out or cut short
    because the time was up. ``means`` is how the route came by them, as JSON values, for an explanation."""

    candidates: Sequence[Candidate]
    weight: float = 0.0
    terms: Mapping[str, float] = field(default_factory=dict)
    late: tuple[str, ...] = ()
    means: Mapping[str, Any] = field(default_factory=dict)


class Retriever(Protocol):
    """One way to find what bears on a question. Safe from several threads; bound to one generation."""

    def __call__(self, question: Question, access: Access, limit: int) -> Found:
        """The ``limit`` best candidates that ``access`` shows, best first. Raises StoreError."""
        ...


def passage(payload: Mapping[str, Any]) -> str:
    """A stored text with its context before it, as it was indexed."""
    context = payload.get("context") or ""
    return f"{context}\n{payload['text']}" if context else str(payload["text"])
