"""Where a region's rows form a table without rules: rows of several cells that stand below each other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from statistics import median

from .pdf_cells import aligned_table, has_figures
from .pdf_rows import Row
from .pdf_rules import Rule
from .pdf_table import Table

_LEAST_ROWS = 3
_SPLITS = 4


def find_tables(
    rows: Sequence[Row],
    code: Sequence[bool],
    lead: float,
    words: Container[str],
    rules: Sequence[Rule] = (),
) -> Iterator[tuple[int, int, Table]]:
    """The tables (first row, end, table) among a region's rows; ``code`` says which rows are listings,
    ``rules`` where level ones are drawn."""
    free = 0
    for start, end in _candidates(rows, code, lead):
        first = _with_title_rows(rows, free, start, lead)
        last = _with_last_lines(rows, code, end)
        for top, bottom in _stacked(rows, first, last):
            for found in _aligned(rows, top, bottom, words, rules, _SPLITS):
                free = found[1]
                yield found


def _with_title_rows(rows: Sequence[Row], free: int, start: int, lead: float) -> int:
    """The first row of the table at ``start``: lone cells close above its right columns belong to it."""
    while start > free and len(rows[start - 1].cells) == 1:
        above, row = rows[start - 1], rows[start]
        left = min(cell.x1 for cell in row.cells)
        if above.x0 < left or above.table is not None or row.base - above.base > 1.7 * lead:
            break
        start -= 1
    return start


def _with_last_lines(rows: Sequence[Row], code: Sequence[bool], end: int) -> int:
    """The end of the table up to ``end``: lines that go on with a cell of its last row belong to it."""
    sides = [cell.x0 for cell in rows[end - 1].cells[1:]]
    while end < len(rows) and len(rows[end].cells) == 1 and not code[end] and rows[end].table is None:
        row = rows[end]
        if (
            min(abs(row.x0 - side) for side in sides) > 0.6 * row.size
            or row.base - rows[end - 1].base > 1.35 * row.size
        ):
            break
        end += 1
    return end


def _stacked(rows: Sequence[Row], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of rows cut where, after a gap, a new header follows on figures."""
    gaps = [rows[index].base - rows[index - 1].base for index in range(start + 1, end)]
    usual = median(gaps)
    for index in range(start + _LEAST_ROWS, end - _LEAST_ROWS + 1):
        if rows[index].base - rows[index - 1].base < 1.3 * usual or index - start < _LEAST_ROWS:
            continue
        below = next((row for row in rows[index:end] if len(row.cells) > 1), None)
        if below and not has_figures(below) and any(has_figures(row) for row in rows[start:index]):
            yield start, index
            start = index
    yield start, end


def _candidates(rows: Sequence[Row], code: Sequence[bool], lead: float) -> list[tuple[int, int]]:
    """Stretches (start, end) of rows most of which have several cells."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    last = 0
    for index, row in enumerate(rows):
        far = index > 0 and row.base - rows[index - 1].base > 3.2 * max(lead, row.size)
        if start is not None and (far or code[index] or index - last > 3):
            found.append((start, last + 1))
            start = None
        if len(row.cells) > 1 and not code[index]:
            start = index if start is None else start
            last = index
    if start is not None:
        found.append((start, last + 1))
    return [(start, end) for start, end in found if end - start >= _LEAST_ROWS]


def _aligned(
    rows: Sequence[Row],
    start: int,
    end: int,
    words: Container[str],
    rules: Sequence[Rule],
    splits: int,
) -> Iterator[tuple[int, int, Table]]:
    """One table of all the rows, or, where their cells do not align, those above and below the widest gap."""
    table = aligned_table(rows[start:end], words, rules)
    if table is not None:
        yield start, end, table
        return
    if splits == 0 or end - start < 2 * _LEAST_ROWS:
        return
    gaps = [(rows[index].base - rows[index - 1].base, -index) for index in range(start + 1, end)]
    widest, index = max(gaps)
    if widest > 1.3 * median([gap for gap, _ in gaps]):
        yield from _aligned(rows, start, -index, words, rules, splits - 1)
        yield from _aligned(rows, -index, end, words, rules, splits - 1)
