"""Rows of lines become rows of a table: a cell of several lines is one cell."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .pdf_figures import is_figure
from .pdf_rows import Row
from .pdf_text import join_lines

_WIDER = 1.2
_CLOSE = 1.35
_AGREE = 0.9


class Placed(NamedTuple):
    """A row of lines, with the text that it gives to each column."""

    row: Row
    cells: list[str]


def records(placed: Sequence[Placed], apart: Sequence[bool], words: Container[str]) -> list[list[str]]:
    """The table's rows. ``apart`` says before which of the lines a rule is drawn.

    Rules between them part them, where each stretch looks like one row; else gaps that are clearly wider
    than others; else every line is a row, but for those that only go on with the cells above.
    """
    by_rules = list(_stretches(apart))
    if len(by_rules) > 2 and _are_single(placed, by_rules):
        return [_joined(placed[start:end], words) for start, end in by_rules]
    by_gaps = list(_stretches(_wide_gaps(placed)))
    if len(by_gaps) > 1 and _are_single(placed, by_gaps):
        return [_joined(placed[start:end], words) for start, end in by_gaps]
    return _line_by_line(placed, words)


def _stretches(begins: Sequence[bool]) -> Iterator[tuple[int, int]]:
    starts = [0, *(index for index in range(1, len(begins)) if begins[index])]
    yield from pairwise([*starts, len(begins)])


def _wide_gaps(placed: Sequence[Placed]) -> list[bool]:
    """Before which lines the gap is one of the wider ones; none where there are not two widths."""
    gaps = [below.row.base - above.row.base for above, below in pairwise(placed)]
    ordered = sorted(gaps)
    jumps = [(wide / max(1, close), close) for close, wide in pairwise(ordered)]
    ratio, close = max(jumps, default=(1.0, 0))
    if ratio < _WIDER or close > _CLOSE * placed[0].row.size:
        return [False] * len(placed)
    return [False, *(gap > close for gap in gaps)]


def _are_single(placed: Sequence[Placed], stretches: Sequence[tuple[int, int]]) -> bool:
    """Whether stretches look like one row each: no two figures below each other, and nearly all with a label,
    and nothing where their first lines are empty."""
    groups = [[one.cells for one in placed[start:end]] for start, end in stretches]
    several = [lines for lines in groups if len(lines) > 1]
    if not several or any(map(_has_figures_below_figures, several)):
        return False
    return sum(map(_is_single, several)) >= len(several) - (1 - _AGREE) * len(groups)


def _has_figures_below_figures(lines: Sequence[Sequence[str]]) -> bool:
    return any(
        sum(1 for cell in column if cell and is_figure(cell)) > 1 for column in zip(*lines, strict=True)
    )


def _is_single(lines: Sequence[Sequence[str]]) -> bool:
    filled = [sum(1 for cell in line if cell) for line in lines]
    return bool(lines[0][0]) and filled[0] == max(filled) and any(map(_is_partial, lines[1:]))


def _is_partial(line: Sequence[str]) -> bool:
    return not all(line)


def _joined(lines: Sequence[Placed], words: Container[str]) -> list[str]:
    texts = list(lines[0].cells)
    for line in lines[1:]:
        texts = [join_lines(text, more, words) for text, more in zip(texts, line.cells, strict=True)]
    return texts


def _line_by_line(placed: Sequence[Placed], words: Container[str]) -> list[list[str]]:
    """A row a line; one whose first column is empty goes on with the row above where it is close and holds no
    figure, and there is something to go on with."""
    rows: list[list[str]] = []
    for index, (row, cells) in enumerate(placed):
        close = index > 0 and row.base - placed[index - 1].row.base < _CLOSE * row.size
        goes_on = close and not cells[0] and bool(rows[-1][0]) and _fits_below(rows[-1], cells)
        if goes_on:
            rows[-1] = [join_lines(text, more, words) for text, more in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows


def _fits_below(above: Sequence[str], cells: Sequence[str]) -> bool:
    filled = [index for index, cell in enumerate(cells) if cell]
    if len(filled) > 1 and any(is_figure(cells[index]) for index in filled):
        return False
    return all(above[index] for index in filled)
