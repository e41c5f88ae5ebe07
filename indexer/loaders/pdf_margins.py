"""Running headers and footers: rows at a page's edge that come back, or carry its number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .pdf_page import Line

_DEPTH = 3
_ZONE = 0.16
_SLOT = 60
_DIGITS = re.compile(r"\d+")
_NUMBER_AT_EDGE = re.compile(r"^(\d{1,5})\b|\b(\d{1,5})$")
_FLOATING = ("floating", 0)
_FEW = 3
_LEAST_LETTERS = 4


class Edge(NamedTuple):
    """A row near the top or bottom of a page: where, what, and which of the page's lines it is made of.

    ``keys`` are the row and its parts with their digits folded: a running header often keeps the
    chapter's title on one side while the section's changes on the other.
    """

    slot: tuple[str, int]
    keys: tuple[str, ...]
    text: str
    indices: tuple[int, ...]


Sides = tuple[list[Edge], list[Edge]]
"""A page's outermost rows at its top and at its bottom, each from the edge inwards."""


def edges(lines: Sequence[Line], height: int) -> Sides:
    """The outermost rows at the top and at the bottom of a page, from the edge inwards."""
    zone = int(_ZONE * height)
    top = sorted((line.base, index) for index, line in enumerate(lines) if line.y0 < zone)
    bottom = sorted(((-line.base, index) for index, line in enumerate(lines) if line.y1 > height - zone))
    below = list(_edge_rows("bottom", bottom, lines))
    return list(_edge_rows("top", top, lines)), below or _floating_number(lines)


def _floating_number(lines: Sequence[Line]) -> list[Edge]:
    """The last row of a page that ends early, if it is nothing but a number: it may be the page's."""
    if not lines:
        return []
    lowest = max(range(len(lines)), key=lambda index: lines[index].base)
    text = lines[lowest].text.strip()
    return [Edge(_FLOATING, (fold(text),), text, (lowest,))] if text.isdigit() else []


def _edge_rows(side: str, order: list[tuple[int, int]], lines: Sequence[Line]) -> Iterator[Edge]:
    group: list[int] = []
    base = 0
    found = 0
    for height, index in order:
        if group and height - base > 0.4 * lines[index].size:
            yield _edge(side, group, lines)
            found += 1
            if found == _DEPTH:
                return
            group = []
        if not group:
            base = height
        group.append(index)
    if group:
        yield _edge(side, group, lines)


def _edge(side: str, group: list[int], lines: Sequence[Line]) -> Edge:
    group.sort(key=lambda index: lines[index].x0)
    parts = [lines[index].text.strip() for index in group]
    text = " ".join(parts)
    keys = {fold(text), *(fold(part) for part in parts if sum(map(str.isalpha, part)) >= _LEAST_LETTERS)}
    slot = (side, (lines[group[0]].base + _SLOT // 2) // _SLOT)
    return Edge(slot, tuple(keys), text, tuple(group))


def fold(text: str) -> str:
    """A row's text as running headers are compared: without the difference of its numbers and its case."""
    return _DIGITS.sub("#", text).casefold()


class _Slot:
    """What was seen at one height of one edge, over all pages."""

    __slots__ = ("keys", "offsets", "rows", "share")

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.keys: Counter[str] = Counter()
        self.offsets: Counter[int] = Counter()
        self.share: float | None = None

    def add(self, page: int, edge: Edge) -> None:
        self.rows.append(edge.keys)
        self.keys.update(edge.keys)
        self.share = None
        for number in _numbers(edge.text):
            self.offsets[number - page] += 1

    def again(self, keys: tuple[str, ...]) -> int:
        """On how many pages a row, or a part of it, stands here."""
        return max(self.keys[key] for key in keys)

    @property
    def is_numbered(self) -> bool:
        """Whether many rows carry a number that grows with the pages."""
        return self.offset()[1] >= max(_FEW, 0.4 * len(self.rows))

    def counts(self, page: int, edge: Edge) -> bool:
        """Whether rows here are numbered, and ``edge`` carries the number of its page."""
        return self.is_numbered and page + self.offset()[0] in _numbers(edge.text)

    def offset(self) -> tuple[int, int]:
        """The commonest difference between a row's number and its page, and how often it was seen."""
        return self.offsets.most_common(1)[0] if self.offsets else (0, 0)

    def repeated_share(self) -> float:
        """Which share of the rows come back here."""
        if self.share is None:
            self.share = sum(1 for keys in self.rows if self.again(keys) >= _FEW) / len(self.rows)
        return self.share


_NO_SLOT = _Slot()


class Margins:
    """What the edges of a document's pages have in common. Pages are observed first, then asked about."""

    def __init__(self) -> None:
        self._slots: dict[tuple[str, int], _Slot] = defaultdict(_Slot)

    def observe(self, page: int, sides: Sides) -> None:
        """Count the edges of page ``page`` (0-based)."""
        for side in sides:
            for edge in side:
                self._slots[edge.slot].add(page, edge)
        lowest = sides[1][0] if sides[1] else None
        if lowest and lowest.text.isdigit() and lowest.slot != _FLOATING:
            self._slots[_FLOATING].add(page, lowest)

    def running(
        self, page: int, sides: Sides, lines: int, label: str | None, loose: bool = False
    ) -> set[int]:
        """The indices of those of a page's ``lines`` lines that belong to a running header or footer.

        From the edge inwards, up to the first row that does not. Empty where that would be all lines:
        a page has a text of its own, however alike the pages are. ``loose``: the page was scanned, so that
        its rows may stand somewhat higher or lower than those of the others.
        """
        found: set[int] = set()
        for side in sides:
            for edge in side:
                if not self._is_running(page, edge, label, loose):
                    break
                found.update(edge.indices)
        return found if len(found) < lines else set()

    def _is_running(self, page: int, edge: Edge, label: str | None, loose: bool) -> bool:
        slot = self._slots[edge.slot]
        rows, again = len(slot.rows), slot.again(edge.keys)
        if loose:
            beside = [self._slots.get((edge.slot[0], edge.slot[1] + step), _NO_SLOT) for step in (-1, 1)]
            rows += sum(len(other.rows) for other in beside)
            again += sum(other.again(edge.keys) for other in beside)
        if edge.text.isdigit() and edge.slot[0] != "top" and self._slots[_FLOATING].counts(page, edge):
            return True
        if rows < _FEW or edge.slot == _FLOATING:
            return False
        share = slot.repeated_share()
        if (again >= _FEW and (again >= 0.5 * rows or share >= 0.6)) or share >= 0.85:
            return True
        return slot.is_numbered and (again >= _FEW or slot.counts(page, edge) or _carries(edge.text, label))


def _numbers(text: str) -> list[int]:
    """The numbers that ``text`` begins or ends with: one may be the page's."""
    return [int(found) for match in _NUMBER_AT_EDGE.finditer(text) for found in match.groups() if found]


def _carries(text: str, label: str | None) -> bool:
    return label is not None and label != "" and label in text.split()
