"""What the context of a few rows of a table says of them: the names of their columns, and what is over them.

A long table is cut to rows whose head stands far before them. Their context has its caption, and each row
again as ``column: value; column: value``: the names are read off it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...indexer.table_rows import cells_of, is_row, is_rule


@dataclass(frozen=True, slots=True)
class RowNames:
    """The ``head`` of rows as Markdown, with the columns that any of them has a value in, and what stands
    ``over`` them: the table's caption, and the last title between its rows."""

    head: str
    over: str


def row_names(payload: Mapping[str, Any], title: str) -> RowNames | None:
    """The names of the rows of a stored chunk, of a document of that ``title``; None where its context does
    not name them."""
    lines = str(payload["text"]).strip().split("\n")
    if not all(map(is_row, lines)) or any(map(is_rule, lines)):
        return None
    rows = [cells_of(line) for line in lines]
    rows = [row for row in rows if any(row)]
    context = str(payload.get("context") or "").split("\n")
    if not rows or len(context) < len(rows) or any(len(row) != len(rows[0]) for row in rows):
        return None
    columns = [""] * len(rows[0])
    for said, row in zip(context[-len(rows) :], rows, strict=True):
        named = _named(said, row)
        if named is None:
            return None
        columns = [known or name for known, name in zip(columns, named, strict=True)]
    if not any(columns):
        return None
    way = str((payload.get("section") or [title])[-1])
    above = [line for line in context[: -len(rows)] if line]
    over = ", ".join(above[bool(above) and above[0].endswith(" ".join(way.split())) :])
    written = " | ".join(column.replace("|", "\\|") for column in columns)
    return RowNames(f"| {written} |\n|{' --- |' * len(columns)}", over)


def _named(said: str, row: Sequence[str]) -> list[str] | None:
    """The names of a row's columns, out of what its context says of it; None where it says another row."""
    filled = [at for at, cell in enumerate(row) if cell]
    ends = ["; "] * (len(filled) - 1) + [r"\Z"]
    # A cell is where it first may be, for good: rows with many cells alike would be tried in all ways.
    cells = (f"(?>(?:(.+?): )??{re.escape(row[at])}{end})" for at, end in zip(filled, ends, strict=True))
    found = re.match("".join(cells), said)
    if found is None:
        return None
    names = dict(zip(filled, found.groups(), strict=True))
    return [names.get(at) or "" for at in range(len(row))]
