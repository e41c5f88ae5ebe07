"""Tables side by side: two captions on one line say that what is below each belongs to it alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .pdf_captions import is_caption
from .pdf_page import Line


def side_by_side(lines: list[Line]) -> list[list[Line]]:
    """``lines`` in parts: below captions that stand side by side, down to the first line that crosses between
    them, one part for each side."""
    pairs = _pairs(lines)
    if not pairs:
        return [lines]
    left, right = pairs[0]
    middle = right.x0 - right.size // 2
    top = min(left.y0, right.y0)
    above = [line for line in lines if line.y0 < top]
    below = [line for line in lines if line.y0 >= top]
    end = min((line.y0 for line in below if line.x0 < middle < line.x1), default=None)
    rest = [line for line in below if end is not None and line.y0 >= end]
    sides = [line for line in below if end is None or line.y0 < end]
    parts = [
        above,
        [line for line in sides if line.x0 < middle],
        [line for line in sides if line.x0 >= middle],
        *(side_by_side(rest) if rest else ()),
    ]
    return [part for part in parts if part]


def _pairs(lines: Sequence[Line]) -> list[tuple[Line, Line]]:
    """Captions next to each other on one baseline, downwards."""
    captions = sorted((line for line in lines if is_caption(line.text)), key=_place)
    return [
        (one, other)
        for one, other in pairwise(captions)
        if abs(one.base - other.base) <= 0.4 * one.size and one.x1 < other.x0
    ]


def _place(line: Line) -> tuple[int, int]:
    return line.base, line.x0
