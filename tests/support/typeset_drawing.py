"""Draws tables on PDF pages: cells with wrapped text, merged or not, and the rules that a style asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pymupdf

Style = Literal["ruled", "columns", "rows", "book", "shaded", "none"]
"""All rules; those between columns and around; below each row; three as in books; filled boxes; none."""

_PAD = 4.0
_LEAD = 1.25


@dataclass(frozen=True)
class Cell:
    """A cell at (row, column), over ``down`` rows and ``across`` columns. ``align`` is l, c or r; a ``mark``
    is set small and raised after the text; ``turned`` text runs upwards."""

    row: int
    column: int
    text: str
    align: str = "l"
    down: int = 1
    across: int = 1
    mark: str = ""
    turned: bool = False


@dataclass(frozen=True)
class Table:
    """Cells in columns of ``widths``; the first ``heads`` rows are the header. ``ruled_heads`` draws a rule
    below the header cells that span columns."""

    cells: tuple[Cell, ...]
    widths: tuple[float, ...]
    heads: int = 1
    style: Style = "ruled"
    ruled_heads: bool = False
    size: float = 9.0
    font: str = "helv"
    bold_heads: bool = True
    groups: frozenset[int] = frozenset()

    @property
    def rows(self) -> int:
        return max(cell.row + cell.down for cell in self.cells)

    def grid(self) -> list[list[str]]:
        """The table as a reader should give it: its header in one row, merged cells filled."""
        owner = {
            (row, column): cell
            for cell in self.cells
            for row in range(cell.row, cell.row + cell.down)
            for column in range(cell.column, cell.column + cell.across)
        }
        columns = range(len(self.widths))
        header = [
            self._heading([owner[row, c] for row in range(self.heads) if (row, c) in owner]) for c in columns
        ]
        body = [
            [self._filled(owner.get((row, c)), c) for c in columns] for row in range(self.heads, self.rows)
        ]
        return [header, *body]

    def _heading(self, above: Sequence[Cell]) -> str:
        text = ""
        for cell in dict.fromkeys(above):
            if cell.text:
                text += " ".join(cell.text.split()) + (" / " if cell.across > 1 else " ")
        return text.removesuffix(" / ").strip()

    def _filled(self, cell: Cell | None, column: int) -> str:
        if cell is None or (cell.across == len(self.widths) and column > 0):
            return ""
        return cell.text + cell.mark

    def part(self, first: int, last: int, header: bool) -> Table:
        """The body rows ``first`` to ``last`` (from 0 after the header), with or without it."""
        heads = self.heads if header else 0
        kept = [cell for cell in self.cells if header and cell.row < self.heads]
        for cell in self.cells:
            row = cell.row - self.heads
            if row >= 0 and first <= row < last:
                kept.append(replace(cell, row=row - first + heads))
        return replace(self, cells=tuple(kept), heads=heads)


def wrapped(text: str, width: float, font: str, size: float) -> list[str]:
    """``text`` in lines no wider than ``width``; text without spaces is cut where it is full."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        parts = list(paragraph) if font.startswith(("china", "japan", "korea")) else paragraph.split(" ")
        glue = "" if len(parts) == len(paragraph) else " "
        for part in parts:
            longer = f"{line}{glue}{part}" if line else part
            if line and pymupdf.get_text_length(longer, fontname=font, fontsize=size) > width:
                lines.append(line)
                line = part
            else:
                line = longer
        lines.append(line)
    return lines


def draw_table(page: pymupdf.Page, table: Table, left: float, top: float) -> float:
    """Draw ``table`` with its left upper corner there; the height of its bottom."""
    xs = [left]
    for width in table.widths:
        xs.append(xs[-1] + width)
    ys = _heights(table, xs, top)
    _rules(page, table, xs, ys)
    for cell in table.cells:
        _write(page, table, cell, xs, ys)
    return ys[-1]


def _font(table: Table, cell: Cell) -> str:
    bold = table.bold_heads and cell.row < table.heads and table.font == "helv"
    return "hebo" if bold else table.font


