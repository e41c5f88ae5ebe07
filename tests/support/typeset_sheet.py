"""A sheet: what is drawn down its pages, and the tables and captions that a reader should find on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pymupdf
from typeset_drawing import Table, draw_table, wrapped

LEFT = 72.0
_WIDTH = 450.0
Part = Callable[[pymupdf.Page, float], float]


@dataclass
class Sheet:
    """Parts drawn down each page, and the tables and captions among them."""

    pages: list[list[Part]] = field(default_factory=lambda: [[]])
    known: list[list[list[str]]] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)

    def text(self, text: str, size: float = 10, left: float = LEFT, gap: float = 12) -> None:
        """A paragraph over the width of the page."""

        def draw(page: pymupdf.Page, y: float) -> float:
            for line in wrapped(text, _WIDTH, "helv", size):
                y += 1.3 * size
                page.insert_text((left, y), line, fontsize=size)
            return y + gap

        self.pages[-1].append(draw)

    def caption(self, text: str) -> None:
        """A caption, which belongs to the table beside it."""
        self.captions.append(text)
        self.text(text, 9, gap=8)

    def table(self, table: Table, left: float = LEFT, known: bool = True, gap: float = 14) -> None:
        """A table; not ``known`` where it only goes on with one that is."""
        if known:
            self.known.append(table.grid())
        self.pages[-1].append(lambda page, y: draw_table(page, table, left, y) + gap)

    def down_to(self, height: float) -> None:
        """Go on at ``height``."""
        self.pages[-1].append(lambda page, y: max(y, height))

    def beside(self, *parts: tuple[Table, float, str | None]) -> None:
        """Tables side by side: each with its left side and the caption above it."""
        for table, _, caption in parts:
            self.known.append(table.grid())
            self.captions.extend([caption] if caption else [])

        def draw(page: pymupdf.Page, y: float) -> float:
            for _, left, caption in parts:
                if caption:
                    page.insert_text((left, y + 10), caption, fontsize=9)
            return max(draw_table(page, table, left, y + 18) for table, left, _ in parts) + 14

        self.pages[-1].append(draw)
