"""Rows of tables as things that can be counted: "how many relays" is how many rows the table of relays has.

Rows are read off the chunks when a question asks for them, and not kept a second time: so they are of the
same generation as the hits, and who may not read a document sees none of its rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...indexer.models.ports import SparseVector
from ..access import Access
from ..enumeration import Group, Listed
from ..tables import MOST_READ, FoundTable, TableRow, tables_around

if TYPE_CHECKING:
    from ..opened import OpenGeneration

MOST_ROWS = 50
"""Rows of a table that are shown."""
MOST_TABLES = 5
"""Tables that are told of, the likeliest first."""
LIKELY = 300
"""Chunks with the kind's words that are looked at for tables."""


@dataclass(frozen=True, slots=True)
class _Told:
    """Rows of a table that are of the kind: all, where the table says so, or those that do by themselves."""

    table: FoundTable
    rows: Sequence[TableRow]
    by: str


def row_groups(
    opened: OpenGeneration, access: Access, words: SparseVector, says: Callable[[str], bool]
) -> Iterator[Group]:
    """A group a table whose caption, first column's title or section says the kind, or some of whose rows
    do. ``words`` are the kind's, to look for it with."""
    snapshot = opened.snapshot
    found = snapshot.sparse(words, access.where(), access.corpus(), LIKELY)
    places: dict[str, list[int]] = defaultdict(list)
    for each in found:
        if "|" in each.payload["text"]:
            places[each.payload["document"]].append(each.payload["ordinal"])
    told: list[_Told] = []
    for document, ordinals in places.items():
        tables = tables_around(snapshot, document, ordinals, access)
        told += filter(None, (_told(table, says) for table in tables))
    rank = {"caption": 0, "column": 0, "section": 1, "row": 2}
    told.sort(key=lambda one: (rank[one.by], -len(one.rows)))
    for one in told[:MOST_TABLES]:
        yield _group(one, opened, len(told), len(found) >= LIKELY)


def _told(table: FoundTable, says: Callable[[str], bool]) -> _Told | None:
    rows = [row for row in table.rows if _is_record(row)]
    if not rows:
        return None
    if says(table.caption):
        return _Told(table, rows, "caption")
    if table.header and says(table.header[0]):
        return _Told(table, rows, "column")
    section = rows[0].chunk.get("section") or ()
    if section and says(section[-1]):
        return _Told(table, rows, "section")
    own = [row for row in rows if says(row.cells[0])]
    return _Told(table, own, "row") if own else None


def _is_record(row: TableRow) -> bool:
    """Whether a row is one of the table's, and not a title between them."""
    return sum(1 for cell in row.cells if cell) > (1 if len(row.cells) > 1 else 0)


def _group(told: _Told, opened: OpenGeneration, tables: int, more: bool) -> Group:
    first = told.rows[0].chunk
    source = opened.catalogue.documents[first["document"]].source
    pages = sorted({page for row in told.rows for page in _pages(row)})
    items = tuple(
        Listed(row.chunk["id"], _name(row), source, row.chunk["id"]) for row in told.rows[:MOST_ROWS]
    )
    called = told.table.caption or " | ".join(filter(None, told.table.header))
    whole = told.table.is_whole and not told.table.may_go_on
    why = {
        "caption": "rows of the table, whose caption says so",
        "column": "rows of the table, whose first column says so",
        "section": "rows of the table, whose section says so",
        "row": "those rows of the table that say so themselves",
    }[told.by]
    if whole and told.by != "row":
        why = f"all {why}"
    place = (
        f"{source}, p. {pages[0]}" + (f"-{pages[-1]}" if pages[-1] > pages[0] else "") if pages else source
    )
    note = f"{why}: {called or 'without a header'} ({place})"
    if not told.table.is_whole:
        note += f"; not all of it was read: of a document's tables about {MOST_READ:,} rows are"
    if told.table.may_go_on:
        note += "; the next page begins with a line that may be another row of it"
    if told.table.unsure:
        note += f"; without {told.table.unsure:,} that were not read surely enough"
    if tables > MOST_TABLES or more:
        note += f"; {tables:,} tables have such rows" + (", and there may be more" if more else "")
    if len(told.rows) > MOST_ROWS:
        note += f"; the first {MOST_ROWS} are shown"
    complete = whole and not told.table.unsure
    return Group("row", len(told.rows), items, complete, note, called, tuple(pages))


def _name(row: TableRow) -> str:
    """A row's first cells in one line: what it is called, and what is said of it."""
    cells: list[str] = []
    for cell in row.cells:
        if cell and (not cells or cells[-1] != cell):
            cells.append(cell)
    return ": ".join((cells[0], "; ".join(cells[1:]))) if len(cells) > 1 else cells[0]


def _pages(row: TableRow) -> Iterator[int]:
    first: Any = row.chunk.get("first_page")
    if first is not None:
        yield from range(first, row.chunk["last_page"] + 1)
