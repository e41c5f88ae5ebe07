"""A region brought up to date: what came joins, what went leaves, and the rest stays as it is.

Units join the nearest cluster, or found one where several belong together more than to what is there;
clusters that are emptied or left with one child go, clusters over the limits are split, and a branch in
which too much has changed since it was clustered is clustered again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .arrivals import settle
from .grouping import Partition, grouped
from .plan import Plan
from .region import Region, raised
from .skeleton import Branch

_BOUND = 0.4
"""Share of the units beneath a branch that may have come or gone before it is clustered again."""

_LEAST = 4


def regrown(
    plan: Plan, units: Sequence[str], by: Partition, root: str, before: Mapping[str, Branch]
) -> Region:
    """The region over at least two ``units`` that goes on from the one that ``root`` was the root of."""
    region = _as_it_was(plan, units, root, before)
    known = {frozenset(children): cluster for cluster, children in region.clusters.items()}
    drift = dict(region.drift)
    loose = _cleared(region, units)
    if len(region.clusters) == 1:
        return Region(root, {root: list(units)}) if plan.fits(units) else raised(plan, units, by, root)
    if len(loose) >= max(_LEAST, _BOUND * len(units)):
        known.pop(frozenset(before[root].children), None)
        return raised(plan, units, by, root, known)
    if loose:
        settle(plan, region, loose, by)
    for cluster in reversed(region.downward()):
        _split(plan, region, cluster, by)
    if region.drift != drift:
        _cluster_again(plan, region, by, known)
    return region


def _as_it_was(plan: Plan, units: Sequence[str], root: str, before: Mapping[str, Branch]) -> Region:
    """The branches between ``root`` and the units; those of sections that are no more count as clusters."""
    region = Region(root)
    inside = set(units)
    stack = [root]
    while stack:
        cluster = stack.pop()
        if cluster in region.clusters:
            continue
        branch = before[cluster]
        region.clusters[cluster] = list(branch.children)
        if branch.drift:
            region.drift[cluster] = branch.drift
        stack.extend(
            child
            for child in branch.children
            if child in before and child not in inside and child not in plan.reserved
        )
    return region


def _cleared(region: Region, units: Sequence[str]) -> list[str]:
    """Take out what went and what is left with less than two children; returns the units without a place,
    in their order."""
    wanted = set(units)
    stands: dict[str, str | None] = {}
    for cluster in reversed(region.downward()):
        children = region.clusters[cluster]
        kept = [
            stand
            for child in children
            if (stand := stands.get(child, child)) and (stand in wanted or stand in region.clusters)
        ]
        kept = list(dict.fromkeys(kept))
        if kept != children:
            region.drift[cluster] = region.drift.get(cluster, 0) + len(set(children) - set(kept))
            region.clusters[cluster] = kept
        if len(kept) < 2 and cluster != region.root:
            del region.clusters[cluster]
            region.drift.pop(cluster, None)
            stands[cluster] = kept[0] if kept and kept[0] in region.clusters else None
    _lower_the_root(region)
    placed = {child for children in region.clusters.values() for child in children}
    return [unit for unit in units if unit not in placed]


def _lower_the_root(region: Region) -> None:
    """A root with a single cluster beneath takes over that one's children."""
    while len(children := region.clusters[region.root]) == 1 and children[0] in region.clusters:
        region.clusters[region.root] = region.clusters.pop(children[0])
        region.drift[region.root] = region.drift.get(region.root, 0) + region.drift.pop(children[0], 0)


def _split(plan: Plan, region: Region, cluster: str, by: Partition) -> None:
    """Bring ``cluster`` within the limits; all beneath it keep them already."""
    while not plan.fits(region.clusters[cluster]):
        children = region.clusters[cluster]
        for child in children:
            if child in region.clusters:
                plan.know(child, region.units(child))
        groups = grouped(plan, plan.in_reading_order(children), by)
        if cluster == region.root:
            region.clusters[cluster] = [_founded(plan, region, group) for group in groups]
            region.drift[cluster] = 0
            continue
        groups.sort(key=len, reverse=True)
        region.clusters[cluster] = groups[0]
        region.drift[cluster] = 0
        parts = [_founded(plan, region, group) for group in groups[1:]]
        for parent in [parent for parent, held in region.clusters.items() if cluster in held]:
            held = region.clusters[parent]
            region.clusters[parent] = held + [part for part in parts if part not in held]
            region.drift[parent] = region.drift.get(parent, 0) + len(parts)


def _founded(plan: Plan, region: Region, group: list[str]) -> str:
    if len(group) == 1:
        return group[0]
    name = plan.name(group)
    region.clusters[name] = group
    return name


def _cluster_again(plan: Plan, region: Region, by: Partition, known: Mapping[frozenset[str], str]) -> None:
    """Cluster anew what has drifted too far, the highest such branch of each path; clusters that come out
    as they were keep their ids."""
    done: set[str] = set()
    for cluster in _drifted(region):
        if cluster in done:
            continue
        inside = set(region.downward(cluster))
        done |= inside
        old = {held: name for held, name in known.items() if name in inside and name != cluster}
        again = raised(plan, region.units(cluster), by, cluster, old)
        region.clusters.update(again.clusters)
        for name in again.clusters:
            region.drift.pop(name, None)
    reached = set(region.downward())
    region.clusters = {name: children for name, children in region.clusters.items() if name in reached}
    region.drift = {name: count for name, count in region.drift.items() if name in reached and count}


def _drifted(region: Region) -> list[str]:
    """The clusters over clusters beneath which too many units came or went, from the root down."""
    changes: dict[str, int] = {}
    sizes: dict[str, int] = {}
    found: list[str] = []
    for cluster in reversed(region.downward()):
        children = region.clusters[cluster]
        inner = [child for child in children if child in region.clusters]
        changes[cluster] = region.drift.get(cluster, 0) + sum(changes[child] for child in inner)
        sizes[cluster] = len(children) - len(inner) + sum(sizes[child] for child in inner)
        if inner and changes[cluster] >= max(_LEAST, _BOUND * sizes[cluster]):
            found.append(cluster)
    return found[::-1]
