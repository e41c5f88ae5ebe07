"""A region: the clusters between some units and the one branch that holds them all.

The Leiden tree is one region over all leaves; in the outline tree every section is a region over its own
leaves and sections, and what stands above the documents is one over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .grouping import Partition, grouped
from .order import walk
from .plan import Plan


@dataclass(slots=True)
class Region:
    """``clusters`` maps each cluster's id to its children (units and clusters); ``root`` is one of them."""

    root: str
    clusters: dict[str, list[str]] = field(default_factory=dict)
    drift: dict[str, int] = field(default_factory=dict)

    def downward(self, start: str | None = None) -> list[str]:
        """The clusters from ``start`` (the root) down, each once, before those beneath it."""
        return list(walk(start or self.root, self._inner))[::-1]

    def _inner(self, cluster: str) -> list[str]:
        return [child for child in self.clusters[cluster] if child in self.clusters]

    def units(self, start: str | None = None) -> list[str]:
        """The units beneath ``start`` (the root), each once."""
        found: dict[str, None] = {}
        for cluster in self.downward(start):
            found.update((child, None) for child in self.clusters[cluster] if child not in self.clusters)
        return list(found)


def raised(
    plan: Plan,
    units: Iterable[str],
    by: Partition,
    root: str | None = None,
    known: Mapping[frozenset[str], str] | None = None,
) -> Region:
    """A new region over at least two ``units``, level by level until one branch holds all. ``known`` are
    clusters that were there before, by their children: the same ones keep their ids."""
    level = plan.in_reading_order(units)
    old = dict(known or {})
    clusters: dict[str, list[str]] = {}
    while not plan.fits(level):
        above: list[str] = []
        for group in grouped(plan, level, by):
            if len(group) == 1:
                above += group
                continue
            name = old.pop(frozenset(group), None) or plan.name(group)
            clusters[name] = group
            plan.know(name, group)
            above.append(name)
        level = plan.in_reading_order(above)
    top = root or plan.name(level)
    clusters[top] = level
    return Region(top, clusters)


def draw(plan: Plan, region: Region) -> str:
    """Put a region on the plan; returns its root."""
    for cluster, children in region.clusters.items():
        plan.draw(cluster, children, region.drift.get(cluster, 0))
    return region.root
