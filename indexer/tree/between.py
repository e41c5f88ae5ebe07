"""Second parents: leaves that sit between two clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..models.ports import Vectors
from .neighbours import SCALE, cosines, on_grid

_MARGIN = 0.03
"""How much nearer (in cosine) another cluster's centre must be than that of a leaf's own cluster without the
leaf. On manuals about one leaf in twenty-five passes, which is what soft assignment at .1 comes to in the
paper's method (1.00 to 1.05 parents a leaf)."""

_ROWS = 1024


def second_parents(rows: Vectors, groups: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pairs (row, group): what sits nearer to another group than to its own, furthest between first. ``rows``
    are unit vectors on the grid, each in one of ``groups``."""
    own = np.empty(len(rows), dtype=np.intp)
    for number, group in enumerate(groups):
        own[list(group)] = number
    sums = np.array([rows[list(group)].sum(axis=0) for group in groups])
    centres = on_grid(sums)
    pairs: list[tuple[float, int, int]] = []
    for start in range(0, len(rows), _ROWS):
        part = np.arange(start, min(start + _ROWS, len(rows)))
        near = cosines(rows[part], centres)
        without = on_grid(sums[own[part]] - rows[part])
        at_home = np.einsum("ij,ij->i", rows[part], without) / SCALE**2
        near[np.arange(len(part)), own[part]] = -1.0
        best = near.argmax(axis=1)
        gain = near[np.arange(len(part)), best] - at_home
        pairs += [
            (float(gain[at]), int(part[at]), int(best[at])) for at in np.flatnonzero(gain > _MARGIN).tolist()
        ]
    return [(row, group) for _, row, group in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:]))]
