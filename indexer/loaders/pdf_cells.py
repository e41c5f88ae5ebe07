"""Rows of cells as a Markdown table: their columns, signs put to their numbers, the header's rows."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from .pdf_columns import Columns, columns_of, finer
from .pdf_figures import is_figure
from .pdf_heads import MOST_HEADER_ROWS, headings, titles_of, whole_titles
from .pdf_page import Box
from .pdf_records import Placed, records
from .pdf_rows import Cell, Row
from .pdf_rules import Rule
from .pdf_table import Table, make_table

_CURRENCY = frozenset(["$", "€", "£", "¥"])
_CLOSING = frozenset([")", "%", ")%", "%)"])
_BEFORE_SIGN = re.compile(r"(?<=[\d)%M\u2014\u2013-])\s+(?=[$€](?:\s?[\d(.—–-]|$))")
_LEAST_ROWS = 3
_MOST_COLUMNS = 30
_LONGEST_MEANING = 32
_WHOLE = 0.8
_DEEPEST = 7


def aligned_table(rows: Sequence[Row], words: Container[str], rules: Sequence[Rule] = ()) -> Table | None:
    """The table that ``rows`` form, or None if their cells do not stand below each other. ``rules`` are the
    level ones on the page."""
    signed = [_with_signs(row) for row in rows]
    several = [row for row in signed if len(row.cells) > 1]
    if len(several) < _LEAST_ROWS or 2 * sum(row.mono for row in rows) > len(rows):
        return None
    columns = columns_of(several)
    if not 2 <= len(columns.sides) <= _MOST_COLUMNS or not _is_aligned(several, columns):
        return None
    fine = [_with_signs(row._replace(cells=row.parts or row.cells)) for row in rows]
    cut = finer(columns, fine)
    if len(columns.sides) < len(cut.sides) <= _MOST_COLUMNS:
        columns = cut
        signed = [columns.regrouped(row, parts) for row, parts in zip(signed, fine, strict=True)]
    placed = [Placed(row, columns.place(row)) for row in signed]
    whole, partly = _between(signed, columns, rules)
    count = _header_rows(placed, whole)
    heads, below = whole_titles(signed[:count], columns, partly[:count])
    titles = [titles_of(row, heads[at + 1 :], columns, below[at]) for at, row in enumerate(heads)]
    body = records(placed[count:], whole[count:], words)
    if len(several) < 0.6 * len(signed) and len(body) == len(signed) - count:
        return None
    plain = [*(one.cells for one in placed[:count]), *body]
    if not _is_table(plain, several) or _is_contents(rows, plain):
        return None
    header, body, kept = _without_empty_columns(headings(titles, len(columns.sides)), body)
    sides = [columns.sides[index] for index in kept]
    stands = ((row.y0, row.text) for row in rows)
    told = _is_told(placed, count, whole)
    return make_table([header, *body], _around(rows), sides, told, stands=stands)


def _without_empty_columns(
    header: list[str], body: list[list[str]]
) -> tuple[list[str], list[list[str]], list[int]]:
    """A table without the columns that hold a heading at most (it goes to the next one), and which stay."""
    kept = [index for index in range(len(header)) if any(row[index] for row in body)]
    titles: list[list[str]] = [[] for _ in kept]
    for index, title in enumerate(header):
        at = next((place for place, column in enumerate(kept) if column >= index), len(kept) - 1)
        if title and at >= 0 and title not in titles[at] and (index in kept or title not in header[kept[at]]):
            titles[at].append(title)
    return [" ".join(parts) for parts in titles], [[row[index] for index in kept] for row in body], kept


def _around(rows: Sequence[Row]) -> Box:
    return Box(min(row.x0 for row in rows), rows[0].y0, max(row.x1 for row in rows), rows[-1].y1)


def _between(
    rows: Sequence[Row], columns: Columns, rules: Sequence[Rule]
) -> tuple[list[bool], list[list[Rule]]]:
    """Before which rows a rule over (almost) all columns is drawn, and the shorter ones below each row."""
    left, right = columns.sides[0][0], columns.sides[-1][1]
    whole, partly = [False] * len(rows), [[] for _ in rows]  # type: tuple[list[bool], list[list[Rule]]]
    for rule in rules:
        shared = min(rule.end, right) - max(rule.start, left)
        if shared <= 0:
            continue
        for index in range(1, len(rows)):
            if rows[index - 1].base <= rule.at + 5 and rule.at < rows[index].base - 0.3 * rows[index].size:
                break
        else:
            continue
        if shared > _WHOLE * (right - left):
            whole[index] = True
        else:
            partly[index - 1].append(rule)
    return whole, partly


def _header_rows(placed: Sequence[Placed], whole: Sequence[bool]) -> int:
    """How many rows are the header: those above its rule, or above the first that holds figures and the
    label before that, or those in bold. A rule that rows without a label follow is inside the header."""
    figures = next((index for index, one in enumerate(placed) if any(map(is_figure, one.cells[1:]))), None)
    ruled = [index for index in range(1, min(len(placed), _DEEPEST + 1)) if whole[index]]
    if figures is None:
        bold = next((index for index, one in enumerate(placed) if not one.row.bold), 0)
        return ruled[0] if ruled else min(max(1, bold), MOST_HEADER_ROWS)
    last = figures
    while last > 1 and not any(placed[last - 1].cells[1:]):
        last -= 1
    above = [index for index in ruled if index <= last] or [index for index in ruled[:1] if index <= figures]
    if not above:
        return min(max(1, last), MOST_HEADER_ROWS)
    return min(last, _DEEPEST) if above[-1] < last and not placed[above[-1]].cells[0] else above[-1]


def _is_told(placed: Sequence[Placed], count: int, whole: Sequence[bool]) -> bool:
    """Whether more than its place says that the first rows are a header: letters, a rule, no figures."""
    if any(map(is_figure, [cell for one in placed[:count] for cell in one.cells[1:]])):
        return False
    bold = all(one.row.bold for one in placed[:count]) and not placed[-1].row.bold
    below = sum(1 for one in placed[count:] if any(map(is_figure, one.cells[1:])))
    return bold or 2 * below > len(placed) - count


def _is_contents(rows: Sequence[Row], placed: Sequence[Sequence[str]]) -> bool:
    """Whether rows are those of a table of contents: dots, or growing page numbers at their ends."""
    if 3 * sum(1 for row in rows if ". ." in row.text or "...." in row.text) > len(rows):
        return True
    pages = [int(row[-1]) for row in placed if row[-1].isdigit()]
    growing = sum(1 for before, after in pairwise(pages) if before <= after)
    return len(placed[0]) <= 3 and len(pages) > 0.7 * len(placed) and growing > 0.8 * len(pages)


def _is_table(placed: Sequence[Sequence[str]], several: Sequence[Row]) -> bool:
    """Whether cells are those of a table: not a drawing's scattered words, nor terms with definitions."""
    filled = sum(1 for row in placed for cell in row if cell)
    if filled < 0.45 * len(placed) * len(placed[0]):
        return False
    if len(placed[0]) > 2 or (several[0].bold and not several[-1].bold):
        return True
    return sum(len(row[1]) for row in placed) <= _LONGEST_MEANING * len(placed)


def _is_aligned(rows: Sequence[Row], columns: Columns) -> bool:
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


def has_figures(row: Row) -> bool:
    """Whether a cell after the first holds a figure."""
    return any(is_figure(cell.text) for cell in row.cells[1:])
