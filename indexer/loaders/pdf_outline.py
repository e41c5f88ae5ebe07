"""The author's outline: its entries placed in the text that was read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..types import Section
from .pdf_page import SCALE
from .pdf_text import clean

_NUMBERING = re.compile(
    r"(?:(?:chapter|appendix|part|section|kapitel|anhang|chapitre|annexe|cap[ií]tulo)\s+)?"
    r"(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*[.:]?\s+",
    re.IGNORECASE,
)
_MOST_ENTRIES = 100_000
_LONGEST_TITLE = 300
_LONGEST_NUMBERING = 14
_LEAST_PART = 0.4


class Entry(NamedTuple):
    """An outline entry: ``page`` is 0-based, ``top`` the height that it points to, if it does."""

    title: str
    level: int
    page: int
    top: int | None


class Place(NamedTuple):
    """Where a page's text begins and ends, and (offset, height) of its lines."""

    start: int
    end: int
    marks: Sequence[tuple[int, int]]


def read_outline(document: Any) -> list[Entry]:
    """The outline's entries that point to a page of the document, in the outline's order."""
    entries: list[Entry] = []
    count = document.page_count
    for item, level in _items(document.outline):
        title = " ".join(clean(item.title or "").split())[:_LONGEST_TITLE]
        page = item.page
        if title and 0 <= page < count:
            top = item.y
            entries.append(Entry(title, level, page, int(top * SCALE) if top and top > 0 else None))
    return entries


def _items(first: Any) -> Iterator[tuple[Any, int]]:
    """Every item below and after ``first`` with its level from 1, depth first, without recursion."""
    waiting = [(first, 1)] if first is not None and first.this.m_internal else []
    for _ in range(_MOST_ENTRIES):
        if not waiting:
            return
        item, level = waiting.pop()
        yield item, level
        after, below = item.next, item.down
        if after is not None:
            waiting.append((after, level))
        if below is not None:
            waiting.append((below, level + 1))


def place_sections(text: str, places: Sequence[Place], entries: Sequence[Entry]) -> tuple[Section, ...]:
    """The sections of ``text``, sorted by start: each at its heading, else where its entry points to.

    An outline with one entry, with an entry for every page, or out of order is taken as it is.
    """
    sections: list[Section] = []
    lines: list[tuple[int, str]] = []
    page = -1
    after = 0
    for entry in entries:
        place = places[entry.page]
        if entry.page != page:
            page, after = entry.page, place.start
            lines = _squeezed_lines(text, place)
        start = _find(lines, place, entry, after)
        sections.append(Section(entry.title, entry.level, start))
        after = max(after, start + 1)
    return tuple(sorted(sections, key=_start))


def _start(section: Section) -> int:
    return section.start


def _squeezed_lines(text: str, place: Place) -> list[tuple[int, str]]:
    """The lines of a page with their offsets, without spaces and in small letters."""
    lines: list[tuple[int, str]] = []
    offset = place.start
    for line in text[place.start : place.end].split("\n"):
        squeezed = _squeeze(line)
        if squeezed:
            lines.append((offset, squeezed))
        offset += len(line) + 1
    return lines


def _squeeze(text: str) -> str:
    return "".join(text.split()).casefold()


def _find(lines: Sequence[tuple[int, str]], place: Place, entry: Entry, after: int) -> int:
    """The offset of an entry's heading: the line with its title nearest to where the entry points."""
    candidates = _headings(lines, entry.title)
    if entry.top is None:
        later = [offset for offset in candidates if offset >= after]
        return (later or candidates or [place.start])[0]
    top = entry.top
    if candidates:
        return min(candidates, key=lambda offset: (abs(_height(place, offset) - top), offset))
    below = [offset for offset, height in place.marks if height >= top - 5 * SCALE]
    return min(below, default=place.start)


def _height(place: Place, offset: int) -> int:
    """The height on the page of the line that holds ``offset``."""
    index = bisect_right(place.marks, (offset, 1 << 30)) - 1
    return place.marks[index][1] if index >= 0 else 0


def _headings(lines: Sequence[tuple[int, str]], title: str) -> list[int]:
    """Offsets of the lines that begin with ``title``, with or without a numbering before it.

    A heading that runs over two lines is found by its first.
    """
    bare = _squeeze(_NUMBERING.sub("", title, count=1))
    for wanted in dict.fromkeys((_squeeze(title), bare)):
        found = [offset for offset, line in lines if wanted and 0 <= line.find(wanted) <= _LONGEST_NUMBERING]
        if found:
            starts = [offset for offset, line in lines if line.startswith(wanted)]
            return starts or found
    least = _LEAST_PART * len(bare)
    return [offset for offset, line in lines if len(line) >= max(4, least) and bare.startswith(line)]
