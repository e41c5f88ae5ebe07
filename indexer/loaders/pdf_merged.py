"""Merged cells of a drawn grid: places without a rule between two cells, where the text agrees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .pdf_page import Line
from .pdf_rows import rows_of
from .pdf_rules import Grid, Rule

Lines = Sequence[Sequence[list[Line]]]
_SAME = 50
_CLOSE = 1.7
_ROWS = 3
_IRREGULAR = 0.4


class Region(NamedTuple):
    """Cells of a grid that are one: rows ``top`` to ``bottom``, columns ``left`` to ``right``, inclusive."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def is_single(self) -> bool:
        return self.top == self.bottom and self.left == self.right


def regions_of(grid: Grid, cells: Lines) -> list[Region] | None:
    """The cells of ``grid``, merged where no rule parts them and the lines in them are one text.

    None where much of the grid is no rectangles: then it is a drawing's. Where most texts would be over
    several columns but not over all, none is merged.
    """
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    found: list[Region] = []
    irregular = 0
    for members in _joined(grid, rows, columns):
        held = [row for row, _ in members], [column for _, column in members]
        region = Region(min(held[0]), min(held[1]), max(held[0]), max(held[1]))
        area = (region.bottom - region.top + 1) * (region.right - region.left + 1)
        irregular += len(members) if area != len(members) else 0
        if area == len(members) and (region.is_single or _is_one(cells, region)):
            found.append(region)
        else:
            found.extend(Region(row, column, row, column) for row, column in members)
    if irregular > _IRREGULAR * rows * columns:
        return None
    held_in = [region for region in found if lines_in(cells, region)]
    across = sum(1 for one in held_in if one.left < one.right and one.right - one.left < columns - 1)
    if 2 * across > len(held_in):
        return [Region(row, column, row, column) for row in range(rows) for column in range(columns)]
    return sorted(found)


def lines_in(cells: Lines, region: Region) -> list[Line]:
    """The lines in all cells of a region."""
    return [
        line
        for row in cells[region.top : region.bottom + 1]
        for cell in row[region.left : region.right + 1]
        for line in cell
    ]


def _is_one(cells: Lines, region: Region) -> bool:
    """Whether the lines of a region are one text: one beside no other, each close below the last, and not
    one for each of its rows."""
    rows = rows_of(lines_in(cells, region))
    if any(len(row.cells) > 1 for row in rows):
        return False
    if any(
        below.base - above.base >= _CLOSE * max(above.size, below.size) for above, below in pairwise(rows)
    ):
        return False
    own = [
        [line for cell in cells[row][region.left : region.right + 1] for line in cell]
        for row in range(region.top, region.bottom + 1)
    ]
    if len(own) >= _ROWS:
        return sum(map(bool, own)) <= len(own) / 2 or len(rows) < len(own) - 1
    return len(own) == 1 or not all(map(bool, own)) or not _are_level(cells, region, own)


def _are_level(cells: Lines, region: Region, own: Sequence[Sequence[Line]]) -> bool:
    """Whether each row's own line stands on the baseline of one beside the region."""
    return all(
        any(
            abs(line.base - other.base) < 0.15 * line.size
            for column, cell in enumerate(cells[row])
            if not region.left <= column <= region.right
            for other in cell
            for line in lines
        )
        for row, lines in enumerate(own, region.top)
    )


def _joined(grid: Grid, rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """The cells in groups between whose members no rule is drawn."""
    parent = {(row, column): (row, column) for row in range(rows) for column in range(columns)}

    def root(cell: tuple[int, int]) -> tuple[int, int]:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    beside = [_near(grid.upright, x) for x in grid.xs]
    below = [_near(grid.level, y) for y in grid.ys]
    for row, column in parent:
        y = (grid.ys[row] + grid.ys[row + 1]) // 2
        x = (grid.xs[column] + grid.xs[column + 1]) // 2
        if column + 1 < columns and not _crossed(beside[column + 1], y):
            parent[root((row, column + 1))] = root((row, column))
        if row + 1 < rows and not _crossed(below[row + 1], x):
            parent[root((row + 1, column))] = root((row, column))
    groups: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for cell in parent:
        groups[root(cell)].append(cell)
    return list(groups.values())


def _near(rules: Sequence[Rule], at: int) -> list[Rule]:
    return [rule for rule in rules if abs(rule.at - at) <= _SAME]


def _crossed(rules: Sequence[Rule], across: int) -> bool:
    return any(rule.start <= across <= rule.end for rule in rules)
