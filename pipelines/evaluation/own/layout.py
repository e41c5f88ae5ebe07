"""Where in a document something stands: places, paragraphs, and pages that only point elsewhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ....indexer.chunking_outline import section_paths
from ....indexer.types import Content
from ..places import page_place, section_place
from .candidates import folded

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_POINTS = re.compile(r"\s*\S.*?(?:\.\s?\.|\u2026)[\s.\u2026|]*(?:\d{1,4}|[ivxlc]{1,7})[\s|]*", re.IGNORECASE)
_BEFORE_TITLE = re.compile(r"^[\s|*#]*(?:[A-Z]?\d+(?:\.\d+)*\.?\s+|[A-Z]\.\s+|[IVX]+\s+)?")
_AFTER_TITLE = re.compile(r"[\s.\u2026|*]*(?:\d{1,4}|[ivxlc]{1,7})?[\s.|*]*$", re.IGNORECASE)
_LEAST_LINES = 4
_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A stretch of running text, from ``start`` on in its document."""

    start: int
    text: str


class Layout:
    """Look-ups over one document. ``index_pages`` are the pages of its printed index. A place of a document
    without pages is a section."""

    def __init__(self, source: str, content: Content, index_pages: Collection[int] = ()) -> None:
        self._source = source
        self._content = content
        self._page_starts = [page.start for page in content.pages]
        self._section_starts = [section.start for section in content.sections]
        self._paths = section_paths(content.sections)
        self._pointing = frozenset(index_pages) | self._contents_pages()

    def page(self, offset: int) -> int | None:
        """The number of the page that ``offset`` is on; None in a document without pages."""
        if not self._page_starts:
            return None
        return self._content.pages[max(0, bisect_right(self._page_starts, offset) - 1)].number

    def place(self, offset: int) -> str:
        """What a hit on the text at ``offset`` is counted as."""
        page = self.page(offset)
        if page is not None:
            return page_place(self._source, page)
        return section_place(self._source, self.path(offset))

    def pages(self, start: int, end: int) -> range:
        """The pages that hold ink of ``text[start:end]``, which is of a document with pages."""
        last = start + max(1, len(self._content.text[start:end].rstrip())) - 1
        first_page, last_page = self.page(start), self.page(last)
        assert first_page is not None
        assert last_page is not None
        return range(first_page, last_page + 1)

    def path(self, offset: int) -> tuple[str, ...]:
        """The titles of the outline that lead to ``offset``."""
        index = bisect_right(self._section_starts, offset) - 1
        return self._paths[index] if index >= 0 else ()

    def section_end(self, index: int) -> int:
        """Where the entry of that index ends: at the next of its own level or above."""
        sections = self._content.sections
        following = sections[index + 1 :]
        level = sections[index].level
        return next((s.start for s in following if s.level <= level), len(self._content.text))

    def points_elsewhere(self, offset: int) -> bool:
        """Whether ``offset`` is on a page of contents, or of the printed index."""
        return self.page(offset) in self._pointing

    def paragraphs(self) -> Iterator[Paragraph]:
        """The running text, captions among it: no tables, no code, nothing that a model wrote of a figure, no
        pages that only point elsewhere."""
        start = 0
        for block in self._content.blocks:
            if block.kind == "figure" and block.header is None:
                continue
            yield from self._paragraphs(start, block.start)
            start = block.end
        yield from self._paragraphs(start, len(self._content.text))

    def _paragraphs(self, start: int, end: int) -> Iterator[Paragraph]:
        at = start
        bounds = [(match.start(), match.end()) for match in _BLANK.finditer(self._content.text, start, end)]
        for stop, following in [*bounds, (end, end)]:
            text = self._content.text[at:stop]
            begin = at + len(text) - len(text.lstrip())
            if text.strip() and not self.points_elsewhere(begin):
                yield Paragraph(begin, text.strip())
            at = following

    def _contents_pages(self) -> frozenset[int]:
        """Pages most of whose lines end in a page number after leaders, or are titles of other pages."""
        elsewhere: dict[str, set[int]] = {}
        for section in self._content.sections:
            page = self.page(section.start)
            if page is not None:
                elsewhere.setdefault(bare_title(section.title), set()).add(page)
        return frozenset(
            page.number
            for page in self._content.pages
            if _only_points(page.number, self._content.text[page.start : page.end], elsewhere)
        )


def bare_title(line: str) -> str:
    """A title as it is compared: folded, without its number before it, leaders and page after it."""
    return folded(_AFTER_TITLE.sub("", _BEFORE_TITLE.sub("", line)))


def _only_points(number: int, text: str, elsewhere: dict[str, set[int]]) -> bool:
    lines = [line for line in text.split("\n") if re.search(r"\w", line)]
    pointing = 0
    for line in lines:
        begins = elsewhere.get(bare_title(line), set())
        pointing += bool(_POINTS.fullmatch(line)) or (bool(begins) and number not in begins)
    return pointing >= _LEAST_LINES and pointing >= _SHARE * len(lines)
