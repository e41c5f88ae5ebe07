"""Rows of a table that stand overleaf in too few lines to be one there: told by the columns they stand in.

Two lines never make a table by themselves. After one that ends a page they are its last rows if each of
their cells stands in one of its columns, and every column that all its rows have something in has something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from .pdf_figures import is_figure
from .pdf_flow import Piece
from .pdf_page import Box
from .pdf_places import around
from .pdf_rows import Cell, Row
from .pdf_table import Side, Table, same_cells

_MOST_LINES = 6
_MOST_HEADER_LINES = 3
_LEAST_ROWS = 2
"""Rows of a table, beside its header, that tell what its columns hold."""
_OFF = 0.6
"""How far, by its letters' size, a cell may stand from the side of its column."""

Cells = tuple[str, ...]


class Below(NamedTuple):
    """The ``rows`` that go on with a table, in the first ``pieces`` of a page; ``repeated``: the characters
    of its header that stood above them. ``box`` is where they stand, ``stands`` the height of each line."""

    rows: tuple[Cells, ...]
    pieces: int
    repeated: int
    box: Box
    stands: tuple[tuple[int, str], ...]


def rows_below(table: Table, pieces: Sequence[Piece]) -> Below | None:
    """The last rows of ``table`` with which a page begins; None where its first lines are none, or may be
    something else."""
    held = _Columns(table)
    if len(table.rows) <= _LEAST_ROWS or len(table.sides) < 2:
        return None
    begun = list(takewhile(lambda piece: held.fits(piece), pieces))
    lines = [row for piece in begun for row in piece.rows]
    if not lines or len(lines) > _MOST_LINES:
        return None
    heads = _header_lines(held, lines)
    rows = held.rows(lines[heads:])
    if not rows:
        return None
    repeated = sum(len(row.text) for row in lines[:heads])
    stands = tuple((row.y0, row.text) for row in lines[heads:])
    return Below(tuple(rows), len(begun), repeated, around(lines[heads:]), stands)


def _header_lines(held: _Columns, lines: Sequence[Row]) -> int:
    """How many of the lines are the table's header again."""
    for count in range(1, min(_MOST_HEADER_LINES, len(lines) - 1) + 1):
        merged = held.merged(lines[:count])
        if merged is not None and same_cells(merged, held.header):
            return count
    return 0


class _Columns:
    """A table's columns: where they stand, and what their cells have in common."""

    def __init__(self, table: Table) -> None:
        self.header, body = table.rows[0], table.rows[1:]
        self._sides = table.sides
        self._full = [all(row[at] for row in body) for at in range(len(self.header))]
        self._figures = [all(is_figure(row[at]) for row in body) for at in range(len(self.header))]

    def fits(self, piece: Piece) -> bool:
        """Whether each line of a paragraph is one of cells in these columns."""
        return piece.kind == "text" and bool(piece.rows) and all(map(self._places, piece.rows))

    def merged(self, lines: Sequence[Row]) -> Cells | None:
        """The lines as one row; None where a cell stands in no column, or in several."""
        cells = [""] * len(self._sides)
        for line in lines:
            places = self._places(line)
            if not places:
                return None
            for at, cell in zip(places, line.parts or line.cells, strict=True):
                cells[at] = f"{cells[at]} {cell.text}".strip()
        return tuple(cells)

    def rows(self, lines: Sequence[Row]) -> list[Cells] | None:
        """The rows that lines are, each with what goes on with its cells; None where that is not sure."""
        rows: list[Cells] = []
        for group in self._groups(lines):
            row = self.merged(group)
            if row is None or not self._is_row(row):
                return None
            rows.append(row)
        return rows

    def _groups(self, lines: Sequence[Row]) -> Iterator[list[Row]]:
        group: list[Row] = []
        for line in lines:
            alone = self.merged([line])
            if group and alone is not None and self._is_row(alone):
                yield group
                group = []
            group.append(line)
        if group:
            yield group

    def _is_row(self, row: Cells) -> bool:
        """Whether a row has something in each column that all rows have something in, and in two at least,
        and figures where all have figures."""
        if sum(map(bool, row)) < 2 or not row[0]:
            return False
        return all(
            bool(cell) >= full and (not cell or not figures or is_figure(cell))
            for cell, full, figures in zip(row, self._full, self._figures, strict=True)
        )

    def _places(self, line: Row) -> list[int]:
        """The column of each cell of a line; empty where one stands in none, or two in the same."""
        cells = line.parts or line.cells
        found = [self._place(cell, _OFF * line.size) for cell in cells]
        known = [at for at in found if at is not None]
        return known if len(set(known)) == len(cells) else []

    def _place(self, cell: Cell, off: float) -> int | None:
        """The one column that a cell stands in, or begins, ends or has its middle with."""
        near = [
            at
            for at, (x0, x1) in enumerate(self._sides)
            if min(cell.x1, x1) - max(cell.x0, x0) > 0 or abs(cell.x0 - x0) < off
        ]
        if len(near) != 1:
            return None
        return near[0] if _stands_in(cell, self._sides[near[0]], off) else None


def _stands_in(cell: Cell, side: Side, off: float) -> bool:
    x0, x1 = side
    if x0 - off < cell.x0 and cell.x1 < x1 + off:
        return True
    return min(abs(cell.x0 - x0), abs(cell.x1 - x1), abs(cell.x0 + cell.x1 - x0 - x1) / 2) < off
