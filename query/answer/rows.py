"""The rows of the tables in a passage, each as a line that can be read by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...indexer.table_rows import cells_of, is_rule


def without_tables(text: str) -> str:
    """``text`` without its tables' lines."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("|"))


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row as ``text`` that can be read by itself, and the ``line`` that it stands in."""

    text: str
    line: str


def table_rows(text: str) -> Iterator[ReadRow]:
    """The rows of every table in ``text`` that has a head, as ``group, row: column value; column value``:
    a row with nothing but a name is the group of those below it. Where the text begins within a table, whose
    head stands before it, without the columns' names."""
    table: list[str] = []
    begins = text.lstrip().startswith("|")
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("|"):
            table.append(line.strip())
        elif table:
            yield from _rows(table, begins)
            table, begins = [], False


def _rows(table: Sequence[str], goes_on: bool) -> Iterator[ReadRow]:
    ruled = len(table) > 2 and is_rule(table[1])
    if not ruled and not goes_on:
        return
    head, group = _cells(table[0]) if ruled else [], ""
    for line in table[2:] if ruled else table:
        cells = _cells(line)
        if is_rule(line) or not any(cells):
            continue
        name, values = cells[0], cells[1:]
        if not any(values):
            group = name.rstrip(":：")
            continue
        named = [
            f"{column} {value}".strip()
            for column, value in zip(_padded(head[1:], len(values)), values, strict=True)
            if value
        ]
        over = ", ".join(part for part in (group, name) if part)
        yield ReadRow(f"{over}: {'; '.join(named)}" if over else "; ".join(named), line)


def _padded(columns: Sequence[str], size: int) -> list[str]:
    return [*columns[:size], *[""] * (size - len(columns))]


def _cells(line: str) -> list[str]:
    closed = line if line.endswith("|") else f"{line}|"  # a passage may end within a row
    return [" ".join(cell.split()) for cell in cells_of(closed)]
