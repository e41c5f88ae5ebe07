"""Exact nearest neighbours of unit vectors, the same on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.ports import Vectors

SCALE = 4000
"""Vectors are put on a grid of this many steps to a unit: every product of two of them, and every partial
sum on the way, is then a whole number below 2**24, which float32 holds exactly, whatever the order in which
a library adds. The cosine moves by about 1e-4."""

_LANE = 32
_TILE = 4096

_Found = tuple[NDArray[Any], Vectors]


def on_grid(vectors: Vectors) -> Vectors:
    """Each row's direction on the grid, (n, d); a row of zeros stays one."""
    rows: Vectors = np.array(vectors, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    rows *= (SCALE / np.where(norms > 0, norms, 1.0)).astype(np.float32)[:, None]
    np.rint(rows, out=rows)
    return rows


def cosines(some: Vectors, others: Vectors) -> Vectors:
    """Cosine of every row of ``some`` with every row of ``others``, both on the grid; (n, m)."""
    product: Vectors = (some @ others.T) / np.float32(SCALE * SCALE)
    return product


def nearest(rows: Vectors, count: int) -> tuple[NDArray[np.int32], Vectors]:
    """For each row on the grid its ``count`` nearest other rows and their cosines, (n, count) each, nearest
    first, the earlier row before a later one of equal cosine where both are found. Needs more than ``count``
    rows. Each pair of rows is multiplied once, in square tiles of at most 64 MB."""
    starts = range(0, len(rows), _TILE)
    found: list[list[_Found]] = [[] for _ in starts]
    for i, top in enumerate(starts):
        for j, left in enumerate(starts[i:], start=i):
            tile = rows[top : top + _TILE] @ rows[left : left + _TILE].T
            if i == j:
                np.fill_diagonal(tile, -np.inf)
            else:
                found[j].append(_best(tile.T, count, top))
            found[i].append(_best(tile, count, left))
    best = [_merged(parts, count) for parts in found]
    near: Vectors = np.concatenate([part[1] for part in best])
    near /= np.float32(SCALE * SCALE)
    return np.concatenate([part[0] for part in best]), near


def _best(tile: Vectors, count: int, left: int) -> _Found:
    """The ``count`` highest of each row of a tile whose first column is ``left``. They lie in the ``count``
    lanes of highest maximum, a lane being every so many columns, so that only those are looked into."""
    size, width = tile.shape
    rows = np.arange(size)[:, None]
    lanes = width // _LANE
    if width <= count:
        columns = np.broadcast_to(np.arange(width), (size, width))
    elif lanes <= count:
        columns = np.argpartition(-tile, count - 1, axis=1)[:, :count]
    else:
        whole = lanes * _LANE
        maxima = tile[:, :whole].reshape(size, _LANE, lanes).max(axis=1)
        chosen = np.argpartition(-maxima, count - 1, axis=1)[:, :count]
        within = (chosen[:, :, None] + lanes * np.arange(_LANE)).reshape(size, -1)
        rest = np.broadcast_to(np.arange(whole, width), (size, width - whole))
        columns = np.concatenate([within, rest], axis=1)
    at, values = _top((columns, tile[rows, columns]), count)
    return (at + left).astype(np.int32), values


def _merged(parts: list[_Found], count: int) -> _Found:
    at = np.concatenate([part[0] for part in parts], axis=1)
    values = np.concatenate([part[1] for part in parts], axis=1)
    at, values = _top((at, values), count)
    rank = np.lexsort((at, -values), axis=1)
    return np.take_along_axis(at, rank, axis=1), np.take_along_axis(values, rank, axis=1)


def _top(found: _Found, count: int) -> _Found:
    at, values = found
    if at.shape[1] <= count:
        return at, values
    order = np.argpartition(-values, count - 1, axis=1)[:, :count]
    return np.take_along_axis(at, order, axis=1), np.take_along_axis(values, order, axis=1)
