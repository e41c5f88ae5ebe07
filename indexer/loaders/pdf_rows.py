"""Lines that stand side by side become rows; a row is split into cells where the gap is wide."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .pdf_page import Line
from .pdf_text import is_ideographic


class Cell(NamedTuple):
    """A part of a row with a wide gap on both sides."""

    x0: int
    x1: int
    text: str


class Row(NamedTuple):
    """The lines of one region that share a baseline, from left to right. ``parts`` are those lines, each a
    cell, where ``cells`` has some of them put together."""

    x0: int
    y0: int
    x1: int
    y1: int
    base: int
    size: int
    mono: bool
    bold: bool
    cells: tuple[Cell, ...]
    table: int | None = None
    parts: tuple[Cell, ...] = ()

    @property
    def text(self) -> str:
        """The cells with two spaces between them."""
        return "  ".join(cell.text for cell in self.cells)


def rows_of(lines: Iterable[Line]) -> list[Row]:
    """The rows of ``lines``, downwards."""
    rows: list[Row] = []
    group: list[Line] = []
    anchor: Line | None = None
    for line in sorted(lines, key=_by_base):
        if anchor is not None and not _beside(anchor, line):
            rows.append(_row(group))
            group, anchor = [], None
        group.append(line)
        if anchor is None or line.size > anchor.size:
            anchor = line
    if group:
        rows.append(_row(group))
    return rows


def _by_base(line: Line) -> tuple[int, int]:
    return line.base, line.x0


def _beside(anchor: Line, line: Line) -> bool:
    """Whether ``line`` stands on the baseline of ``anchor``, or is a small mark raised or lowered at it."""
    if anchor.table is not None or line.table is not None:
        return False
    gap = line.base - anchor.base
    if gap <= 0.4 * line.size or gap <= 0.4 * anchor.size:
        return True
    small, large = sorted((anchor.size, line.size))
    return small <= 0.8 * large and gap <= 0.6 * large


def _row(group: list[Line]) -> Row:
    if len(group) == 1:
        x0, y0, x1, y1, base, size, mono, bold, text, _, table = group[0]
        return Row(x0, y0, x1, y1, base, size, mono, bold, (Cell(x0, x1, text),), table)
    group.sort(key=_by_side)
    main = max(group, key=_width)
    cells: list[Cell] = []
    for line in group:
        if cells and line.x0 - cells[-1].x1 < 1.1 * main.size:
            cells[-1] = Cell(cells[-1].x0, max(cells[-1].x1, line.x1), _beside_text(cells[-1], line))
        else:
            cells.append(Cell(line.x0, line.x1, line.text))
    if len(cells) == 2 and is_marker(cells[0].text) and not cells[1].text[:1].isdigit():
        cells = [Cell(cells[0].x0, cells[1].x1, f"{cells[0].text} {cells[1].text}")]
    return Row(
        group[0].x0,
        min([line.y0 for line in group]),
        max([line.x1 for line in group]),
        max([line.y1 for line in group]),
        main.base,
        main.size,
        all(line.mono for line in (group[1:] if group[0].text.isdigit() else group)),
        all(line.bold for line in group),
        tuple(cells),
        None,
        tuple(Cell(line.x0, line.x1, line.text) for line in group) if len(cells) < len(group) else (),
    )


_MARKER = re.compile(
    r"(?:[\u2022\u2023\u2043\u2219\u25aa\u25ab\u25cf\u25cb\u25e6\u25a0\u25a1\u27a4\u2013\u2014\u00b7*\-+\uf0b7\uf0a7]"
    r"|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:\d+|[A-Z])(?:\.\d+)+\.?)"
)


def is_marker(text: str) -> bool:
    """Whether ``text`` is what stands before a list's item or a heading: a bullet or a number."""
    return _MARKER.fullmatch(text) is not None


def begins_item(text: str) -> bool:
    """Whether ``text`` begins with a bullet or an item's number."""
    match = _MARKER.match(text)
    return match is not None and (match.end() == len(text) or text[match.end()].isspace())


def _by_side(line: Line) -> int:
    return line.x0


def _width(line: Line) -> int:
    return line.x1 - line.x0


def _beside_text(cell: Cell, line: Line) -> str:
    """The text of ``cell`` with ``line`` after it, and a space between them if there is room for one."""
    before, after = cell.text, line.text
    if not after or line.x0 - cell.x1 < 0.12 * line.size:
        return before + after
    if before and is_ideographic(before[-1]) and is_ideographic(after[0]):
        return before + after
    return f"{before} {after}"
