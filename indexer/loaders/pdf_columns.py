"""The columns of rows whose cells stand below each other, and which cell stands in which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .pdf_rows import Cell, Row, is_marker
from .pdf_table import Side
from .pdf_text import is_ideographic

_SHARE = 0.6
_NARROWEST = 0.45


class Columns:
    """The columns of some rows: (start, end) of each, found from the gaps that most rows leave free."""

    def __init__(self, sides: Iterable[Side]) -> None:
        self.sides = list(sides)

    def place(self, row: Row) -> list[str]:
        """The cells of ``row``, each in the column where most of it stands."""
        placed = [""] * len(self.sides)
        for cell in row.cells:
            index = self.index(cell)
            placed[index] = f"{placed[index]} {cell.text}".strip()
        return placed

    def index(self, cell: Cell) -> int:
        """The column that ``cell`` covers most of, or else the nearest one."""
        return max(
            range(len(self.sides)),
            key=lambda index: min(cell.x1, self.sides[index][1]) - max(cell.x0, self.sides[index][0]),
        )

    def regrouped(self, row: Row, fine: Row) -> Row:
        """``row`` with the ``fine`` cells that stand in one column put together."""
        cells: list[Cell] = []
        last = -1
        for cell in fine.cells:
            index = self.index(cell)
            if cells and index == last:
                cells[-1] = _beside(cells[-1], cell, row.size)
            else:
                cells.append(cell)
            last = index
        return row._replace(cells=tuple(cells))


def columns_of(rows: Sequence[Row]) -> Columns:
    """The columns of ``rows``: a few of them may cross the gap between two."""
    events: list[tuple[int, int]] = []
    for row in rows:
        for cell in row.cells:
            events.append((cell.x0, 1))
            events.append((cell.x1 + 1, -1))
    events.sort()
    allowed = (len(rows) + 4) // 6
    covered, start = 0, None
    sides: list[Side] = []
    for x, step in events:
        before, covered = covered, covered + step
        if before <= allowed < covered and start is None:
            start = x
        elif covered <= allowed < before and start is not None:
            sides.append((start, x))
            start = None
    return Columns(sides)


def finer(columns: Columns, fine: Sequence[Row]) -> Columns:
    """``columns``, each cut where the lines that its cells were put together from keep apart in most rows:
    a unit close to its number, say. ``fine`` are the rows with each line a cell."""
    found: list[Side] = []
    for side in columns.sides:
        inside = [
            row._replace(cells=cells)
            for row in fine
            if (cells := tuple(cell for cell in row.cells if _within(cell, side)))
        ]
        found.extend(_cut(side, inside))
    return Columns(found)


def _within(cell: Cell, side: Side) -> bool:
    return 2 * (min(cell.x1, side[1]) - max(cell.x0, side[0])) > cell.x1 - cell.x0


def _cut(side: Side, rows: Sequence[Row]) -> list[Side]:
    several = [row for row in rows if len(row.cells) > 1]
    if len(several) < 2 or len(several) < _SHARE * len(rows):
        return [side]
    parts = columns_of(rows)
    if len(parts.sides) < 2:
        return [side]
    size = rows[0].size
    for left, right in pairwise(parts.sides):
        if right[0] - left[1] < _NARROWEST * size:
            return [side]
    spread = sum(1 for row in rows if len({parts.index(cell) for cell in row.cells}) == len(parts.sides))
    if spread < _SHARE * len(rows) or all(is_marker(row.cells[0].text) for row in several):
        return [side]
    return parts.sides


def _beside(cell: Cell, other: Cell, size: int) -> Cell:
    near = other.x0 - cell.x1 < 0.12 * size
    dense = bool(cell.text and other.text) and is_ideographic(cell.text[-1]) and is_ideographic(other.text[0])
    return Cell(cell.x0, max(cell.x1, other.x1), f"{cell.text}{'' if near or dense else ' '}{other.text}")
