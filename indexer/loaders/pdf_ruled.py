"""Tables in drawn grids: which lines stand in which cell."""

from __future__ import annotations

from collections.abc import Container, Sequence

from .pdf_filled import Filled
from .pdf_heads import MOST_HEADER_ROWS
from .pdf_merged import Lines, regions_of
from .pdf_page import Box, Line
from .pdf_rules import Grid
from .pdf_table import Table, make_table

_LEAST_ROWS = 3
_LONGEST_CELL = 2000


def take_tables(
    lines: list[Line], sideways: list[tuple[str, Box]], found: Sequence[Grid], words: Container[str]
) -> tuple[list[Line], list[Table], list[tuple[str, Box]]]:
    """``lines`` with those inside a ruled table replaced by one line that stands for it, and the tables.

    And those of the ``sideways`` lines that stand in no table: a narrow column's title may be turned.
    """
    tables: list[Table] = []
    for grid in found:
        inside = [line for line in lines if line.table is None and _holds(grid, line)]
        if len(inside) <= _LEAST_ROWS or _is_only_a_header(grid, lines):
            continue
        turned = [(one, line) for one, line in zip(sideways, map(_turned, sideways), strict=True)]
        turned = [(one, line) for one, line in turned if _holds(grid, line)]
        table = ruled_table(grid, [*inside, *(line for _, line in turned)], words)
        if table is None:
            continue
        taken = {line.order for line in inside}
        lines = [line for line in lines if line.order not in taken or line.table is not None]
        sideways = [one for one in sideways if one not in [used for used, _ in turned]]
        lines.append(_stand_in(grid, inside[0], table, len(tables)))
        tables.append(table)
    return lines, tables, sideways


def _stand_in(grid: Grid, first: Line, table: Table, number: int) -> Line:
    """The line that stands for a table at its place."""
    x0, y0, x1, y1 = grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1]
    return Line(x0, y0, x1, y1, y0 + first.size, first.size, False, False, table.header, first.order, number)


def _turned(one: tuple[str, Box]) -> Line:
    """A line that runs upwards, as a cell takes it."""
    text, (x0, y0, x1, y1) = one
    return Line(x0, y0, x1, y1, y1, x1 - x0, False, False, text, -1)


def _is_only_a_header(grid: Grid, lines: Sequence[Line]) -> bool:
    """Whether a grid of few rows is the shaded header of a table whose other rows are not ruled."""
    if len(grid.ys) > MOST_HEADER_ROWS + 1:
        return False
    bottom = grid.ys[-1]
    bases = [
        line.base
        for line in lines
        if bottom - 20 < line.y0 < bottom + 300 and line.x1 > grid.xs[0] and line.x0 < grid.xs[-1]
    ]
    return len(bases) > 2 and len(set(bases)) < len(bases) - 1


def _holds(grid: Grid, line: Line) -> bool:
    x, y = (line.x0 + line.x1) // 2, (line.y0 + line.y1) // 2
    return grid.xs[0] <= x <= grid.xs[-1] and grid.ys[0] <= y <= grid.ys[-1]


def ruled_table(grid: Grid, lines: Sequence[Line], words: Container[str]) -> Table | None:
    """The table that ``lines`` form in the cells of ``grid``; None if they do not look like one."""
    cells: list[list[list[Line]]] = [[[] for _ in grid.xs[1:]] for _ in grid.ys[1:]]
    for line in lines:
        middle = (line.y0 + line.y1) // 2
        for part in _split(line, grid.sides_within(line.x0, line.x1, middle)):
            cells[grid.row(middle)][grid.column((part.x0 + min(part.x1, part.x0 + 200)) // 2)].append(part)
    regions = regions_of(grid, cells) if _is_filled(cells) else None
    if regions is None:
        return None
    filled = Filled(grid, cells, regions, words)
    rows, columns = filled.rows, filled.columns
    least = 2 if grid.is_drawn else _LEAST_ROWS
    if (
        len(rows) < least
        or len(columns) < 2
        or max(len(cell) for row in rows for cell in row) > _LONGEST_CELL
    ):
        return None
    sides = [(grid.xs[index], grid.xs[index + 1]) for index in columns]
    box = Box(grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])
    stands = sorted((line.y0, line.text) for line in lines)
    return make_table(rows, box, sides, filled.is_told, filled.title, stands)


def _is_filled(cells: Lines) -> bool:
    """Whether enough of the cells that lines stand in rows and columns of hold some: else the grid is a
    frame or a drawing."""
    rows = [[bool(cell) for cell in row] for row in cells if any(row)]
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    return sum(map(sum, columns)) >= 0.4 * len(rows) * len(columns)


def _split(line: Line, sides: Sequence[int]) -> list[Line]:
    """``line`` cut at the upright rules that it crosses, each time at the space nearest to the rule."""
    parts: list[Line] = []
    for side in sides:
        at = _space_near(line.text, (side - line.x0) / max(1, line.x1 - line.x0))
        if at is None:
            continue
        parts.append(line._replace(x1=side, text=line.text[:at]))
        line = line._replace(x0=side, text=line.text[at:])
    return [part for part in (*parts, line) if part.text.strip()]


def _space_near(text: str, share: float) -> int | None:
    spaces = [index for index, character in enumerate(text) if character == " "]
    return min(spaces, key=lambda index: abs(index - share * len(text))) if spaces else None
