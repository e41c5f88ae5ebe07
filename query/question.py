"""A question as the retrievers see it, what they find, and the Protocol that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..indexer.models.ports import SparseVector, Vectors
from .access import Access
from .phrases import NOTHING, Match


@dataclass(frozen=True, slots=True)
class Question:
    """A question, encoded. ``terms`` says which word stands behind each index of ``sparse``; ``idf``
    whether the store multiplies the weights by IDF."""

    text: str
    dense: Vectors
    sparse: SparseVector
    terms: Mapping[int, str]
    languages: tuple[str, ...] = ()
    idf: bool = True


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may become a hit, with all that was found out about it.

    ``dense`` is the cosine, ``sparse`` the raw sparse score, ``match`` what stands in it of the
    question's words. ``ranks`` are
    1-based, by list and by step; ``score`` is that of the last step, ``fused`` that before reranking.

    Of a node, ``leaves`` are the ids of the chunks that it is cited by, best first. ``path`` is the
    descent to it, as a hit shows it, where a route made one.
    """

    key: str
    payload: Mapping[str, Any]
    score: float
    dense: float
    sparse: float
    match: Match = NOTHING
    relevance: float = 0.0
    fused: float = 0.0
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    path: tuple[Mapping[str, Any], ...] | None = None


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
