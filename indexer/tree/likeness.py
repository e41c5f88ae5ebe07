"""The graph that clusters are found in: which units are alike, repeated, or next to each other."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..models.ports import Vectors
from .neighbours import nearest

_NEIGHBOURS = 10
_POWER = 2.0
"""Edges weigh this power of the cosine."""

Edge = tuple[int, int, float]
_Ends = NDArray[np.int64]
_Weights = NDArray[np.float64]


def edges(rows: Vectors, reading: float) -> list[Edge]:
    """The edges (a, b, weight), a < b, each once and sorted, between rows (unit vectors on the grid, in
    reading order): from each row to its ten nearest, and from each to the next with ``reading`` on top.

    Of rows that are equal only the first has neighbours; the others hang on it in a chain, in reading order,
    so that boilerplate makes no tangle.
    """
    first, again = _repeats(rows)
    parts = [_likeness(rows, first), (again[:, 0], again[:, 1], np.ones(len(again)))]
    if reading:
        before = np.arange(len(rows) - 1, dtype=np.int64)
        parts.append((before, before + 1, np.full(len(before), reading)))
    low, high, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    keys, where = np.unique(low * len(rows) + high, return_inverse=True)
    total = np.bincount(where, weights, len(keys))
    heavy = total > 0
    low, high = np.divmod(keys[heavy], len(rows))
    return list(zip(low.tolist(), high.tolist(), total[heavy].tolist(), strict=True))


def _repeats(rows: Vectors) -> tuple[_Ends, _Ends]:
    """The rows that no earlier one equals, (m,), and the pairs of a row with the last equal one, (k, 2)."""
    last: dict[bytes, int] = {}
    first: list[int] = []
    again: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        key = blake2b(row.tobytes(), digest_size=16).digest()
        if key in last:
            again.append((last[key], at))
        else:
            first.append(at)
        last[key] = at
    return np.array(first, dtype=np.int64), np.array(again, dtype=np.int64).reshape(-1, 2)


def _likeness(rows: Vectors, first: _Ends) -> tuple[_Ends, _Ends, _Weights]:
    """Edges between some rows and the nearest of them, each once."""
    count = min(_NEIGHBOURS, len(first) - 1)
    if count < 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    found, near = nearest(rows if len(first) == len(rows) else rows[first], count)
    here, there = np.repeat(first, count), first[found.ravel()]
    low, high = np.minimum(here, there), np.maximum(here, there)
    _, once = np.unique(low * len(rows) + high, return_index=True)
    return low[once], high[once], np.maximum(near.ravel()[once].astype(np.float64), 0.0) ** _POWER
