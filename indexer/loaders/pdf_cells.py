"""Rows of cells as a Markdown table: their columns, signs put to their numbers, the header's rows."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .pdf_places import Strips, around, table_places
from .pdf_rows import Cell, Row
from .pdf_text import join_lines
from .tables import markdown_table

_NUMBER = re.compile(
    r"[(\[$€£¥\s+\u2212\u2013-]*\d[\d.,\s]*[)\]%\s*]*(?:\([a-z]\))?$|[\u2014\u2013-]$|NM$|N/A$"
)
_YEAR = re.compile(r"(?:19|20)\d\d$")
_CURRENCY = frozenset(["$", "€", "£", "¥"])
_CLOSING = frozenset([")", "%", ")%", "%)"])
_BEFORE_SIGN = re.compile(r"(?<=[\d)%M\u2014\u2013-])\s+(?=[$€](?:\s?[\d(.—–-]|$))")
_LEAST_ROWS = 3
_MOST_COLUMNS = 30
MOST_HEADER_ROWS = 4
_LONGEST_MEANING = 32


class Table(NamedTuple):
    """A table: its Markdown, its header's cells in one line, and where its parts stand, downwards."""

    text: str
    header: str
    places: Strips


def aligned_table(rows: Sequence[Row], words: Container[str]) -> Table | None:
    """The table that ``rows`` form, or None if their cells do not stand below each other."""
    signed = [_with_signs(row) for row in rows]
    several = [row for row in signed if len(row.cells) > 1]
    if len(several) < _LEAST_ROWS or 2 * sum(row.mono for row in rows) > len(rows):
        return None
    columns = _Columns(several)
    if not 2 <= len(columns.sides) <= _MOST_COLUMNS or not _is_aligned(several, columns):
        return None
    placed = _placed(signed, columns, words)
    if len(several) < 0.6 * len(placed) or not _is_table(placed, several) or _is_contents(rows, placed):
        return None
    count = _header_rows(placed)
    header = [" ".join(filter(None, column)) for column in zip(*placed[:count], strict=True)]
    header, body = _without_empty_columns(header, placed[count:])
    text = markdown_table([header, *body])
    if not text:
        return None
    return Table(
        text, join_header(header), table_places(text, around(rows), [(row.y0, row.text) for row in rows])
    )


def _placed(rows: Sequence[Row], columns: _Columns, words: Container[str]) -> list[list[str]]:
    """The cells of every row in their columns. A line that only goes on with a cell is put to it."""
    placed: list[list[str]] = []
    for index, row in enumerate(rows):
        cells = columns.place(row)
        column = columns.index(row.cells[0])
        goes_on = index > 0 and row.base - rows[index - 1].base < 1.35 * row.size
        if goes_on and len(row.cells) == 1 and column > 0 and placed[-1][column] and placed[-1][0]:
            placed[-1][column] = join_lines(placed[-1][column], cells[column], words)
        else:
            placed.append(cells)
    return placed


