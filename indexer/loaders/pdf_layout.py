"""Reading order: which lines of a page form columns, and which stand side by side as rows of a table.

Columns are told from tables by how they are filled: the lines of a column of prose reach most of its
width and hold several words; the cells of a table do not. Lines that cross the gap between two columns
(a title, a wide figure's caption) cut the page into bands. The order in which a file draws its lines is
used where it is the better witness: cells of several lines each, drawn one after the other.
"""

from __future__ import annotations

import re
from statistics import median

from .pdf_beside import side_by_side
from .pdf_page import Line, stand_beside
from .pdf_rows import rows_of

_DEPTH = 3
_MIN_LINES = 3
_LONG_COLUMN = 10
_SIDE = 0.15
_NARROW, _WIDE = 0.6, 1.0
"""Widths of a gutter between columns of many lines, and of a few, whose spaces may stand below each other."""
_LEVEL = 0.7
_INDEXED = 0.5
_ENTRY = re.compile(
    r"(?:[\d.]+\s+)?\D*[^\W\d]{2}.*?[\s.,]\s*(?:\d+|[ivxl]+)(?:\s*[-\u2013,]\s*(?:\d+|[ivxl]+))*$"
)
"""What a printed index or a list of contents says: words, and the pages they stand on."""


def regions(lines: list[Line]) -> list[list[Line]]:
    """``lines`` as regions in reading order; within a region the order is downwards."""
    found: list[list[Line]] = []
    for part in side_by_side(lines):
        found.extend(_cut(part, _DEPTH) if stand_beside(part) else [part] if part else [])
    return found


def _top(line: Line) -> int:
    return line.y0


def _cut(lines: list[Line], depth: int) -> list[list[Line]]:
    if depth == 0 or len(lines) < 2 * _MIN_LINES:
        return [lines]
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    found: list[list[Line]] = []
    for band, wide in _bands(lines, 0.55 * (right - left)):
        columns = None if wide else _columns(band)
        if columns is None:
            _extend(found, band)
            continue
        for column in columns:
            found.extend(_cut(column, depth - 1))
            found.append([])
    return [region for region in found if region]


def _extend(found: list[list[Line]], band: list[Line]) -> None:
    """Add a band that is no columns: to the region above it, if that is none either."""
    if found and found[-1]:
        found[-1].extend(band)
    else:
        found.append(list(band))


def _bands(lines: list[Line], wide: float) -> list[tuple[list[Line], bool]]:
    """Runs of lines, downwards, that are (True) or are not (False) wider than ``wide``."""
    bands: list[tuple[list[Line], bool]] = []
    for line in sorted(lines, key=_top):
        is_wide = line.x1 - line.x0 > wide
        if bands and bands[-1][1] == is_wide:
            bands[-1][0].append(line)
        else:
            bands.append(([line], is_wide))
    return bands


def _columns(band: list[Line]) -> list[list[Line]] | None:
    """``band`` split at its gutter into regions in reading order, or None if it has no columns."""
    if len(band) < 2 * _MIN_LINES:
        return None
    gutter = _gutter(band)
    if gutter is None:
        return None
    left = [line for line in band if line.x1 <= gutter]
    right = [line for line in band if line.x0 >= gutter]
    if len(left) < _MIN_LINES or len(right) < _MIN_LINES or not (_overlap(left, right)):
        return None
    prose = _is_prose(left) and _is_prose(right) and not _is_one_table(left, right)
    if not prose and not _is_drawn_by_side(left, right) and not (_is_index(left) and _is_index(right)):
        return None
    crossing = [line for line in band if line.x0 < gutter < line.x1]
    return _around(_whole_rows(crossing, band), left, right)


def _whole_rows(crossing: list[Line], band: list[Line]) -> list[list[Line]]:
    """The rows of the lines that cross a gutter, with what stands close beside them."""
    rows: list[list[Line]] = []
    for line in crossing:
        if any(line in row for row in rows):
            continue
        row = [line]
        for other in sorted(band, key=lambda other: abs(other.x0 - line.x0)):
            beside = (
                abs(other.base - line.base) < 0.3 * line.size
                and abs(other.size - line.size) < 0.2 * line.size
            )
            near = min(max(other.x0 - part.x1, part.x0 - other.x1) for part in row) < 2.5 * line.size
            if beside and near and other not in row:
                row.append(other)
        rows.append(row)
    return rows


