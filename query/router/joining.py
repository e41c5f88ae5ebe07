"""Several lists of candidates to one, nothing twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from ..fusion import RANK_OFFSET
from ..question import Candidate


def by_rank(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """One order of what two routes found: by the sum of reciprocal ranks (Cormack et al., SIGIR 2009), as a
    share of what a candidate has that is first in all. Ties go by key."""
    scores: dict[str, float] = {}
    best: dict[str, Candidate] = {}
    for found in lists:
        for rank, one in enumerate(found, start=1):
            scores[one.key] = scores.get(one.key, 0.0) + (1 + RANK_OFFSET) / (rank + RANK_OFFSET) / len(lists)
            best[one.key] = _both(best[one.key], one) if one.key in best else one
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [replace(best[key], score=scores[key], fused=scores[key]) for key in order]


def in_turn(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The first of each list, then the second of each, and so on, each candidate where it comes first; scores
    fall along the order."""
    taken: dict[str, Candidate] = {}
    for row in zip_longest(*lists):
        for one in row:
            if one is not None:
                taken.setdefault(one.key, one)
    return [
        replace(one, score=(1 + RANK_OFFSET) / (rank + RANK_OFFSET))
        for rank, one in enumerate(taken.values(), start=1)
    ]


def _both(first: Candidate, second: Candidate) -> Candidate:
    """One candidate that two routes found: with the ranks of both, and a path where one of them has it."""
    ranks: Mapping[str, int | None] = {
        **first.ranks,
        **{name: rank for name, rank in second.ranks.items() if rank is not None},
    }
    return replace(
        first, ranks=ranks, path=_longer(first.path, second.path), leaves=first.leaves or second.leaves
    )


def _longer(
    first: tuple[Mapping[str, object], ...] | None, second: tuple[Mapping[str, object], ...] | None
) -> tuple[Mapping[str, object], ...] | None:
    return max((first, second), key=lambda path: len(path or ()))
