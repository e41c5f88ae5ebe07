"""Dividing a graph into communities, and those into smaller ones: anew, or only where something changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..stretches import stretches
from .communities_edges import EntityGraph, Numbers
from .communities_mending import Before, Mending

_SEED = 1
_FINER = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Resolutions at which a community is divided, until it falls apart."""
_SMALLEST = 3
"""Members of the smallest part that stays by itself where a community is cut at a higher resolution."""


@dataclass(frozen=True, slots=True)
class Part:
    """A community: its members, ascending, and the smaller ones that it falls into."""

    members: tuple[int, ...]
    parts: tuple[Part, ...] = ()


class Division:
    """Divides ``graph`` until no part has more than ``most`` members."""

    def __init__(self, graph: EntityGraph, most: int, before: Before | None) -> None:
        self._graph = graph
        self._most = most
        self._before = before

    def top(self) -> list[Part]:
        """The communities of all entities with an edge, but for pairs that are joined to nothing else."""
        graph = self._graph
        degree = np.bincount(np.concatenate([graph.low, graph.high]), minlength=len(graph.entities))
        whole = (degree[graph.low] > 1) | (degree[graph.high] > 1)
        rows = np.flatnonzero(whole)
        members = sorted({*graph.low[rows].tolist(), *graph.high[rows].tolist()})
        return [self._part(some, rows, 1) for some in self._divided(members, rows, 0)] if members else []

    def _part(self, members: Sequence[int], rows: Numbers, depth: int) -> Part:
        if len(members) <= self._most:
            return Part(tuple(members))
        inside = self._inside(members, rows)
        found = self._divided(members, inside, depth)
        if len(found) == 1:
            found = self._cut(members)
        return Part(tuple(members), tuple(self._part(some, inside, depth + 1) for some in found))

    def _inside(self, members: Sequence[int], rows: Numbers) -> Numbers:
        """Those of the edges ``rows`` with both ends among ``members``."""
        held = np.zeros(len(self._graph.entities), dtype=bool)
        held[list(members)] = True
        return rows[held[self._graph.low[rows]] & held[self._graph.high[rows]]]

    def _divided(self, members: Sequence[int], rows: Numbers, depth: int) -> list[list[int]]:
        """A partition of ``members``, each part ascending, by first member. What is detected again is
        weighed as in the whole: modularity over a part of the edges alone would make smaller parts."""
        if self._before is None:
            return self._anew(members, rows, 1.0, forced=depth > 0)
        mending = Mending(self._graph, self._before, members, rows, depth, self._most)
        kept, free = mending.kept, mending.free
        if not kept:
            return self._anew(free, rows, 1.0, forced=depth > 0)
        if not free:
            return sorted(kept)
        inside = self._inside(free, rows)
        weight = self._graph.weight
        share = float(weight[inside].sum() / weight[rows].sum()) if len(inside) else 1.0
        return sorted([*kept, *self._anew(free, inside, share, forced=False)])

    def _anew(
        self, members: Sequence[int], rows: Numbers, resolution: float, *, forced: bool
    ) -> list[list[int]]:
        """Leiden over these members and edges. ``forced`` asks for two parts at least."""
        for finer in _FINER if forced else _FINER[:1]:
            found = self._leiden(members, rows, resolution * finer)
            if len(found) > 1 or not forced:
                return found if finer == 1.0 else self._gathered(found)
        return [list(members)]

    def _leiden(self, members: Sequence[int], rows: Numbers, resolution: float) -> list[list[int]]:
        # Never from where they were: graspologic-native panics on communities that have come apart.
        from graspologic_native import leiden

        graph = self._graph
        ends = zip(
            graph.low[rows].tolist(), graph.high[rows].tolist(), graph.weight[rows].tolist(), strict=True
        )
        edges = [(str(low), str(high), weight) for low, high, weight in ends]
        group = {member: -1 - member for member in members}
        if edges:
            _, found = leiden(edges, resolution=resolution, seed=_SEED)
            group.update((int(member), community) for member, community in found.items())
        parts: defaultdict[int, list[int]] = defaultdict(list)
        for member in members:
            parts[group[member]].append(member)
        return sorted(parts.values())

    def _gathered(self, parts: Sequence[list[int]]) -> list[list[int]]:
        """The parts, with those that are too small put together in the order in which they are named."""
        large = [part for part in parts if len(part) >= _SMALLEST]
        small = [member for part in parts if len(part) < _SMALLEST for member in part]
        return sorted([*large, *self._cut(small)])

    def _cut(self, members: Sequence[int]) -> list[list[int]]:
        return list(stretches(sorted(members), self._most))
