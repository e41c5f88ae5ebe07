"""Which section, page and block a stretch of a document belongs to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal

from .chunking_ruler import Span
from .pages import Page, PageBox, Placed
from .types import Block, BlockKind, Content, Part, Section

Path = tuple[str, ...]


def section_paths(sections: Sequence[Section]) -> list[Path]:
    """For each section, the titles from the outermost that encloses it down to its own.

    An entry encloses what follows it until one of its own level or above; levels that are skipped or
    begin deep do no harm.
    """
    stack: list[Section] = []
    paths: list[Path] = []
    for section in sections:
        while stack and stack[-1].level >= section.level:
            stack.pop()
        stack.append(section)
        paths.append(tuple(title for entry in stack if (title := " ".join(entry.title.split()))))
    return paths


class Outline:
    """Look-ups by span over a document's sections, pages and blocks."""

    def __init__(self, content: Content) -> None:
        self._starts = [section.start for section in content.sections]
        self._paths = section_paths(content.sections)
        self._length = len(content.text)
        self._pages = content.pages
        self._page_starts = [page.start for page in content.pages]
        self._blocks = content.blocks
        self._block_starts = [block.start for block in content.blocks]
        self._placed = content.placed

    def section(self, span: Span) -> Path:
        """The path of the section that holds most of the span (of two alike, the earlier)."""
        first = bisect_right(self._starts, span[0]) - 1
        last = bisect_left(self._starts, span[1]) - 1
        held: dict[int, int] = {}
        for index in range(first, max(first, last) + 1):
            start = self._starts[index] if index >= 0 else 0
            end = self._starts[index + 1] if index + 1 < len(self._starts) else self._length
            held[index] = min(end, span[1]) - max(start, span[0])
        best = max(held, key=lambda index: (held[index], -index))
        return self._paths[best] if best >= 0 else ()

    def parts(self, span: Span, origin: int) -> tuple[Part, ...]:
        """The span divided where a section or a page begins, by offsets from ``origin``; empty where it is
        all of one section and page."""
        borders = {span[0]}
        for starts in (self._starts, self._page_starts):
            borders.update(starts[bisect_right(starts, span[0]) : bisect_left(starts, span[1])])
        parts: list[Part] = []
        for border in sorted(borders):
            section = bisect_right(self._starts, border) - 1
            page = bisect_right(self._page_starts, border) - 1
            part = Part(
                border - origin,
                self._pages[max(0, page)].number if self._pages else None,
                self._paths[section] if section >= 0 else (),
            )
            if not parts or (part.page, part.section) != (parts[-1].page, parts[-1].section):
                parts.append(part)
        return tuple(parts) if len(parts) > 1 else ()

    def pages(self, span: Span) -> tuple[Page, Page] | tuple[None, None]:
        """The first and the last page that the span has ink on, or None where there are no pages."""
        if not self._pages:
            return None, None
        first = max(0, bisect_right(self._page_starts, span[0]) - 1)
        last = max(first, bisect_left(self._page_starts, span[1]) - 1)
        return self._pages[first], self._pages[last]

    def within(self, span: Span) -> Sequence[Page]:
        """The pages that the span has ink on, in order; empty where there are none."""
        first, last = self.pages(span)
        return self._pages[first.number - 1 : last.number] if first and last else ()

    def most_of(self, span: Span) -> Page | None:
        """The page that most of the span stands on (of two alike, the earlier)."""
        return max(self.within(span), key=lambda page: _shared(page, span), default=None)

    def confidence(self, span: Span) -> float | None:
        """How sure what stands in the span is: the mean of its pages', by how much of it stands on each, text
        layers counting as sure; None where all of it is from text layers."""
        pages = self.within(span)
        if all(page.confidence is None for page in pages):
            return None
        shares = [max(1, _shared(page, span)) for page in pages]
        sure = (1.0 if page.confidence is None else page.confidence for page in pages)
        return sum(share * each for share, each in zip(shares, sure, strict=True)) / sum(shares)

    def boxes(self, span: Span) -> tuple[PageBox, ...]:
        """Where the span stands: a rectangle a page around all of it that has a place there."""
        around: dict[int, PageBox] = {}
        index = max(0, bisect_right(self._placed, span[0], key=_start) - 1)
        while index < len(self._placed) and (placed := self._placed[index]).start < span[1]:
            if _shared(placed, span) > 0:
                known = around.get(placed.box.page)
                around[placed.box.page] = placed.box if known is None else _around(known, placed.box)
            index += 1
        return tuple(around[number] for number in sorted(around))

    def kind(self, span: Span) -> Literal["text", "table", "code", "figure"]:
        """``table``, ``code`` or ``figure`` where more than half of the span is one."""
        shares: dict[BlockKind, int] = {"table": 0, "code": 0, "figure": 0}
        index = max(0, bisect_right(self._block_starts, span[0]) - 1)
        while index < len(self._blocks) and self._blocks[index].start < span[1]:
            block = self._blocks[index]
            shares[block.kind] += max(0, _shared(block, span))
            index += 1
        half = (span[1] - span[0]) / 2
        return next((kind for kind, share in shares.items() if share > half), "text")


def _shared(stretch: Page | Block | Placed, span: Span) -> int:
    """How many characters a stretch has in common with the span."""
    return min(stretch.end, span[1]) - max(stretch.start, span[0])


def _start(placed: Placed) -> int:
    return placed.start


def _around(one: PageBox, other: PageBox) -> PageBox:
    return PageBox(
        one.page, min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1)
    )
