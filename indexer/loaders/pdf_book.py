"""Pages put together to one text: offsets of pages, blocks and lines, paragraphs that cross a page."""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Sequence
from dataclasses import replace

from ..errors import LimitExceeded
from ..pages import Origin, Page, Places
from ..types import Block, Content
from .pdf_captions import with_captions
from .pdf_flow import Piece
from .pdf_outline import Entry, Place, place_sections
from .pdf_overleaf import Overleaf
from .pdf_page import Box
from .pdf_pictures import Spot, figures
from .pdf_places import pack
from .pdf_text import is_ideographic, join_lines

_PARAGRAPH = "\n\n"
_ENDS = re.compile(r"[.!?:;\u3002\uff01\uff1f\uff1a\uff1b\u2026)\]}\"'\u201d\u2019|]\s*$")
_DIVIDED = re.compile(r"[a-z\u00df-\u00ff]-$")
_REST_OF_WORD = re.compile(r"[a-z\u00df-\u00ff]+[.,;:)]?(?=\s|$)")


class Book:
    """The text of a document as it grows page by page, and where everything in it stands."""

    def __init__(self, max_characters: int, words: Container[str], outline: Sequence[Entry]) -> None:
        self._max_characters = max_characters
        self._words = words
        self._outline = outline
        self._outlined = frozenset(entry.page for entry in outline)
        self._parts: list[str] = []
        self._length = 0
        self._last: Piece | None = None
        self._pages: list[Page] = []
        self._places: list[Place] = []
        self._blocks: list[Block] = []
        self._placed = array("i")
        self._overleaf = Overleaf()

    @property
    def has_text(self) -> bool:
        """Whether any page held a letter or a digit."""
        return self._length > 0

    def add_page(
        self,
        pieces: Sequence[Piece],
        label: str | None,
        images: float,
        dropped: int,
        origin: Origin = "text",
        confidence: float | None = None,
        why: str = "",
        areas: Sequence[Box] = (),
    ) -> None:
        """Add the next page, with the ``areas`` of its pictures. Raises LimitExceeded when the text gets
        longer than the limit."""
        pieces = [piece for piece in pieces if piece.text.strip()]
        if pieces:
            pieces = self._meet(self._overleaf.joined(self._last, with_captions(pieces)))
        start = self._length
        marks: list[tuple[int, int]] = []
        spots: list[Spot] = []
        for index, piece in enumerate(pieces):
            if index:
                self._append(_PARAGRAPH)
            if len(self._pages) in self._outlined:
                marks.extend((self._length + offset, height) for offset, height in piece.marks)
            if areas:
                spots.extend(Spot(self._length, piece.text, box) for _, box in piece.places[:1])
            self._add(piece, goes_on=index == 0 and self._overleaf.goes_on)
        self._last = pieces[-1] if pieces else self._last
        page = Page(
            len(self._pages) + 1, start, self._length, label, origin, images, dropped, confidence, why
        )
        self._pages.append(replace(page, figures=figures(areas, spots, page)) if areas else page)
        self._places.append(Place(start, self._length, marks))
        if self._length > self._max_characters:
            raise LimitExceeded(
                f"the text is longer than {self._max_characters} characters (max_characters), "
                f"at page {len(self._pages)}"
            )

    def _add(self, piece: Piece, goes_on: bool) -> None:
        """A piece of the page that is being added, which ``goes_on`` with what ended the one before."""
        self._block(piece, goes_on)
        pack(piece.places, self._length, len(piece.text), len(self._pages) + 1, self._placed)
        self._append(piece.text)

    def content(self, described: Content) -> Content:
        """``described`` with everything that was added, and the outline's sections placed in it."""
        text = "".join(self._parts)
        return replace(
            described,
            text=text,
            pages=tuple(self._pages),
            sections=place_sections(text, self._places, self._outline),
            blocks=tuple(self._blocks),
            placed=Places(self._placed.tobytes()),
            dropped={**described.dropped, **self._overleaf.dropped},
        )

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _meet(self, pieces: list[Piece]) -> list[Piece]:
        """Write what stands between the last page and this one: nothing, a space or a blank line.

        It belongs to the page before. So does the rest of a word that was divided between the two.
        """
        if self._last is None:
            return pieces
        first = pieces[0]
        separator = _PARAGRAPH
        if self._last.kind == first.kind == "text" and not _ENDS.search(self._last.text):
            rest = _REST_OF_WORD.match(first.text)
            if _DIVIDED.search(self._last.text) and rest:
                return self._mend(rest.group(), pieces)
            if is_ideographic(first.text[0]):
                separator = ""
            elif first.text[0].islower():
                separator = " "
        elif self._last.kind == first.kind == "code" or self._overleaf.goes_on:
            separator = "\n"
        self._extend_page(separator)
        return pieces

    def _mend(self, rest: str, pieces: list[Piece]) -> list[Piece]:
        """Move the rest of a divided word to the page where it begins."""
        half = self._parts.pop()
        begun = half.rsplit(None, 1)[-1]
        self._length -= len(begun)
        self._parts.append(half[: len(half) - len(begun)])
        self._append(join_lines(begun, rest, self._words))
        first = pieces[0]
        left = first.text[len(rest) :].lstrip()
        cut = len(first.text) - len(left)
        marks = tuple((max(0, offset - cut), height) for offset, height in first.marks)
        places = tuple((max(0, offset - cut), box) for offset, box in first.places)
        self._extend_page(" " if left else _PARAGRAPH)
        rest_of = first._replace(text=left, marks=marks, places=places)
        return [rest_of, *pieces[1:]] if left else pieces[1:]

    def _extend_page(self, text: str) -> None:
        """Add ``text`` to the end of the last page that holds any; empty ones after it stay empty."""
        self._append(text)
        for index in range(len(self._pages) - 1, -1, -1):
            page = self._pages[index]
            if page.start < page.end:
                self._pages[index] = replace(page, end=self._length)
                return
            self._pages[index] = replace(page, start=self._length, end=self._length)
            self._places[index] = Place(self._length, self._length, ())

    def _block(self, piece: Piece, goes_on: bool) -> None:
        if piece.kind == "text":
            return
        end = self._length + len(piece.text)
        if goes_on:
            self._blocks[-1] = replace(self._blocks[-1], end=end)
            return
        self._blocks.append(Block(piece.kind, self._length, end, piece.caption, piece.header))
