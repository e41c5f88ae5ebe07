"""Tables in what was cut to chunks: the chunks around a part of one put together, and its rows read off.

Chunks of a document follow one another without a gap, so that their texts joined are its text again: a
table that was cut, or that goes on overleaf, is whole there. Nothing of it is stored twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.table_rows import cells_of, is_row, is_rule

_STEP = 3
_FURTHEST = 96
"""Chunks on either side of a part of a table that are looked at for the rest of it."""
_LONGEST_CAPTION = 300


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row's cells, and the chunk (its payload) that it begins in."""

    cells: tuple[str, ...]
    chunk: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of one document: the cells of its header, the line above it, its rows in order.

    ``is_whole`` is False where its beginning or end was not reached.
    """

    header: tuple[str, ...]
    caption: str
    rows: tuple[TableRow, ...]
    is_whole: bool


def tables_around(snapshot: VectorSnapshot, document: str, ordinals: Sequence[int]) -> Iterator[FoundTable]:
    """The tables of a document that have a part in the chunks ``ordinals``, each once, in order."""
    done = -1
    for ordinal in sorted(ordinals):
        if ordinal <= done:
            continue
        chunks, ends_open = _window(snapshot, document, ordinal)
        for table in _tables(chunks, ends_open):
            places = [row.chunk["ordinal"] for row in table.rows]
            if places[0] > done and places[-1] >= ordinal and any(place in places for place in ordinals):
                yield table
        done = ordinal


def _window(
    snapshot: VectorSnapshot, document: str, ordinal: int
) -> tuple[list[Mapping[str, Any]], tuple[bool, bool]]:
    """The chunks around one, so far that no table crosses their ends; and whether one still does there."""
    before = after = _STEP
    while True:
        where = Filter(
            kinds=("chunk",), documents=[document], ordinals=(max(0, ordinal - before), ordinal + after)
        )
        chunks = sorted((row.payload for row in snapshot.fetch(where)), key=lambda row: row["ordinal"])
        first = chunks[0]["ordinal"] > 0 and _begins_inside(chunks[0]["text"])
        last = chunks[-1]["ordinal"] == ordinal + after and _last_line(chunks[-1]["text"])
        if (not first or before >= _FURTHEST) and (not last or after >= _FURTHEST):
            return chunks, (first, last)
        before, after = before * (2 if first else 1), after * (2 if last else 1)


def _begins_inside(text: str) -> bool:
    """Whether a text begins with a row that is no header's."""
    lines = text.lstrip().split("\n", 2)
    return is_row(lines[0]) and not (len(lines) > 1 and is_rule(lines[1]))


def _last_line(text: str) -> bool:
    """Whether a text ends with a row, so that the table may go on."""
    return is_row(text.rstrip().rsplit("\n", 1)[-1])


def _tables(chunks: Sequence[Mapping[str, Any]], ends_open: tuple[bool, bool]) -> Iterator[FoundTable]:
    """The tables in the joined texts of ``chunks`` that follow one another."""
    lines = list(_lines(chunks))
    index = 0
    while index < len(lines):
        if not is_row(lines[index][0]):
            index += 1
            continue
        start = index
        while index < len(lines) and is_row(lines[index][0]):
            index += 1
        table = _table(lines, start, index)
        if table is not None:
            cut = (start == 0 and ends_open[0]) or (index == len(lines) and ends_open[1])
            yield table if not cut else FoundTable(table.header, table.caption, table.rows, False)


def _lines(chunks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The lines of the joined texts, each with the chunk that it begins in."""
    open_line, begun = "", chunks[0]
    for chunk in chunks:
        first, *others = chunk["text"].split("\n")
        if not open_line:
            begun = chunk
        open_line += first
        for line in others:
            yield open_line, begun
            open_line, begun = line, chunk
    if open_line:
        yield open_line, begun


def _table(lines: Sequence[tuple[str, Mapping[str, Any]]], start: int, end: int) -> FoundTable | None:
    texts = [line for line, _ in lines[start:end]]
    told = len(texts) > 1 and is_rule(texts[1])
    rows = tuple(
        TableRow(tuple(cells_of(line)), chunk)
        for line, chunk in lines[start + 2 * told : end]
        if not is_rule(line)
    )
    header = tuple(cells_of(texts[0])) if told else ()
    above = next((line.strip() for line, _ in reversed(lines[:start]) if line.strip()), "")
    caption = above if len(above) <= _LONGEST_CAPTION else ""
    return FoundTable(header, caption, rows, True) if rows else None
