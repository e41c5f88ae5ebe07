"""Where units that are new to a region go."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

import numpy as np

from ..models.ports import Vectors
from .grouping import Partition, grouped
from .neighbours import cosines, on_grid
from .plan import Plan
from .region import Region

_FOUNDERS = 3
_BESIDE = 0.1


def settle(plan: Plan, region: Region, loose: Sequence[str], by: Partition) -> None:
    """Give each of ``loose`` a place in ``region``: in the cluster of nearest centre, where it counts in
    favour of a cluster that it holds the unit before or after in reading order if ``by`` minds the order;
    or in a new cluster where at least three are nearer to each other than to what is there."""
    loose = plan.in_reading_order(loose)
    hosts = [
        name for name in region.downward() if any(c not in region.clusters for c in region.clusters[name])
    ]
    rows = on_grid(plan.matrix(loose))
    near = cosines(rows, _centres(plan, region, hosts))
    if by.reading:
        _favour_neighbours(plan, region, loose, hosts, near, _BESIDE * min(1.0, by.reading))
    founders: set[str] = set()
    rows_of = {unit: row for row, unit in enumerate(loose)}
    for group in grouped(plan, loose, by) if len(loose) >= _FOUNDERS else []:
        at = [rows_of[unit] for unit in group]
        if len(group) >= _FOUNDERS and _closeness(rows[at]) > near[at].max(axis=1).mean():
            beside = hosts[int(near[at].mean(axis=0).argmax())]
            _found(plan, region, group, beside)
            founders.update(group)
    for unit, row in rows_of.items():
        if unit not in founders:
            _add(region, hosts[int(near[row].argmax())], unit)


def _centres(plan: Plan, region: Region, hosts: Sequence[str]) -> Vectors:
    """The direction of each host's own units, on the grid."""
    totals = [
        plan.total(plan.joined([child for child in region.clusters[host] if child not in region.clusters]))
        for host in hosts
    ]
    return on_grid(np.array(totals))


def _favour_neighbours(
    plan: Plan, region: Region, loose: Sequence[str], hosts: Sequence[str], near: Vectors, bonus: float
) -> None:
    placed = sorted(
        (int(plan.covers(unit)[0]), column)
        for column, host in enumerate(hosts)
        for unit in region.clusters[host]
        if unit not in region.clusters
    )
    for row, unit in enumerate(loose):
        at = bisect(placed, (int(plan.covers(unit)[0]), -1))
        for _, column in placed[max(0, at - 1) : at + 1]:
            near[row, column] += bonus


def _closeness(rows: Vectors) -> float:
    """Mean cosine of each row with the others' centre."""
    others = on_grid(rows.sum(axis=0) - rows)
    return float(np.diagonal(cosines(rows, others)).mean())


def _found(plan: Plan, region: Region, group: list[str], beside: str) -> None:
    """A new cluster beside another, or beneath it where that is the root."""
    name = plan.name(group)
    parents = [parent for parent, held in region.clusters.items() if beside in held] or [region.root]
    region.clusters[name] = group
    _add(region, parents[0], name)


def _add(region: Region, cluster: str, child: str) -> None:
    region.clusters[cluster].append(child)
    region.drift[cluster] = region.drift.get(cluster, 0) + 1
