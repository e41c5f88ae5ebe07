"""Cutting a scored list so that equal scores at the cut do not depend on the engine's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Scores = Sequence[tuple[str, float]]
"""Keys with their scores, scores descending."""

SAME = 1e-6
"""Sparse scores closer than this share of themselves are one score.

An engine adds a row's terms in an order that depends on where the row lies and how many rows were
asked for; float32 sums then differ by a unit or two in the last place (1.2e-7) between two builds of
the same rows, and equal texts would change places.
"""

_SPARE = 16
_MOST_TIES = 4096


def first_asked(limit: int) -> int:
    """How many rows :func:`ranked` asks for first."""
    return limit + _SPARE


def answered(first: Scores, limit: int, ask: Callable[[int], Scores]) -> Callable[[int], Scores]:
    """``ask``, for :func:`ranked`, where ``first`` is known already to be what the first asking gives."""
    return lambda count: first if count == first_asked(limit) else ask(count)


def ranked(ask: Callable[[int], Scores], limit: int, tolerance: float = 0.0) -> list[tuple[str, float]]:
    """The ``limit`` best of what ``ask(n)`` yields, by (score descending, key ascending).

    ``ask(n)`` returns the ``n`` best by score, in any order among equals. More is asked for until the
    score at the cut ends inside the answer, so which of several equal rows make the cut is decided by
    their keys alone; unless 4,096 rows and more are tied there, when the engine chooses (the same ones
    each time over the same files). With a ``tolerance`` a run of scores that each follow the one
    before within that share count as equal, and all get the highest of them.
    """
    if limit <= 0:
        return []
    most = max(_MOST_TIES, limit + _SPARE)
    asked = first_asked(limit)
    while True:
        found = _levelled(ask(asked), tolerance)
        whole = len(found) < asked or found[-1][1] < found[limit - 1][1]
        if whole or asked == most:
            return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]
        asked = min(asked * 8, most)


def _levelled(scores: Scores, tolerance: float) -> list[tuple[str, float]]:
    if not tolerance:
        return list(scores)
    levelled: list[tuple[str, float]] = []
    before = level = 0.0
    for position, (key, score) in enumerate(scores):
        if position == 0 or before - score > tolerance * abs(before):
            level = score
        levelled.append((key, level))
        before = score
    return levelled
