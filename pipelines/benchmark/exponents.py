"""How a cost grows: the exponent of the power law through measured totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_LEAST = 0.05
"""Totals below this many seconds are the clock's grain and the fixed cost of starting, not growth."""


@dataclass(frozen=True, slots=True)
class Exponent:
    """``cost ~ size ** value`` over ``points`` sizes from ``smallest`` to ``largest``."""

    value: float
    points: int
    smallest: int
    largest: int


def fit(sizes: Sequence[int], totals: Sequence[float], least: float = _LEAST) -> Exponent | None:
    """The least-squares line through the logarithms of totals; None from fewer than two of them.

    Totals below ``least`` are left out.
    """
    points = [(size, total) for size, total in zip(sizes, totals, strict=True) if total >= least and size > 0]
    if len({size for size, _ in points}) < 2:
        return None
    x, y = np.log(np.array(points, dtype=np.float64)).T
    value = float(np.polyfit(x, y, 1)[0])
    held = [size for size, _ in points]
    return Exponent(value, len(points), min(held), max(held))
