"""Dividing a graph into communities, and those into smaller ones: anew, or only where something changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from .communities_edges import EntityGraph, Numbers

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
        """A partition of ``members``, each part ascending, by first member."""
        kept, free, start = self._kept(members, rows, depth)
        if not kept:
            return self._anew(free, rows, start, 1.0, forced=depth > 0)
        if not free:
            return sorted(kept)
        inside = self._inside(free, rows)
        weight = self._graph.weight
        share = float(weight[inside].sum() / weight[rows].sum()) if len(inside) else 1.0
        return sorted([*kept, *self._anew(free, inside, start, max(share, 1e-6), forced=False)])

    def _kept(
        self, members: Sequence[int], rows: Numbers, depth: int
    ) -> tuple[list[list[int]], list[int], dict[int, str]]:
        """The communities before that nothing touched, the members of all others, and where those were."""
        if self._before is None:
            return [], list(members), {}
        labels = {member: self._before.label(member, depth) for member in members}
        held: defaultdict[str, list[int]] = defaultdict(list)
        for member, label in labels.items():
            if label is not None:
                held[label].append(member)
        touched = {label for label, some in held.items() if len(some) != self._before.size[label]}
        changed = np.zeros(len(self._graph.entities), dtype=bool)
        changed[list(self._before.changed)] = True
        low, high = self._graph.low[rows], self._graph.high[rows]
        near = {*high[changed[low]].tolist(), *low[changed[high]].tolist(), *self._before.changed}
        touched |= {label for member in near if (label := labels.get(member)) is not None}
        kept = [some for label, some in held.items() if label not in touched]
        still = {member for some in kept for member in some}
        free = [member for member in members if member not in still]
        return kept, free, {member: label for member in free if (label := labels[member]) is not None}

    def _anew(
        self,
        members: Sequence[int],
        rows: Numbers,
        start: Mapping[int, str],
        resolution: float,
        *,
        forced: bool,
    ) -> list[list[int]]:
        """Leiden over these members and edges, from where they were. ``forced`` asks for two parts at
        least."""
        for finer in _FINER if forced else _FINER[:1]:
            found = self._leiden(members, rows, start, resolution * finer)
            if len(found) > 1 or not forced:
                return found if finer == 1.0 else self._gathered(found)
        return [list(members)]

    def _leiden(
        self, members: Sequence[int], rows: Numbers, start: Mapping[int, str], resolution: float
    ) -> list[list[int]]:
        from graspologic_native import leiden

        graph = self._graph
        ends = zip(
            graph.low[rows].tolist(), graph.high[rows].tolist(), graph.weight[rows].tolist(), strict=True
        )
        edges = [(str(low), str(high), weight) for low, high, weight in ends]
        group = {member: -1 - member for member in members}
        if edges:
            begin = _numbered(start, edges) if start else None
            _, found = leiden(edges, starting_communities=begin, resolution=resolution, seed=_SEED)
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
        ordered = sorted(members)
        return [ordered[at : at + self._most] for at in range(0, len(ordered), self._most)]


def _numbered(start: Mapping[int, str], edges: Sequence[tuple[str, str, float]]) -> dict[str, int]:
    """Where every end of an edge begins: with those that it was with, or alone."""
    numbers: dict[str, int] = {}
    begin: dict[str, int] = {}
    for edge in edges:
        for end in edge[:2]:
            if end not in begin:
                label = start.get(int(end), f"new {end}")
                begin[end] = numbers.setdefault(label, len(numbers))
    return begin
