"""Headers of tables: how many rows they take, and the titles above each column joined to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..table_rows import OVER
from .pdf_columns import Columns
from .pdf_rows import Cell, Row
from .pdf_rules import Rule

MOST_HEADER_ROWS = 4
_UNTITLED = 3.0


class Title(NamedTuple):
    """A text above the columns ``first`` to ``last``."""

    first: int
    last: int
    text: str


def headings(rows: Sequence[Sequence[Title]], columns: int) -> list[str]:
    """The titles above each column in one text, as in "Limits / max": those above first."""
    joined = [""] * columns
    for row in rows:
        for title in row:
            for column in range(title.first, title.last + 1):
                before = joined[column]
                joined[column] = f"{before}{'' if before.endswith(OVER) or not before else ' '}{title.text}"
                if title.last > title.first:
                    joined[column] += OVER
    return [text.removesuffix(OVER) for text in joined]


def whole_titles(
    rows: Sequence[Row], columns: Columns, rules: Sequence[Sequence[Rule]]
) -> tuple[list[Row], list[Sequence[Rule]]]:
    """A header's ``rows`` with titles of two lines over several columns made one, and the rules below each:
    the second line stands in the middle below the first, and neither has as many titles as a later row."""
    kept: list[Row] = []
    below: list[Sequence[Rule]] = []
    most = max((len(_over(row, columns)) for row in rows), default=0)
    for row, ruled in zip(rows, rules, strict=True):
        sparse = 0 < len(_over(row, columns)) < most
        if kept and sparse and not below[-1] and _goes_on(kept[-1], row, columns, most):
            kept[-1] = _together(kept[-1], row)
            below[-1] = ruled
        else:
            kept.append(row)
            below.append(ruled)
    return kept, below


def _over(row: Row, columns: Columns) -> list[Cell]:
    return [cell for cell in row.cells if columns.index(cell) > 0]


def _goes_on(above: Row, row: Row, columns: Columns, most: int) -> bool:
    first, second = _over(above, columns), _over(row, columns)
    if not 0 < len(first) < most or row.base - above.base > 1.35 * row.size:
        return False
    under = [sum(1 for other in second if _is_under(cell, other, row.size)) for cell in first]
    return max(under) == 1 and 2 * sum(under) >= min(len(first), len(second)) + 1


def _is_under(cell: Cell, other: Cell, size: int) -> bool:
    return abs(cell.x0 + cell.x1 - other.x0 - other.x1) < 2 * size


def _together(above: Row, row: Row) -> Row:
    """Two rows of titles as one: each second line after the first that it stands under."""
    cells = list(above.cells)
    for cell in row.cells:
        at = next((n for n, first in enumerate(cells) if _is_under(first, cell, row.size)), None)
        if at is None:
            cells.append(cell)
        else:
            first = cells[at]
            cells[at] = Cell(min(first.x0, cell.x0), max(first.x1, cell.x1), f"{first.text} {cell.text}")
    return row._replace(cells=tuple(sorted(cells)))


def titles_of(row: Row, below: Sequence[Row], columns: Columns, rules: Sequence[Rule]) -> list[Title]:
    """The cells of a header's row, each with the columns that it stands over.

    Those with rules below them (``rules``) stand over what the rules do. Others stand over more than one only
    where a later row of the header (``below``) has more cells: then over those whose middle is theirs.
    """
    own = [columns.index(cell) for cell in row.cells]
    ruled = [_over_rule(row, own, number, columns, rules) for number in range(len(own))]
    lower = max(([columns.index(cell) for cell in other.cells] for other in below), key=len, default=[])
    if not any(ruled) and _is_sparser(own, lower) and _is_between(row, own, columns):
        ruled = list(_shared_out(row, own, columns))
    return [
        Title(*(reach or (index, index)), cell.text)
        for cell, index, reach in zip(row.cells, own, ruled, strict=True)
    ]


def _over_rule(
    row: Row, own: Sequence[int], number: int, columns: Columns, rules: Sequence[Rule]
) -> tuple[int, int] | None:
    """The columns over the shortest rule below a title, if it is below that one alone; the first column has
    the labels, and goes with no other."""
    titles = [
        (at, (cell.x0 + cell.x1) / 2)
        for at, (cell, index) in enumerate(zip(row.cells, own, strict=True))
        if index
    ]
    for rule in sorted(rules, key=lambda rule: rule.end - rule.start):
        if [at for at, middle in titles if rule.start <= middle <= rule.end] != [number]:
            continue
        under = [
            column
            for column, (x0, x1) in enumerate(columns.sides)
            if column and rule.start <= (x0 + x1) / 2 <= rule.end
        ]
        if under and under[0] <= own[number] <= under[-1]:
            return under[0], under[-1]
    return None


def _is_between(row: Row, own: Sequence[int], columns: Columns) -> bool:
    """Whether a title stands neither in the middle of its column nor at a side of it."""
    near = 0.4 * row.size
    for cell, index in zip(row.cells, own, strict=True):
        x0, x1 = columns.sides[index]
        offsets = cell.x0 - x0, cell.x1 - x1, (cell.x0 + cell.x1 - x0 - x1) / 2
        if index and min(map(abs, offsets)) > near:
            return True
    return False


def _is_sparser(above: Sequence[int], below: Sequence[int]) -> bool:
    """Whether a header's row has fewer titles over the columns after the first than a later one has."""
    upper, lower = {index for index in above if index}, {index for index in below if index}
    return bool(upper) and len(upper) < len(lower)


def _shared_out(row: Row, own: Sequence[int], columns: Columns) -> list[tuple[int, int]]:
    """The columns after the first shared out to the titles of ``row``, in order: as near to the middles of
    them as can be, and evenly; a column may stay without a title, at a price."""
    price = _UNTITLED * row.size
    count = len(columns.sides)
    titles = [number for number, index in enumerate(own) if index > 0]
    uneven, share = 0.5 * row.size, (count - 1) / len(titles)
    best: dict[tuple[int, int], tuple[float, tuple[tuple[int, int], ...]]] = {}

    def cheapest(title: int, first: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        if title == len(titles):
            return price * (count - first), ()
        if first >= count:
            return float("inf"), ()
        if (title, first) not in best:
            cost, rest = cheapest(title, first + 1)
            options = [(cost + price, rest)]
            cell = row.cells[titles[title]]
            for last in range(first, count):
                middle = (columns.sides[first][0] + columns.sides[last][1]) / 2
                cost, rest = cheapest(title + 1, last + 1)
                away = abs((cell.x0 + cell.x1) / 2 - middle) + uneven * abs(last - first + 1 - share)
                options.append((cost + away, ((first, last), *rest)))
            best[title, first] = min(options)
        return best[title, first]

    cost, reaches = cheapest(0, 1)
    if cost == float("inf"):
        return [(index, index) for index in own]
    shared = iter(reaches)
    return [next(shared) if index > 0 else (0, 0) for index in own]
