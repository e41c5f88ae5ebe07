"""The rows of a page in columns, as a back-of-book index is set: each with its indent, top to bottom."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ....indexer.loaders.pdf_page import SCALE, Line, read_page

_BIN = SCALE
_GUTTER = 6
_CROSSED = 0.08
_LEFT = 0.15
_SAME_BASELINE = 0.5
_DEEPEST = 5
_GAP = 1.5
_NUMBER = re.compile(r"[\divxlcIVXLC.,;\s–-]+")
_DIGITS = re.compile(r"\d+|\b[ivxlcdm]+\b", re.IGNORECASE)

_Merged = tuple[int, int, int, str]
"""x0, x1, size and text of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a column. ``indent`` is from the column's left edge, ``room`` from the row's end to
    the column's right edge, ``size`` the font's; all in tenths of a point. ``page`` is 1-based."""

    text: str
    indent: int
    room: int
    size: int
    page: int


def page_lines(page: Any) -> list[Line]:
    """The lines of text of a PyMuPDF page, from top to bottom."""
    return sorted(read_page(page, False).lines, key=lambda line: (line.base, line.x0))


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without what only says where one is: a line at the upper or lower edge whose words stand
    there on another page too, or a page number apart from the text."""
    edges = [_edges(lines) for lines in pages]
    said = Counter(word for edge in edges for word in {_words(line) for line in edge})
    return [
        [line for line in lines if not (line in edge and _only_guides(line, lines, said))]
        for lines, edge in zip(pages, edges, strict=True)
    ]


def _only_guides(line: Line, lines: Sequence[Line], said: Counter[str]) -> bool:
    if not _stands_apart(line, lines):
        return False
    words = _words(line)
    return said[words] > 1 if any(map(str.isalpha, words)) else _NUMBER.fullmatch(line.text) is not None


def _edges(lines: Sequence[Line]) -> list[Line]:
    """The lines on the first and the last baseline."""
    if not lines:
        return []
    first, last = lines[0], lines[-1]
    return [line for line in lines if _beside(line, first) or _beside(line, last)]


def _beside(line: Line, other: Line) -> bool:
    return abs(line.base - other.base) <= _SAME_BASELINE * max(line.size, other.size)


def _words(line: Line) -> str:
    return _DIGITS.sub("", line.text).strip().casefold()


def _stands_apart(line: Line, lines: Sequence[Line]) -> bool:
    """Whether the next baseline is further away than baselines mostly are."""
    bases = sorted({other.base for other in lines})
    gaps = [after - before for before, after in pairwise(bases) if after - before > SCALE]
    if not gaps:
        return True
    pitch = statistics.median(gaps)
    others = [abs(base - line.base) for base in bases if abs(base - line.base) > SCALE]
    return min(others) > _GAP * pitch


def rows_of(pages: Mapping[int, Sequence[Line]]) -> list[Row]:
    """The rows of pages, 1-based number -> lines, column by column.

    A column that holds deeper or shorter rows alone has its edges from the pages of the same side.
    """
    columns = {number: [_merged(column) for column in _columns(lines)] for number, lines in pages.items()}
    edges: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for number, found in columns.items():
        for place, column in enumerate(found):
            edge = min(x0 for x0, *_ in column), max(x1 for _, x1, *_ in column)
            edges.setdefault((number % 2, len(found), place), []).append(edge)
    rows: list[Row] = []
    for number, found in columns.items():
        for place, column in enumerate(found):
            rows += _rows(column, edges[number % 2, len(found), place], number)
    return rows


def _rows(column: list[_Merged], edges: list[tuple[int, int]], page: int) -> Iterator[Row]:
    left = min(x0 for x0, *_ in column)
    usual = statistics.mode(edge for edge, _ in edges)
    if 0 < left - usual <= _DEEPEST * column[0][2]:
        left = usual
    right = max(edge for _, edge in edges)
    for x0, x1, size, text in column:
        yield Row(text, x0 - left, right - x1, size, page)


def _columns(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines by column, left to right. What goes across two columns is a heading, and left out; a
    column of nothing but numbers belongs to the one before."""
    if not lines:
        return []
    end = max(line.x1 for line in lines) + 1
    gutters = _gutters(lines)
    real = [
        gutter
        for gutter, following in pairwise([*gutters, end])
        if not _are_numbers([line for line in lines if gutter < line.x0 <= following])
    ]
    bounds = [-1, *real, end]
    columns = [
        [line for line in lines if left < line.x0 and line.x1 <= right] for left, right in pairwise(bounds)
    ]
    return [column for column in columns if column]


def _are_numbers(lines: Sequence[Line]) -> bool:
    return sum(bool(_NUMBER.fullmatch(line.text)) for line in lines) >= 0.8 * len(lines)


def _gutters(lines: Sequence[Line]) -> list[int]:
    """The x before the first row that begins in or after each stretch that (almost) no line crosses."""
    found: list[int] = []
    for start, end in _free_stretches(lines):
        begins = sorted(line.x0 for line in lines if start < line.x0 <= end + _BIN)
        # Columns begin on one edge; a single line in between is the torn-off end of a long row.
        here = next((x0 - 1 for x0, following in pairwise(begins) if following - x0 <= _BIN), None)
        if here is None:
            continue
        last = found[-1] if found else -1
        between = sum(last < line.x0 and line.x1 <= here for line in lines)
        # Where few rows begin further left, it may be the indent of the others.
        if between > _LEFT * len(lines):
            found.append(here)
    return found


def _free_stretches(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Where (almost) no line is, between lines on the left and on the right."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    bins = (right - left) // _BIN + 1
    changes = [0] * (bins + 1)
    for line in lines:
        changes[(line.x0 - left) // _BIN] += 1
        changes[min(bins, (line.x1 - left) // _BIN + 1)] -= 1
    covered, since = 0, None
    for position, change in enumerate(changes[:bins]):
        covered += change
        if covered <= _CROSSED * len(lines):
            since = position if since is None else since
        elif since is not None:
            if position - since >= _GUTTER:
                yield left + since * _BIN, left + (position + 1) * _BIN
            since = None


def _merged(lines: Sequence[Line]) -> list[_Merged]:
    """A column's rows: lines on one baseline are one row."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.base):
        if rows and _beside(line, rows[-1][0]):
            rows[-1].append(line)
        else:
            rows.append([line])
    merged = []
    for row in rows:
        row.sort(key=lambda line: line.x0)
        text = row[0].text
        for before, line in pairwise(row):
            text += ("" if line.x0 - before.x1 < 0.1 * line.size else " ") + line.text
        merged.append((row[0].x0, max(line.x1 for line in row), row[0].size, text))
    return merged
