"""Tables in what was cut to chunks: the chunks around a part of one put together, and its rows read off.

Chunks of a document follow one another without a gap, so that their texts joined are its text again: a
table that was cut, or that goes on overleaf, is whole there. Nothing of it is stored twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.table_rows import cells_of, is_row, is_rule
from .access import Access
from .chunk_parts import own_parts, page_at

MOST_READ = 20_000
"""About how many rows of one document's tables are read; what lies further is not walked to."""
_STEP = 3
"""Chunks on either side of a part of a table that are looked at for the rest of it."""
_WIDEST = 192
"""Chunks that are fetched at once where it goes on."""
_LONGEST_CAPTION = 300
_CELLS = re.compile(r"\S {2,}\S")
"""Between two cells of a line that is read as text."""
_HEADING = re.compile(r"^#{1,6}\s+")

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row's cells, and the chunk (its payload) that it begins in."""

    cells: tuple[str, ...]
    chunk: Payload


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of one document: the cells of its header, the line above it, its rows in order.

    ``is_whole`` is False where its beginning or end was not reached. ``may_go_on`` says that it ends a page
    and the next one begins with a line of cells, which may be its last row. ``unsure`` counts the rows that
    are left out because they were not read surely enough; nor are a header and a caption told that were not.
    """

    header: tuple[str, ...]
    caption: str
    rows: tuple[TableRow, ...]
    is_whole: bool
    unsure: int = 0
    may_go_on: bool = False


def tables_around(
    snapshot: VectorSnapshot, document: str, ordinals: Sequence[int], access: Access
) -> Iterator[FoundTable]:
    """The tables of a document that have a part in the chunks ``ordinals``, each once, in order. What they
    have of chunks that are not sure enough for ``access`` is left out of them.

    Once ``MOST_READ`` rows are read, only tables that begin near one of the chunks are told of.
    """

    def read(first: int, last: int) -> list[Payload]:
        where = Filter(kinds=("chunk",), documents=[document], ordinals=(max(0, first), last))
        return sorted((row.payload for row in snapshot.fetch(where)), key=_ordinal)

    wanted, done, left = set(ordinals), -1, MOST_READ
    for ordinal in sorted(wanted):
        if ordinal <= done:
            continue
        chunks = _window(read, ordinal, left)
        starts_open = _begins_inside(chunks[0])
        last = _ordinal(chunks[-1])
        ends_open = _ends_inside(chunks[-1]) and bool(read(last + 1, last + 1))
        for start, table in _tables(list(_lines(chunks, access)), (starts_open, ends_open)):
            is_rest = left <= 0 and starts_open and start == 0  # of a table too long to be walked
            places = [_ordinal(row.chunk) for row in table.rows]
            if not is_rest and places[0] > done and not wanted.isdisjoint(places):
                yield table
        left -= _count(chunks)
        done = last


def _window(read: Callable[[int, int], list[Payload]], ordinal: int, most: int) -> list[Payload]:
    """The chunks around one, so far that no table crosses their ends, or until they have ``most`` rows; each
    fetched once. Backwards first, for a table without its header says little."""
    chunks = read(ordinal - _STEP, ordinal + _STEP)
    step = _STEP
    while _begins_inside(chunks[0]) and _count(chunks) < most:
        step, first = min(2 * step, _WIDEST), _ordinal(chunks[0])
        more = read(first - step, first - 1)
        if not more:
            break
        chunks = more + chunks
    step = _STEP
    while _ends_inside(chunks[-1]) and _count(chunks) < most:
        step, last = min(2 * step, _WIDEST), _ordinal(chunks[-1])
        more = read(last + 1, last + step)
        if not more:
            break
        chunks += more
    return chunks


def _ordinal(chunk: Payload) -> int:
    return int(chunk["ordinal"])


def _count(chunks: Sequence[Payload]) -> int:
    """About how many rows there are, at least one a chunk."""
    return sum(1 + chunk["text"].count("|\n") for chunk in chunks)


def _begins_inside(chunk: Payload) -> bool:
    """Whether a chunk begins with a row that is no header's."""
    lines = chunk["text"].lstrip().split("\n", 2)
    return _ordinal(chunk) > 0 and is_row(lines[0]) and not (len(lines) > 1 and is_rule(lines[1]))


def _ends_inside(chunk: Payload) -> bool:
    """Whether a chunk ends with a row, so that the table may go on."""
    return is_row(chunk["text"].rstrip().rsplit("\n", 1)[-1])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, the chunk that it begins in, and whether all chunks that it is of are sure enough. ``page`` is
    that which it begins on, None where that is not known."""

    text: str
    chunk: Payload
    sure: bool
    page: int | None = None


def _tables(lines: Sequence[_Line], ends_open: tuple[bool, bool]) -> Iterator[tuple[int, FoundTable]]:
    """The tables in lines that follow one another, each with the number of its first."""
    index = 0
    while index < len(lines):
        if not is_row(lines[index].text):
            index += 1
            continue
        start = index
        while index < len(lines) and is_row(lines[index].text):
            index += 1
        cut = (start == 0 and ends_open[0]) or (index == len(lines) and ends_open[1])
        table = _table(lines, start, index, not cut)
        if table is not None:
            yield start, table


def _lines(chunks: Sequence[Payload], access: Access) -> Iterator[_Line]:
    """The lines of the joined texts."""
    open_line, begun, sure, page = "", chunks[0], True, None
    for chunk in chunks:
        first, *others = chunk["text"].split("\n")
        parts, at = own_parts(chunk), 0
        if not open_line:
            begun, sure, page = chunk, True, page_at(parts, at)
        open_line += first
        chunk_sure = access.is_sure(chunk)
        sure = sure and (chunk_sure or not first)
        at = len(first) + 1
        for line in others:
            yield _Line(open_line, begun, sure, page)
            open_line, begun, sure, page = line, chunk, chunk_sure, page_at(parts, at)
            at += len(line) + 1
    if open_line:
        yield _Line(open_line, begun, sure, page)


def _table(lines: Sequence[_Line], start: int, end: int, is_whole: bool) -> FoundTable | None:
    told = end - start > 1 and is_rule(lines[start + 1].text)
    records = [line for line in lines[start + 2 * told : end] if not is_rule(line.text)]
    rows = tuple(TableRow(tuple(cells_of(line.text)), line.chunk) for line in records if line.sure)
    header = tuple(cells_of(lines[start].text)) if told and lines[start].sure else ()
    above = next((line for line in reversed(lines[:start]) if line.text.strip()), None)
    caption = _HEADING.sub("", above.text.strip()) if above is not None and above.sure else ""
    if len(caption) > _LONGEST_CAPTION or is_row(caption):
        caption = ""
    below = next((line for line in lines[end:] if line.text.strip()), None)
    may_go_on = below is not None and _may_be_rest(lines[end - 1], below)
    return FoundTable(header, caption, rows, is_whole, len(records) - len(rows), may_go_on) if rows else None


def _may_be_rest(last: _Line, below: _Line) -> bool:
    """Whether the line below a table's ``last`` may be a row of it: one of several cells, overleaf."""
    overleaf = last.page is not None and below.page is not None and below.page > last.page
    return overleaf and _CELLS.search(below.text.strip()) is not None
