"""PDF files: text in reading order with its pages, the author's outline, tables and listings.

Pages are read in batches, so that a document of any length takes the memory of one batch and its text:
the edges of a batch's pages are compared first (running headers), then each page is laid out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import CorruptFile, NoText
from ..pages import PageReading
from ..sources_names import escape_name
from ..types import Content
from .pdf_book import Book
from .pdf_code import Pitches
from .pdf_flow import Flow, Piece
from .pdf_labels import page_labels
from .pdf_layout import regions
from .pdf_margins import Margins, Sides, edges
from .pdf_open import contents_are_lost, damage, language_of, open_pdf
from .pdf_outline import read_outline
from .pdf_page import RawPage, engine, read_page
from .pdf_rows import rows_of
from .pdf_ruled import take_tables
from .pdf_rules import Rules, grids, rules_of
from .pdf_table import Table
from .pdf_text import clean
from .settings import LoadSettings

MEDIA_TYPE = "application/pdf"

_BATCH = 400
_FILE_NAME = re.compile(
    r"\.(?:docx?|dvi|indd|fm|tex|qxd|pmd|pdf|xlsx?|pptx?|html?)$|^untitled", re.IGNORECASE
)
_STORE_PERCENT = 80


def read_pdf(
    path: Path, settings: LoadSettings, password: str | None, readings: Sequence[PageReading] = ()
) -> Content:
    """What a PDF says; ``readings`` take the place of their pages' text layers.

    Paragraphs are one line each, with a blank line between them; ``Page.start`` and ``end`` tile the
    text. Listings keep their lines, tables are Markdown; both are blocks. Running headers and footers
    are left out and counted in characters; pages of a damaged file that cannot be read are empty and
    counted under "damaged page".

    Raises EmptyFile, EncryptedFile, CorruptFile, UnreadableFile, LimitExceeded (pages, bytes or
    characters) and NoText if no page holds any text.
    """
    name = escape_name(path.name)
    with open_pdf(path, settings, password) as document:
        reader = _Reader(document, settings)
        try:
            book = reader.read()
        except engine().mupdf.FzErrorBase as error:
            raise CorruptFile(f"{name} is damaged: it cannot be read to its end") from error
        lost = reader.dropped["damaged page"]
        if not book.has_text:
            if lost:
                raise CorruptFile(f"{name} is damaged: none of its pages can be read")
            raise NoText(f"{name} holds no text on its {document.page_count} pages: they are images")
        described = Content(
            text="",
            media_type=MEDIA_TYPE,
            title=_title(document),
            language=language_of(document),
            dropped=dict(reader.dropped),
        )
        return book.content(described)


def _title(document: Any) -> str | None:
    """The title in the file's properties, if it is one: words, and not the name of its source file."""
    title = " ".join(clean((document.metadata or {}).get("title") or "").split())
    is_title = any(map(str.isalpha, title)) and not _FILE_NAME.search(title)
    return title if is_title else None


class _Reader:
    """One pass over a document: what its pages have in common so far, and the pages laid out."""

    def __init__(self, document: Any, settings: LoadSettings) -> None:
        self.dropped: Counter[str] = Counter()
        self._document = document
        self._settings = settings
        self._margins = Margins()
        self._pitches = Pitches()
        self._words: set[str] = set()
        self._flow = Flow(self._pitches, self._words, settings.tables)

    def read(self) -> Book:
        book = Book(self._settings.max_characters, self._words, read_outline(self._document))
        count = self._document.page_count
        labels = page_labels(self._document.get_page_labels(), count)
        for start in range(0, count, _BATCH):
            pages = list(self._raw_pages(range(start, min(start + _BATCH, count))))
            sides = [self._observe(number, page) for number, page in enumerate(pages, start)]
            for number, (page, side) in enumerate(zip(pages, sides, strict=True), start):
                self._lay_out(book, number, page, side, labels[number])
        return book

    def _raw_pages(self, numbers: range) -> Iterator[RawPage]:
        damaged = self._document.is_repaired
        for number in numbers:
            try:
                page = read_page(self._document[number], self._settings.tables)
            except damage():
                page = RawPage(0, 0, [], [], [], 0.0)
                self.dropped["damaged page"] += 1
            else:
                if damaged and not page.lines and contents_are_lost(self._document, number):
                    self.dropped["damaged page"] += 1
            if page.unmapped:
                self.dropped["character without meaning"] += page.unmapped
            yield page
        engine().TOOLS.store_shrink(_STORE_PERCENT)

    def _observe(self, number: int, page: RawPage) -> Sides:
        sides = edges(page.lines, page.height)
        self._margins.observe(number, sides)
        self._pitches.observe(page.lines)
        self._words.update(" ".join([line.text for line in page.lines]).split())
        return sides

    def _lay_out(self, book: Book, number: int, page: RawPage, sides: Sides, label: str | None) -> None:
        running = self._margins.running(number, sides, len(page.lines), label)
        lines = [line for index, line in enumerate(page.lines) if index not in running]
        tables: list[Table] = []
        rules, sideways = Rules((), (), frozenset()), page.sideways
        if page.boxes:
            rules = rules_of(page.boxes, page.width, page.height)
            lines, tables, sideways = take_tables(lines, sideways, grids(rules), self._words)
        pieces: list[Piece] = []
        for region in regions(lines):
            pieces.extend(self._flow.pieces(rows_of(region), tables, rules.level))
        pieces.extend(Piece("text", text, ((0, page.height),)) for text, _ in sideways)
        left_out = sum(len(page.lines[index].text) for index in running)
        if left_out:
            self.dropped["running header or footer"] += left_out
        book.add_page(pieces, label, page.images, left_out)
