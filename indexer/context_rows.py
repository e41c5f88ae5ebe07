"""Rows of a table with the names of their columns, as lines that can be read by themselves."""

from __future__ import annotations

from bisect import bisect_left

from .table_rows import cells_of, is_row, is_rule, named_row
from .types import Block


class NamedRows:
    """A table whose rows can be named: ``text`` is that of the document, ``block`` the table in it."""

    def __init__(self, text: str, block: Block) -> None:
        self._text = text
        self._block = block
        first, _, rest = text[block.start : block.end].partition("\n")
        self._columns = cells_of(first) if is_rule(rest.partition("\n")[0]) else []
        self._groups = self._found_groups() if self._columns else []

    def lines(self, start: int, end: int) -> list[str]:
        """The rows from ``start`` to ``end``, ``column: value; column: value`` each, below the last row above
        them that is a name alone, as such rows head those below. Empty where these are not whole rows of the
        table, or it has no header."""
        block = self._block
        inside = block.start < start and end <= block.end and self._text[start - 1] == "\n"
        rows = self._text[start:end].strip().split("\n")
        cells = [cells_of(row) for row in rows]
        if not inside or any(not is_row(row) for row in rows):
            return []
        if any(len(row) != len(self._columns) for row in cells):
            return []
        index = bisect_left(self._groups, (start, ""))
        above = [self._groups[index - 1][1]] if index and not _heads(cells[0]) else []
        return [*above, *filter(None, (named_row(self._columns, row) for row in cells))]

    def _found_groups(self) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        at = self._block.start
        for line in self._text[at : self._block.end].split("\n"):
            cells = cells_of(line) if is_row(line) else []
            if _heads(cells) and not is_rule(line):
                found.append((at, cells[0]))
            at += len(line) + 1
        return found


def _heads(cells: list[str]) -> bool:
    """Whether a row is but the name of those below it."""
    return len(cells) > 1 and bool(cells[0]) and not any(cells[1:])
