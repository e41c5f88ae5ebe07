"""Spans along the author's structure: sections, then paragraphs, sentences, lines, words.

The cuts are the cheapest set that leaves no piece over the budget: every place where the text may part
has a price (a paragraph's end nothing, a word's much, and the ends of sections and pages pay), every chunk
costs one, slivers cost extra and even sizes are favoured. So sections are kept apart, but for those too
small to stand alone.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from .chunking_breaks import Break, document_breaks, thinned, with_finer
from .chunking_ruler import Ruler, Span
from .types import Content

_PLACES = 48
"""About so many places to cut are weighed for each chunk: a table of one word a line has far more."""

_SLIVER = 1.0
_EVEN = 0.15


def structure_spans(content: Content, ruler: Ruler, size: int, within: Span | None = None) -> list[Span]:
    """Spans of at most ``size`` tokens that tile the text (or the part of it ``within``)."""
    within = within or (0, len(content.text))
    breaks = document_breaks(content, ruler, size, within)
    return segment(breaks, ruler, within, size)


def segment(breaks: Sequence[Break], ruler: Ruler, within: Span, size: int) -> list[Span]:
    """The cheapest tiling of ``within`` into spans of at most ``size`` tokens that ends at ``breaks``."""
    start, end = within
    low = bisect_right(breaks, start, key=lambda b: b.offset)
    high = bisect_left(breaks, end, key=lambda b: b.offset)
    places = thinned([Break(start, 0.0), *breaks[low:high], Break(end, 0.0)], ruler, size // _PLACES)
    places = with_finer(places, ruler, size)
    positions = [ruler.position(place.offset) for place in places]
    chosen = _cheapest(positions, [place.cost for place in places], size)
    offsets = [places[i].offset for i in chosen]
    return list(itertools.pairwise(offsets))


def _cheapest(positions: Sequence[int], costs: Sequence[float], size: int) -> list[int]:
    """Indices of the places of the cheapest path from the first to the last, no step over ``size``."""
    prices = _prices(size)
    best = [0.0] + [float("inf")] * (len(positions) - 1)
    came = [0] * len(positions)
    first = 0
    for j in range(1, len(positions)):
        here = positions[j]
        while here - positions[first] > size and first < j - 1:
            first += 1
        lowest, source = float("inf"), j - 1
        for i in range(first, j):
            total = best[i] + prices[min(size, here - positions[i])]
            if total < lowest:
                lowest, source = total, i
        best[j], came[j] = lowest + costs[j], source
    path = [len(positions) - 1]
    while path[-1]:
        path.append(came[path[-1]])
    return path[::-1]


@lru_cache(maxsize=16)
def _prices(size: int) -> tuple[float, ...]:
    """What a chunk costs, by its number of tokens."""
    least = size / 4
    return tuple(
        1.0 + _SLIVER * max(0.0, 1 - tokens / least) + _EVEN * (tokens / size) ** 2
        for tokens in range(size + 1)
    )
