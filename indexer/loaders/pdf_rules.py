"""Ruled tables: the lines and filled boxes drawn on a page, as grids of cells."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .pdf_page import Box

_THIN = 30
_NEAR = 25
_SHORTEST = 60
_MOST_RULES = 400


class Rule(NamedTuple):
    """A straight line: at ``at`` on one axis, from ``start`` to ``end`` on the other."""

    at: int
    start: int
    end: int


class Grid(NamedTuple):
    """Where a table's columns and rows are bounded: sorted sides and heights, and its rules.

    ``is_drawn`` says that lines were drawn between the columns, and not just boxes filled.
    """

    xs: tuple[int, ...]
    ys: tuple[int, ...]
    upright: tuple[Rule, ...]
    is_drawn: bool
    level: tuple[Rule, ...] = ()

    def column(self, x: int) -> int:
        """The index of the column that holds ``x``."""
        return min(max(bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)

    def row(self, y: int) -> int:
        """The index of the row that holds ``y``."""
        return min(max(bisect_right(self.ys, y) - 1, 0), len(self.ys) - 2)

    def sides_within(self, x0: int, x1: int, y: int) -> list[int]:
        """The upright rules at height ``y`` that stand clearly between ``x0`` and ``x1``."""
        return sorted(
            rule.at
            for rule in self.upright
            if x0 + _NEAR < rule.at < x1 - _NEAR and rule.start <= y <= rule.end
        )


class Rules(NamedTuple):
    """A page's rules: level ones, upright ones, and where upright ones were drawn as such."""

    level: tuple[Rule, ...]
    upright: tuple[Rule, ...]
    drawn: frozenset[int]


def grids(rules: Rules) -> list[Grid]:
    """The grids with at least two rows and two columns that a page's rules form."""
    level, upright, drawn = rules
    if len(level) < 2 or len(upright) < 1:
        return []
    found = [_grid(*part, drawn) for part in _connected(level, upright)]
    return sorted(grid for grid in found if len(grid.xs) > 2 and len(grid.ys) > 2)


def rules_of(boxes: Iterable[Box], width: int, height: int) -> Rules:
    """The rules that a page's ``boxes`` draw: thin ones are rules themselves, others have four sides. None
    where there are too many for a table."""
    level: set[Rule] = set()
    upright: set[Rule] = set()
    drawn: set[int] = set()
    for x0, y0, x1, y1 in set(boxes):
        w, h = x1 - x0, y1 - y0
        if h <= _THIN and w >= _THIN:
            level.add(Rule((y0 + y1) // 2, x0, x1))
        elif w <= _THIN and h >= _SHORTEST:
            upright.add(Rule((x0 + x1) // 2, y0, y1))
            drawn.add((x0 + x1) // 2)
        elif w > _SHORTEST and h > _SHORTEST and not (w > 0.9 * width and h > 0.9 * height):
            level.update((Rule(y0, x0, x1), Rule(y1, x0, x1)))
            upright.update((Rule(x0, y0, y1), Rule(x1, y0, y1)))
    merged = _merged(level), _merged(upright)
    if sum(map(len, merged)) > _MOST_RULES:
        return Rules((), (), frozenset())
    return Rules(tuple(merged[0]), tuple(merged[1]), frozenset(drawn))


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Rules on (almost) one line that meet or overlap, as one."""
    lines: list[list[Rule]] = []
    for rule in sorted(rules):
        if lines and rule.at - lines[-1][0].at <= _NEAR:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    merged: list[Rule] = []
    for line in lines:
        at = line[len(line) // 2].at
        start, end = -1, -(10**9)
        for rule in sorted(line, key=lambda rule: rule.start):
            if rule.start > end + _NEAR:
                if end > start:
                    merged.append(Rule(at, start, end))
                start, end = rule.start, rule.end
            end = max(end, rule.end)
        if end > start:
            merged.append(Rule(at, start, end))
    return merged


def _connected(level: Sequence[Rule], upright: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """The rules in groups that hang together because a level and an upright one meet."""
    parent = list(range(len(level) + len(upright)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index, (x, top, bottom) in enumerate(upright, len(level)):
        for other, (y, left, right) in enumerate(level):
            if top - _NEAR <= y <= bottom + _NEAR and left - _NEAR <= x <= right + _NEAR:
                parent[root(index)] = root(other)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for index, rule in enumerate(level):
        groups[root(index)][0].append(rule)
    for index, rule in enumerate(upright, len(level)):
        groups[root(index)][1].append(rule)
    return list(groups.values())


def _grid(level: Sequence[Rule], upright: Sequence[Rule], drawn: frozenset[int]) -> Grid:
    xs = [rule.at for rule in upright] + [side for rule in level for side in (rule.start, rule.end)]
    ys = [rule.at for rule in level] + [side for rule in upright for side in (rule.start, rule.end)]
    is_drawn = any(rule.at in drawn for rule in upright)
    return Grid(_apart(xs), _apart(ys), tuple(upright), is_drawn, tuple(level))


def _apart(positions: Iterable[int]) -> tuple[int, ...]:
    """``positions`` sorted, those that are nearly the same only once."""
    kept: list[int] = []
    for position in sorted(positions):
        if not kept or position - kept[-1] > 2 * _NEAR:
            kept.append(position)
    return tuple(kept)
