"""Rows of Markdown tables: their cells, and what a header says again for each column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

OVER = " / "
"""Between the title over several columns of a header and that of one of them, as in "Limits / max"."""

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*:?-+:?\s*")


def is_row(line: str) -> bool:
    """Whether a line is a row of a Markdown table."""
    line = line.strip()
    return len(line) > 1 and line[0] == line[-1] == "|"


def is_rule(line: str) -> bool:
    """Whether a row is the one below the header: dashes alone."""
    return is_row(line) and all(map(_RULE.fullmatch, _BAR.split(line.strip()[1:-1])))


def cells_of(line: str) -> list[str]:
    """The cells of a row, as they are to be read."""
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip()[1:-1])]


def named_row(columns: Sequence[str], cells: Sequence[str]) -> str:
    """A row as ``column: value; column: value``, without its empty cells; a name alone as it is."""
    if not any(cells[1:]):
        return cells[0]
    pairs = zip(columns, cells, strict=True)
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in pairs if cell)


def said_again(line: str) -> Iterator[tuple[int, int]]:
    """Where in a row a cell repeats titles over several columns that the cell before it said: the "Limits / "
    of "Limits / max" after "Limits / min"."""
    if line.count(OVER) < 2:
        return
    before: list[str] = []
    bars = [match.start() for match in _BAR.finditer(line)]
    for start, end in pairwise(bars):
        cell = line[start + 1 : end]
        parts = cell.strip().split(OVER)
        same = 0
        while same < min(len(parts), len(before)) - 1 and parts[same] == before[same]:
            same += 1
        if same:
            first = start + 1 + len(cell) - len(cell.lstrip())
            yield first, first + len(OVER.join(parts[:same])) + len(OVER)
        before = parts


def without_repeats(line: str) -> str:
    """A row without what :func:`said_again` finds."""
    kept, at = [], 0
    for start, end in said_again(line):
        kept.append(line[at:start])
        at = end
    return "".join([*kept, line[at:]])
