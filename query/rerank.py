"""A second look at the first candidates by a model that reads question and passage together.

The model gets a time limit. When it fails or is late the fused order stands, and the result says so.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from time import monotonic

from ..indexer.errors import ModelCallError, ModelUnavailable
from ..indexer.models.ports import Reranker
from .deadline import Lane, TimeUp
from .question import Candidate, passage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RerankLimits:
    """``candidates`` are reread, within ``seconds``; 0 seconds: without a limit."""

    candidates: int = 50
    seconds: float = 2.0

    def within(self, seconds: float | None) -> RerankLimits:
        """These limits in at most so many seconds; None: as they are."""
        if seconds is None:
            return self
        return replace(self, seconds=min(self.seconds, seconds) if self.seconds else seconds)


def rerank(
    reranker: Reranker, question: str, candidates: Sequence[Candidate], limits: RerankLimits
) -> list[Candidate] | None:
    """The first ``limits.candidates`` in the reranker's order, the others after them as they were.

    None when the reranker failed, was late, or did not give one finite score a passage.
    """
    head, tail = candidates[: limits.candidates], candidates[limits.candidates :]
    scores = scores_in_time(
        reranker, question, [passage(candidate.payload) for candidate in head], limits.seconds
    )
    if scores is None:
        return None
    order = sorted(range(len(head)), key=lambda i: (-scores[i], i))
    reread = [
        replace(head[i], score=scores[i], ranks={**head[i].ranks, "reranked": rank})
        for rank, i in enumerate(order, start=1)
    ]
    return [*reread, *_below(tail, min(scores, default=0.0))]


def _below(tail: Sequence[Candidate], lowest: float) -> list[Candidate]:
    """The candidates that were not reread, with scores that keep them after those that were."""
    return [replace(candidate, score=lowest - rank) for rank, candidate in enumerate(tail, start=1)]


def scores_in_time(
    reranker: Reranker, question: str, passages: list[str], seconds: float
) -> list[float] | None:
    """One finite score a passage, from a thread of its own that is left behind when it takes more than
    ``seconds`` (0: without a limit); None where the reranker failed or was late."""
    options = {"deadline": monotonic() + seconds} if seconds and _minds_deadlines(reranker) else {}

    def work() -> list[float]:
        return [float(score) for score in reranker.score(question, passages, **options)]

    try:
        scores = Lane().run(work, seconds) if seconds else work()
    except TimeUp:
        log.warning("reranking took more than %.3g s, the fused order stands", seconds)
        return None
    except (ModelCallError, ModelUnavailable) as error:
        log.warning("reranking failed, the fused order stands: %s", error)
        return None
    except Exception:  # the outer edge, around a model of anybody's making
        log.exception("reranking failed, the fused order stands")
        return None
    if len(scores) != len(passages) or not all(abs(s) < float("inf") for s in scores):
        return None
    return scores


def _minds_deadlines(reranker: Reranker) -> bool:
    """Whether it takes a ``deadline`` and stops by itself, as ours do; others are left to run out."""
    return "deadline" in signature(reranker.score).parameters