def _without_empty_columns(header: list[str], body: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """A table without the columns that hold a heading at most: that goes to the next column."""
    kept = [index for index in range(len(header)) if any(row[index] for row in body)]
    titles: list[list[str]] = [[] for _ in kept]
    for index, title in enumerate(header):
        at = next((place for place, column in enumerate(kept) if column >= index), len(kept) - 1)
        if title and at >= 0:
            titles[at].append(title)
    return [" ".join(parts) for parts in titles], [[row[index] for index in kept] for row in body]


def _is_contents(rows: Sequence[Row], placed: Sequence[Sequence[str]]) -> bool:
    """Whether rows are those of a table of contents: dots, or growing page numbers at their ends."""
    if 3 * sum(1 for row in rows if ". ." in row.text or "...." in row.text) > len(rows):
        return True
    pages = [int(row[-1]) for row in placed if row[-1].isdigit()]
    growing = sum(1 for before, after in pairwise(pages) if before <= after)
    return len(placed[0]) == 2 and len(pages) > 0.7 * len(placed) and growing > 0.8 * len(pages)


def _is_table(placed: Sequence[Sequence[str]], several: Sequence[Row]) -> bool:
    """Whether cells are those of a table: not a drawing's scattered words, nor terms with definitions."""
    filled = sum(1 for row in placed for cell in row if cell)
    if filled < 0.45 * len(placed) * len(placed[0]):
        return False
    if len(placed[0]) > 2 or (several[0].bold and not several[-1].bold):
        return True
    return sum(len(row[1]) for row in placed) <= _LONGEST_MEANING * len(placed)


def _is_aligned(rows: Sequence[Row], columns: _Columns) -> bool:
    """Whether the cells keep to their columns: few rows have two cells in one."""
    clear = sum(1 for row in rows if len({columns.index(cell) for cell in row.cells}) == len(row.cells))
    return clear >= 0.75 * len(rows)


def _with_signs(row: Row) -> Row:
    """``row`` with a currency sign put to the number after it, and a bracket or % to the one before.

    The number alone says where the cell stands: signs reach into the gaps between columns.
    """
    if len(row.cells) < 2:
        return row
    cells: list[Cell] = []
    for cell in _before_signs(row.cells):
        if cells and (cells[-1].text in _CURRENCY or cell.text in _CLOSING):
            before, sign = cells[-1], cell.text.startswith(")")
            x0, x1 = (cell.x0, cell.x1) if before.text in _CURRENCY else (before.x0, before.x1)
            cells[-1] = Cell(x0, x1, f"{before.text}{'' if sign else ' '}{cell.text}")
        else:
            cells.append(cell)
    return row._replace(cells=tuple(cells))


def _before_signs(cells: Sequence[Cell]) -> Iterator[Cell]:
    """``cells`` cut before a currency sign that follows a number or word closely: it opens a new one."""
    for cell in cells:
        parts = _BEFORE_SIGN.split(cell.text) if "$" in cell.text or "€" in cell.text else [cell.text]
        x0, step = cell.x0, (cell.x1 - cell.x0) / max(1, len(cell.text))
        for number, part in enumerate(parts, 1):
            x1 = cell.x1 if number == len(parts) else int(x0 + step * len(part))
            yield Cell(x0, x1, part)
            x0 = int(x1 + step)


def _header_rows(placed: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the first one that holds figures, and above the label before that."""
    for index, row in enumerate(placed):
        if any(map(_is_figure, row[1:])):
            while index > 1 and not any(placed[index - 1][1:]):
                index -= 1
            return min(max(1, index), MOST_HEADER_ROWS)
    return 1


def join_header(cells: Sequence[str]) -> str:
    """The texts of a header's cells in one line."""
    return " | ".join(cell for cell in cells if cell)


def has_figures(row: Row) -> bool:
    """Whether a cell after the first holds a figure."""
    return any(_is_figure(cell.text) for cell in row.cells[1:])


def _is_figure(text: str) -> bool:
    """Whether ``text`` is a number or stands for one; a year is none."""
    return _NUMBER.match(text) is not None and _YEAR.match(text) is None


class _Columns:
    """The columns of some rows: (start, end) of each, found from the gaps that most rows leave free."""

    def __init__(self, rows: Sequence[Row]) -> None:
        events: list[tuple[int, int]] = []
        for row in rows:
            for cell in row.cells:
                events.append((cell.x0, 1))
                events.append((cell.x1 + 1, -1))
        events.sort()
        allowed = (len(rows) + 4) // 6
        covered, start = 0, None
        self.sides: list[tuple[int, int]] = []
        for x, step in events:
            before, covered = covered, covered + step
            if before <= allowed < covered and start is None:
                start = x
            elif covered <= allowed < before and start is not None:
                self.sides.append((start, x))
                start = None

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
