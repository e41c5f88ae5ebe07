"""Choosing what covers most for its length: the greedy rule for budgeted coverage.

The objective is monotone and submodular, so that the lazy evaluation of Minoux (1978) finds what full
evaluation would; the ratio rule and its use for summaries are Lin and Bilmes, "Multi-document
summarization via budgeted maximization of submodular functions" (NAACL 2010).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import fsum


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: the terms that it holds, its price in tokens, and a factor on its gain.

    ``group`` is what it stands for (a child); the first of a group gains more than those after it.
    """

    terms: Set[str]
    price: int
    merit: float = 1.0
    group: int | None = None


FRESH = 1.6
"""The factor on the gain of the first option chosen of a group."""


@dataclass(frozen=True, slots=True)
class Covered:
    """What all choices so far hold: their terms and their groups."""

    terms: set[str] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)


def choose(
    options: Sequence[Option], weights: Mapping[str, float], covered: Covered, budget: int, fixed: float
) -> list[int]:
    """The indices of the options chosen within ``budget`` tokens, in the order of choice.

    Each step takes the one of highest gain (the summed weights of terms not yet covered, times its merit)
    per token, ``fixed`` tokens added to each price; equals by index. ``covered`` grows with the
    choice.
    """

    def gain(index: int) -> float:
        option = options[index]
        fresh = FRESH if option.group is not None and option.group not in covered.groups else 1.0
        # Exactly rounded, so that the order in which a set has its terms does not matter.
        found = fsum([weights.get(term, 0.0) for term in option.terms if term not in covered.terms])
        return found * option.merit * fresh / (option.price + fixed)

    return _lazily(options, gain, covered, budget)


def _lazily(
    options: Sequence[Option],
    gain: Callable[[int], float],
    covered: Covered,
    budget: int,
) -> list[int]:
    heap = [(-gain(index), index) for index in range(len(options))]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap and heap[0][0] < 0:
        before, index = heap[0]
        option = options[index]
        now = 0.0 if option.price > budget else -gain(index)
        if now > before:  # it gains less by now, and may not be the best any more
            heapq.heapreplace(heap, (now, index))
            continue
        heapq.heappop(heap)
        chosen.append(index)
        budget -= option.price
        covered.terms.update(option.terms)
        if option.group is not None:
            covered.groups.add(option.group)
    return chosen
