"""What stays of communities when entities and edges change: those that nothing touched as they are, and of
large ones all but what changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from .communities_edges import EntityGraph, Numbers, Weights

_NEW = ""
"""Stands for the community of all that was in none."""
_STEADY = 0.1
"""The share of a large community's members that may change before all of it is detected again."""


@dataclass(frozen=True, slots=True)
class Before:
    """How it was. ``paths`` holds, by member, the ids of its communities from the top down; ``size`` how
    many members a community had; ``changed`` the members that have other edges now, or none then."""

    paths: Mapping[int, Sequence[str]]
    size: Mapping[str, int]
    changed: Set[int]

    def label(self, member: int, depth: int) -> str | None:
        """The community of ``member`` so many below the top."""
        path = self.paths.get(member, ())
        return path[depth] if depth < len(path) else None


class Mending:
    """Which of the communities that ``members`` were in, so deep below the top, stand as they are. ``rows``
    are the edges between ``members``. ``kept`` are the communities that stand, each ascending, and ``free``
    the members to be detected again.

    A community is touched by a member that changed or is gone, or that is next to one that changed. One of at
    most ``most`` members is then free as a whole, and so is a larger one of which a tenth changed; of any
    other only the members that changed move, each to the community of highest modularity for it.
    """

    def __init__(
        self,
        graph: EntityGraph,
        before: Before,
        members: Sequence[int],
        rows: Numbers,
        depth: int,
        most: int,
    ) -> None:
        self._graph = graph
        self._rows = rows
        self._changed = [member for member in members if member in before.changed]
        self._labels = {m: label for m in members if (label := before.label(m, depth)) is not None}
        self._held: defaultdict[str, list[int]] = defaultdict(list)
        for member, label in self._labels.items():
            self._held[label].append(member)
        touched = self._touched(before.size)
        steady = {label for label in touched if before.size[label] > most and self._is_steady(label, before)}
        stay = {label for label in self._held if label not in touched or label in steady}
        place = {member: label for member, label in self._labels.items() if label in stay}
        if steady:
            self._move(place, steady)
        parts: defaultdict[str, list[int]] = defaultdict(list)
        for member in sorted(place):
            parts[place[member]].append(member)
        self.kept = list(parts.values())
        self.free = [member for member in members if member not in place]

    def _touched(self, size: Mapping[str, int]) -> set[str]:
        touched = {label for label, members in self._held.items() if len(members) != size[label]}
        flags = np.zeros(len(self._graph.entities), dtype=bool)
        flags[self._changed] = True
        low, high = self._graph.low[self._rows], self._graph.high[self._rows]
        near = {*high[flags[low]].tolist(), *low[flags[high]].tolist(), *self._changed}
        return touched | {label for member in near if (label := self._labels.get(member)) is not None}

    def _is_steady(self, label: str, before: Before) -> bool:
        members = self._held[label]
        lost = before.size[label] - len(members)
        return lost + sum(1 for m in members if m in before.changed) <= _STEADY * before.size[label]

    def _move(self, place: dict[int, str], steady: Set[str]) -> None:
        """Put every member that changed where it fits best by modularity, if that is a ``steady`` community,
        and out of ``place`` if not."""
        graph, rows = self._graph, self._rows
        weight = graph.weight[rows]
        whole = 2 * float(weight.sum())
        ends = np.concatenate([graph.low[rows], graph.high[rows]])
        degree = np.bincount(ends, np.tile(weight, 2), len(graph.entities)).tolist()
        total: defaultdict[str, float] = defaultdict(float)
        for member in sorted({*self._labels, *self._changed}):
            total[self._labels.get(member, _NEW)] += degree[member]
        beside = self._beside(weight)
        for member in self._changed:
            own, mine = self._labels.get(member, _NEW), degree[member]
            gains = {
                label: joint - mine * (total[label] - (mine if label == own else 0.0)) / whole
                for label, joint in beside[member].items()
            }
            best = min(gains, key=lambda label: (-gains[label], label), default=None)
            place.pop(member, None)
            if best is not None and best in steady and gains[best] > 0:
                place[member] = best

    def _beside(self, weight: Weights) -> dict[int, dict[str, float]]:
        """For every member that changed, the weight of its edges to each community before, and to what is
        new."""
        graph = self._graph
        beside: dict[int, dict[str, float]] = {member: {} for member in self._changed}
        flags = np.zeros(len(graph.entities), dtype=bool)
        flags[self._changed] = True
        low, high = graph.low[self._rows], graph.high[self._rows]
        for row in np.flatnonzero(flags[low] | flags[high]).tolist():
            one, other = int(low[row]), int(high[row])
            for member, neighbour in ((one, other), (other, one)):
                if member in beside:
                    label = self._labels.get(neighbour, _NEW)
                    beside[member][label] = beside[member].get(label, 0.0) + float(weight[row])
        return beside