def _around(crossing: list[list[Line]], left: list[Line], right: list[Line]) -> list[list[Line]]:
    """Left then right column, once above, between and below the rows that cross the gutter."""
    found: list[list[Line]] = []
    for row in sorted(crossing, key=lambda row: row[0].y0):
        base = row[0].base
        found.extend(
            [line for line in side if line.base <= base and line not in row] for side in (left, right)
        )
        left = [line for line in left if line.base > base and line not in row]
        right = [line for line in right if line.base > base and line not in row]
        found.append(row)
    return [*found, left, right]


def _gutter(band: list[Line]) -> int | None:
    """The middle of the widest upright strip in the band's middle part that (almost) no line crosses."""
    x0, x1 = min(line.x0 for line in band), max(line.x1 for line in band)
    first, last = x0 + (x1 - x0) * _SIDE, x1 - (x1 - x0) * _SIDE
    allowed, covered = len(band) // 20, 0
    best, begun = (0, 0), x0
    for x, step in sorted([(line.x0, 1) for line in band] + [(line.x1, -1) for line in band]):
        before, covered = covered, covered + step
        if before > allowed >= covered:
            begun = x
        elif covered > allowed >= before and first < begun and x < last:
            best = max(best, (x - begun, begun))
    width, start = best
    least = _NARROW if len(band) >= 2 * _LONG_COLUMN else _WIDE
    return start + width // 2 if width >= least * median(line.size for line in band) else None


def _overlap(left: list[Line], right: list[Line]) -> bool:
    """Whether the two sides stand beside each other for at least a third of the shorter one."""
    tops = max(left[0].y0, right[0].y0), min(left[-1].y1, right[-1].y1)
    shorter = min(left[-1].y1 - left[0].y0, right[-1].y1 - right[0].y0)
    return tops[1] - tops[0] > shorter / 3


def _is_prose(side: list[Line]) -> bool:
    """Whether rows fill their column as prose does: most of its width, with words more than figures."""
    rows = rows_of(side)
    width = max(row.x1 for row in rows) - min(row.x0 for row in rows)
    filled = median(row.x1 - row.x0 for row in rows) > 0.5 * width
    texts = [row.text for row in rows]
    digits = sum(sum(map(str.isdigit, text)) for text in texts)
    return filled and median(map(len, texts)) >= 12 and digits < 0.25 * sum(map(len, texts))


def _is_one_table(left: list[Line], right: list[Line]) -> bool:
    """Whether two sides are the columns of one table: most rows of one hold several cells, which are no
    columns themselves, and stand on the baselines of the other's."""
    one, other = rows_of(left), rows_of(right)
    few, many = sorted((one, other), key=len)
    level = sum(any(abs(row.base - beside.base) < 0.3 * row.size for beside in many) for row in few)
    if level < _LEVEL * len(few):
        return False
    return any(
        2 * sum(len(row.cells) > 1 for row in rows) >= len(rows) and _columns(side) is None
        for rows, side in ((one, left), (other, right))
    )


def _is_drawn_by_side(left: list[Line], right: list[Line]) -> bool:
    """Whether the file draws two long sides of words one after the other, as it does a printed index."""
    if min(len(left), len(right)) < _LONG_COLUMN:
        return False
    if max(line.order for line in left) > min(line.order for line in right):
        return False
    return all(
        sum(sum(map(str.isalpha, line.text)) for line in side) > 4 * len(side) for side in (left, right)
    )


def _is_index(side: list[Line]) -> bool:
    """Whether a long side holds entries of an index or of contents: a picture does not tell in which order
    they were drawn."""
    rows = rows_of(side)
    entries = sum(_ENTRY.match(row.text) is not None for row in rows)
    return len(rows) >= _LONG_COLUMN and entries >= _INDEXED * len(rows)
