"""Shapes by similarity alone: one region over all leaves, whatever document they come from."""

from __future__ import annotations

from .furnish import furnished
from .grouping import Partition
from .plan import Plan
from .region import draw, raised
from .regrowth import regrown
from .skeleton import Leaves, Limits, Skeleton


class ClusterShape:
    """Clusters of leaves, clusters of those, until one holds all; ``by`` makes them."""

    def __init__(self, name: str, by: Partition) -> None:
        self.name = name
        self._by = by

    def grow(self, leaves: Leaves, limits: Limits, before: Skeleton | None = None) -> Skeleton:
        """The tree of clusters; see :class:`~.skeleton.Shape`."""
        plan = Plan(leaves, limits, before.branches if before else ())
        units = [plan.unit(leaf) for leaf in plan.items]
        if len(units) < 2:
            return furnished(plan, units[0], before) if units else Skeleton()
        root = before.root if before else None
        if before and root and root in before.branches and root not in plan.reserved:
            region = regrown(plan, units, self._by, root, before.branches)
        else:
            region = raised(plan, units, self._by)
        return furnished(plan, draw(plan, region), before)
