"""Where on its page a stretch of text stands: one rectangle a paragraph, several down a long one."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .pdf_page import Box

if TYPE_CHECKING:
    from .pdf_rows import Row

Strips = tuple[tuple[int, Box], ...]
"""Offsets in a text, growing from 0, each with where the text stands from there to the next one."""

_STRIP = 200
"""Characters that share a rectangle at least: a chunk is some four times as long."""

_NEAR_ROWS = 40
"""How far the next row of a table is looked for."""


def around(rows: Sequence[Row]) -> Box:
    """The rectangle around ``rows``."""
    if len(rows) == 1:
        return Box(*rows[0][:4])
    x0s, y0s, x1s, y1s = zip(*[row[:4] for row in rows], strict=True)
    return Box(min(x0s), min(y0s), max(x1s), max(y1s))


def places_of(rows: Sequence[Row], offsets: Sequence[int], length: int) -> Strips:
    """Where a text of ``length`` characters stands whose rows begin at ``offsets``: its rows in strips of at
    least 200 characters."""
    if length < 2 * _STRIP:
        return ((0, around(rows)),)
    places: list[tuple[int, Box]] = []
    start = 0
    for index in range(1, len(rows)):
        if offsets[index] - offsets[start] >= _STRIP and length - offsets[index] >= _STRIP:
            places.append((offsets[start], around(rows[start:index])))
            start = index
    places.append((offsets[start], around(rows[start:])))
    return tuple(places)


def table_places(text: str, box: Box, stands: Sequence[tuple[int, str]]) -> Strips:
    """Where the rows of a Markdown table in ``box`` stand, in strips of at least 200 characters.

    ``stands`` are the heights and texts on the page that its cells were made of, downwards. A row begins
    where one begins with the row's first word; one that is not found so goes with the row above.
    """
    places = [(0, box)]
    if len(text) < 2 * _STRIP:
        return tuple(places)
    offset = at = 0
    for line in text.splitlines(keepends=True):
        if offset - places[-1][0] >= _STRIP and len(text) - offset >= _STRIP:
            word = next((word for word in line.split() if word != "|"), "")
            near = range(at, min(len(stands), at + _NEAR_ROWS))
            found = next((index for index in near if stands[index][1].split()[0] == word), None)
            top = stands[found][0] if found is not None else 0
            if found is not None and top > places[-1][1].y0:
                above = places[-1][1]
                places[-1] = (places[-1][0], above._replace(y1=top))
                places.append((offset, box._replace(y0=top)))
                at = found + 1
        offset += len(line)
    return tuple(places)


def pack(places: Strips, start: int, length: int, page: int, into: array[int]) -> None:
    """Add ``places`` of a text of ``length`` characters that begins at ``start`` of the document, as
    :class:`~treegraph.indexer.pages.Places` takes them."""
    last = len(places) - 1
    for index, (offset, box) in enumerate(places):
        end = length if index == last else places[index + 1][0]
        if end > offset:
            into.extend((start + offset, start + end, page, *box))