def _lines(table: Table, cell: Cell, xs: Sequence[float]) -> list[str]:
    width = xs[cell.column + cell.across] - xs[cell.column] - 2 * _PAD
    return wrapped(cell.text, width, _font(table, cell), table.size)


def _heights(table: Table, xs: Sequence[float], top: float) -> list[float]:
    lead = _LEAD * table.size
    pad = 2 * _PAD if table.style in ("ruled", "rows", "shaded") else 0.6 * _PAD
    heights = [0.0] * table.rows
    for cell in sorted(table.cells, key=lambda cell: cell.down):
        if cell.turned:
            need = pymupdf.get_text_length(cell.text, fontname=_font(table, cell), fontsize=table.size) + pad
        else:
            need = lead * len(_lines(table, cell, xs)) + pad
        held = sum(heights[cell.row : cell.row + cell.down])
        heights[cell.row + cell.down - 1] += max(0.0, need - held)
    ys = [top]
    for number, height in enumerate(heights):
        ys.append(ys[-1] + height + (3.0 if number + 1 in table.groups else 0.0))
    return ys


def _write(page: pymupdf.Page, table: Table, cell: Cell, xs: Sequence[float], ys: Sequence[float]) -> None:
    font, size = _font(table, cell), table.size
    x0, x1 = xs[cell.column] + _PAD, xs[cell.column + cell.across] - _PAD
    y0, y1 = ys[cell.row], ys[cell.row + cell.down]
    if cell.turned:
        page.insert_text(
            ((x0 + x1 + size) / 2, y1 - _PAD), cell.text, fontsize=size, fontname=font, rotate=90
        )
        return
    lines = _lines(table, cell, xs)
    pad = _PAD if table.style in ("ruled", "rows", "shaded") else 0.3 * _PAD
    middle = (y1 - y0 - _LEAD * size * len(lines)) / 2 if cell.down > 1 else pad
    for number, line in enumerate(lines):
        length = pymupdf.get_text_length(line, fontname=font, fontsize=size)
        x = {"l": x0, "c": (x0 + x1 - length) / 2, "r": x1 - length}[cell.align]
        y = y0 + middle + size * 0.95 + number * _LEAD * size
        page.insert_text((x, y), line, fontsize=size, fontname=font)
        if cell.mark and number == len(lines) - 1:
            page.insert_text((x + length, y - 0.35 * size), cell.mark, fontsize=0.65 * size, fontname=font)


def _rules(page: pymupdf.Page, table: Table, xs: Sequence[float], ys: Sequence[float]) -> None:
    style, ends = table.style, (xs[0], xs[-1])
    if style == "ruled":
        for cell in table.cells:
            page.draw_rect(
                (xs[cell.column], ys[cell.row], xs[cell.column + cell.across], ys[cell.row + cell.down]),
                width=0.6,
            )
    elif style == "columns":
        for y in (ys[0], ys[table.heads], ys[-1]):
            page.draw_line((ends[0], y), (ends[1], y))
        for x in xs:
            page.draw_line((x, ys[0]), (x, ys[-1]))
    elif style == "rows":
        for y in (ys[0], *ys[table.heads :]):
            page.draw_line((ends[0], y), (ends[1], y), width=0.5)
    elif style == "book":
        heights = {ys[0], ys[table.heads], ys[-1], *(ys[row] - 1.5 for row in table.groups)}
        for y in sorted(heights):
            page.draw_line((ends[0], y), (ends[1], y), width=0.7)
    elif style == "shaded":
        for row in range(table.rows):
            if row < table.heads or (row - table.heads) % 2:
                page.draw_rect((*ends[:1], ys[row], ends[1], ys[row + 1]), fill=(0.9, 0.9, 0.9), width=0)
    if table.ruled_heads:
        for cell in table.cells:
            if cell.row < table.heads - 1 and cell.across > 1:
                y = ys[cell.row + 1]
                page.draw_line((xs[cell.column] + 3, y), (xs[cell.column + cell.across] - 3, y), width=0.5)
