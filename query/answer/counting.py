"""The answer to 'how many' and 'list all' where no passage says it: what the index itself counts.

Each group becomes one line: what was asked for, how many there are (``≥`` where not all were looked at),
and the first of them, each with a place that names it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..enumeration import Enumeration, Group, Listed
from ..result import cite, page_label
from .evidence import Source
from .passages import Passages, Payload

NAMED = 10
"""Of a group that are named in its line; all that are shown are in the enumeration beside the answer."""

CAPTION = 100
"""Characters of a table's caption in the line of its rows."""


def is_counted(found: Enumeration | None) -> bool:
    """Whether what was asked for is all documents there are: then their number is the answer, and no passage
    knows better."""
    if found is None or found.beside:
        return False
    return all(group.kind == "document" and group.complete for group in found.groups)


def counted(found: Enumeration, passages: Passages) -> Iterator[tuple[str, tuple[Source, ...]]]:
    """A line a group, with the places of those that it names; a group of which none has a place is left
    out. Nothing where the question asks for some of the kind alone: that is not looked at."""
    for group in () if found.beside else found.groups:
        named = group.items[:NAMED]
        sources = _sources(named, passages)
        if sources:
            yield _line(found.asked, group, named), sources


def _line(asked: str, group: Group, named: tuple[Listed, ...]) -> str:
    count = f"{group.count:,}" if group.complete else f"≥ {group.count:,}"
    rest = ", …" if group.count > len(named) else ""
    names = ", ".join(_name(group, item) for item in named)
    return f"{asked}{_kind(group)}: {count}: {names}{rest}"


def _kind(group: Group) -> str:
    """What a group's members are; of rows, whose table they are of, and where that stands."""
    if group.kind == "document":
        return ""
    if group.kind != "row":
        return f" ({group.kind})"
    table = group.table if len(group.table) <= CAPTION else f"{group.table[:CAPTION].rstrip()}…"
    pages = page_label(group.pages, 1)
    return f", in {table.rstrip(' .:') or 'a table'}" + (f" (p. {pages})" if pages else "")


def _name(group: Group, item: Listed) -> str:
    """What an item is called; of a row its first cell, without what is said of it."""
    return item.name.partition(": ")[0] if group.kind == "row" else item.name


def _sources(items: tuple[Listed, ...], passages: Passages) -> tuple[Source, ...]:
    """A passage for each of the items that has one: the one that names it, of a document its first."""
    by_id = passages.named(item.chunk for item in items if item.chunk)
    begun: list[Payload] = [{"document": item.id, "ordinal": 0} for item in items if not item.chunk]
    first = {document: row for (document, number), row in passages.around(begun).items() if number == 0}
    rows = (by_id.get(item.chunk) or first.get(item.id) for item in items)
    return tuple(_source(row, rank, passages) for rank, row in enumerate(rows) if row is not None)


def _source(row: Payload, rank: int, passages: Passages) -> Source:
    return Source(
        text=row["text"],
        citation=cite(row, passages.documents),
        document=passages.documents.get(row["document"]),
        relevance=1.0,
        rank=rank,
        place=(row["document"], row["ordinal"]),
        language=row.get("language"),
    )
