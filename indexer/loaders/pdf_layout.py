"""Reading order: which lines of a page form columns, and which stand side by side as rows of a table.

Columns are told from tables by how they are filled: the lines of a column of prose reach most of its
width and hold several words; the cells of a table do not. Lines that cross the gap between two columns
(a title, a wide figure's caption) cut the page into bands. The order in which a file draws its lines is
used where it is the better witness: cells of several lines each, drawn one after the other.
"""

from __future__ import annotations

from statistics import median

from .pdf_beside import side_by_side
from .pdf_page import Line, stand_beside
from .pdf_rows import rows_of

_DEPTH = 3
_MIN_LINES = 3
_LONG_COLUMN = 10
_BIN = 20


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
    if not (_is_prose(left) and _is_prose(right)) and not _is_drawn_by_side(left, right):
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
    bins = (x1 - x0) // _BIN + 1
    steps = [0] * (bins + 1)
    for line in band:
        steps[(line.x0 - x0) // _BIN] += 1
        steps[(line.x1 - x0) // _BIN + 1] -= 1
    allowed = len(band) // 20
    best, start, covered = (0, 0), None, 0
    for index in range(bins):
        covered += steps[index]
        inside = 0.15 * bins < index < 0.85 * bins
        if covered <= allowed and inside:
            start = index if start is None else start
            best = max(best, (index - start + 1, start))
        else:
            start = None
    width, start = best
    return x0 + (2 * start + width) * _BIN // 2 if width * _BIN >= 0.6 * band[0].size else None


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


def _is_drawn_by_side(left: list[Line], right: list[Line]) -> bool:
    """Whether the file draws two long sides of words one after the other, as it does a printed index."""
    if min(len(left), len(right)) < _LONG_COLUMN:
        return False
    if max(line.order for line in left) > min(line.order for line in right):
        return False
    return all(
        sum(sum(map(str.isalpha, line.text)) for line in side) > 4 * len(side) for side in (left, right)
    )
