"""The cells of a grid as rows of text: merged ones filled, the header in one row, tall cells cut to rows."""

from __future__ import annotations

from collections.abc import Container, Sequence

from .pdf_columns import Columns
from .pdf_figures import is_figure
from .pdf_heads import MOST_HEADER_ROWS, Title, headings
from .pdf_merged import Lines, Region, lines_in
from .pdf_page import Line
from .pdf_records import Placed, records
from .pdf_rows import rows_of
from .pdf_rules import Grid
from .pdf_text import join_lines

_LEAST_LINES = 3
_FULL = 0.8


class Filled:
    """What stands in a grid: ``rows`` of the ``columns`` that hold text, the header's first; the ``title``
    that stood over all of them; and whether the header ``is_told`` by more than its place."""

    def __init__(self, grid: Grid, cells: Lines, regions: Sequence[Region], words: Container[str]) -> None:
        self._grid = grid
        self._cells = cells
        self._words = words
        self._last = len(grid.xs) - 2
        self._regions = [region for region in regions if lines_in(cells, region)]
        self._texts = {region: _text(lines_in(cells, region), words) for region in self._regions}
        self._owners = {
            (row, column): region
            for region in self._regions
            for row in range(region.top, region.bottom + 1)
            for column in range(region.left, region.right + 1)
        }
        self._kept = [row for row in range(len(cells)) if any(map(bool, cells[row]))]
        self.columns = [
            column for column in range(self._last + 1) if any(self._is_ink(row, column) for row in self._kept)
        ]
        self.title = ""
        self._heads = self._header_rows()
        self.is_told = bool(self._kept) and self._header_is_told()
        self._take_title()
        self.rows = [self._header(), *self._body()] if self._kept else []

    def _is_ink(self, row: int, column: int) -> bool:
        region = self._owners.get((row, column))
        return region is not None and (region.left == column or bool(self._cells[row][column]))

    def _is_wide(self, region: Region) -> bool:
        """Whether a region goes over all columns."""
        return region.left == 0 and region.right == self._last and self._last > 0

    def _take_title(self) -> None:
        """Keep apart the text of a first row that is one cell over all columns, if the next row is clearly a
        header."""
        first = self._owners.get((self._kept[0], 0)) if self._kept else None
        if first is None or not self._is_wide(first) or len(self._kept) < _LEAST_LINES:
            return
        whole = self._kept, self._heads, self.is_told
        self._kept = [row for row in self._kept if row > first.bottom]
        self._heads = self._header_rows()
        self.is_told = bool(self._kept) and self._header_is_told()
        if self.is_told:
            self.title = self._texts[first]
        else:
            self._kept, self._heads, self.is_told = whole

    def _header_rows(self) -> int:
        """How many of the kept rows are the header: several where a cell of it spans rows or columns."""
        count = 1
        while count < min(len(self._kept) - 1, MOST_HEADER_ROWS):
            held = [region for row in self._kept[:count] for region in self._in_row(row)]
            deep = any(region.bottom >= self._kept[count] for region in held)
            last = self._in_row(self._kept[count - 1])
            spans = self._is_spanned(last, self._kept[count])
            if (
                not (deep or spans)
                or self._has_figures(self._kept[count])
                or self._has_figures(self._kept[0])
            ):
                break
            count += 1
        return count

    def _is_spanned(self, last: Sequence[Region], below: int) -> bool:
        """Whether titles over several columns stand in a row, and what is below all others goes on with them
        or is empty: so the row ``below`` has the titles of single columns."""
        over = [region for region in last if 0 < region.left < region.right]
        split = any(self._is_split(region, below) for region in over)
        single = [region for region in last if 0 < region.left == region.right]
        return split and all(
            region.bottom >= below or not self._cells[below][region.left] for region in single
        )

    def _is_split(self, region: Region, below: int) -> bool:
        """Whether there are several cells below one over several columns."""
        under = self._owners.get((below, region.left))
        return under is not None and under.right < region.right

    def _in_row(self, row: int) -> list[Region]:
        found = (self._owners.get((row, column)) for column in range(self._last + 1))
        return list(dict.fromkeys(region for region in found if region is not None))

    def _has_figures(self, row: int) -> bool:
        return any(is_figure(self._texts[region]) for region in self._in_row(row) if region.left > 0)

    def _header(self) -> list[str]:
        rows = [
            [
                Title(
                    region.left, region.left if self._is_wide(region) else region.right, self._texts[region]
                )
                for region in self._in_row(row)
                if not any(region.top <= above for above in self._kept[:number])
            ]
            for number, row in enumerate(self._kept[: self._heads])
        ]
        written = headings(rows, self._last + 1)
        return [written[column] for column in self.columns]

    def _header_is_told(self) -> bool:
        head = [line for row in self._kept[: self._heads] for cell in self._cells[row] for line in cell]
        below = [line for row in self._kept[self._heads :] for cell in self._cells[row] for line in cell]
        if any(map(self._has_figures, self._kept[: self._heads])):
            return False
        figures = 2 * sum(map(self._has_figures, self._kept[self._heads :])) > len(self._kept) - self._heads
        return figures or (all(line.bold for line in head) and not all(line.bold for line in below))

    def _body(self) -> list[list[str]]:
        rows: list[list[str]] = []
        for row in self._kept[self._heads :]:
            cut = self._cut(row)
            rows.extend(cut if cut is not None else [[self._filled(row, column) for column in self.columns]])
        return rows

    def _filled(self, row: int, column: int) -> str:
        region = self._owners.get((row, column))
        if region is None or (self._is_wide(region) and column != self.columns[0]):
            return ""
        return self._texts[region]

    def _cut(self, row: int) -> list[list[str]] | None:
        """The rows of a tall one between whose lines no rule is drawn: every line has its cells filled."""
        if any(not region.is_single for region in self._in_row(row)):
            return None
        lines: list[Line] = [line for cell in self._cells[row] for line in cell]
        sides = [(self._grid.xs[column], self._grid.xs[column + 1]) for column in self.columns]
        columns = Columns(sides)
        placed: list[Placed] = []
        for one in rows_of(lines):
            parted = one._replace(cells=one.parts or one.cells)
            placed.append(Placed(one, columns.place(columns.regrouped(one, parted))))
        if len(placed) < _LEAST_LINES or not _are_rows([one.cells for one in placed]):
            return None
        return records(placed, [False] * len(placed), self._words)


def _are_rows(lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines are rows each: nearly all with their first cell and most others; figures in a column."""
    columns = [index for index in range(len(lines[0])) if any(line[index] for line in lines)]
    if len(columns) < 2:
        return False
    full = sum(1 for line in lines if line[columns[0]] and sum(map(bool, line)) > 0.6 * len(columns))
    figures = any(
        sum(1 for line in lines if is_figure(line[index])) > _FULL * len(lines) for index in columns
    )
    return full >= _FULL * len(lines) and (
        figures or (len(lines) > 4 and len(columns) > 2 and full == len(lines))
    )


def _text(lines: list[Line], words: Container[str]) -> str:
    text = ""
    for row in rows_of(lines):
        text = join_lines(text, row.text, words)
    return text
