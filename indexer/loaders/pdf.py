"""PDF files: text in reading order with its pages, the author's outline, tables and listings.

Pages are read in batches, so that a document of any length takes the memory of one batch and its text:
the edges of a batch's pages are compared first (running headers), then each page is laid out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import CorruptFile, NoText
from ..pages import Origin, PageReading, Wanted
from ..sources_names import escape_name
from ..types import Content
from .pdf_book import Book
from .pdf_code import Pitches
from .pdf_flow import Flow, Piece
from .pdf_labels import page_labels
from .pdf_layout import regions
from .pdf_margins import Margins, Sides, edges, fold
from .pdf_open import contents_are_lost, damage, language_of, open_pdf
from .pdf_outline import read_outline
from .pdf_page import Box, RawPage, engine, read_page
from .pdf_pictures import areas
from .pdf_rows import rows_of
from .pdf_ruled import take_tables
from .pdf_rules import Rules, grids, rules_of
from .pdf_table import Table
from .pdf_taken import Taken, take
from .pdf_text import clean
from .pdf_ways import DAMAGED, NO_OCR, TEXT_MODE, decide, signs_of
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
    are left out and counted in characters; pages of a damaged file that cannot be read are empty, say so
    (``Page.why``) and are counted under "damaged page". ``Content.wanted`` are the pages that should be
    read in another way, by ``settings.pdf`` and what is at hand, and of which there is no reading yet.

    Raises EmptyFile, EncryptedFile, CorruptFile, UnreadableFile, LimitExceeded (pages, bytes or
    characters) and NoText if no page holds any text and none is wanted.
    """
    with open_pdf(path, settings, password) as document:
        described = Content("", MEDIA_TYPE, _title(document), language_of(document))
        return read_pages(document, escape_name(path.name), settings, readings, described)


def read_pages(
    document: Any, name: str, settings: LoadSettings, readings: Sequence[PageReading], described: Content
) -> Content:
    """``described`` with the text of an open document's pages, as :func:`read_pdf`; ``name`` is for its
    errors."""
    reader = _Reader(document, settings, readings)
    try:
        book = reader.read()
    except engine().mupdf.FzErrorBase as error:
        raise CorruptFile(f"{name} is damaged: it cannot be read to its end") from error
    if not book.has_text and not reader.wanted:
        if reader.dropped[DAMAGED]:
            raise CorruptFile(f"{name} is damaged: none of its pages can be read")
        raise NoText(f"{name} holds no text on its {document.page_count} pages: {_remedy(reader.whys)}")
    return book.content(
        replace(
            described,
            dropped=dict(reader.dropped),
            wanted=tuple(reader.wanted),
            open_to=tuple(sorted(reader.open_to)),
        )
    )


def _remedy(whys: Counter[str]) -> str:
    """Why pages gave nothing, and what to do about it."""
    if not whys:
        return "they are blank"
    why = whys.most_common(1)[0][0]
    if why.endswith(NO_OCR):
        return f"{why}. Install it: pip install 'treegraph[ocr]'"
    if why.endswith(TEXT_MODE):
        return f"{why}. Let other ways be used: --pdf auto"
    return why


def _title(document: Any) -> str | None:
    """The title in the file's properties, if it is one: words, and not the name of its source file."""
    title = " ".join(clean((document.metadata or {}).get("title") or "").split())
    is_title = any(map(str.isalpha, title)) and not _FILE_NAME.search(title)
    return title if is_title else None


class _Reader:
    """One pass over a document: what its pages have in common so far, and the pages laid out."""

    def __init__(self, document: Any, settings: LoadSettings, readings: Sequence[PageReading]) -> None:
        self.dropped: Counter[str] = Counter()
        self.wanted: list[Wanted] = []
        self.open_to: set[Origin] = set()
        self.whys: Counter[str] = Counter()
        self._readings = {reading.number: reading for reading in readings}
        self._document = document
        self._settings = settings
        self._margins = Margins()
        self._pitches = Pitches()
        self._words: set[str] = set()
        self._flow = Flow(self._pitches, self._words, settings.tables)

    def read(self) -> Book:
        book = Book(self._settings.max_characters, self._words, read_outline(self._document))
        count = self._document.page_count
        rules = self._document.get_page_labels() if self._document.is_pdf else ()
        labels = page_labels(rules, count)
        for start in range(0, count, _BATCH):
            numbers = range(start, min(start + _BATCH, count))
            pages = [self._take(number, page) for number, page in enumerate(self._raw_pages(numbers), start)]
            sides = [self._observe(number, taken.page) for number, taken in enumerate(pages, start)]
            for number, (taken, side) in enumerate(zip(pages, sides, strict=True), start):
                self._lay_out(book, number, taken, side, labels[number])
        return book

    def _raw_pages(self, numbers: range) -> Iterator[RawPage | None]:
        """The pages as they are, None for one that is damaged."""
        repaired = self._document.is_repaired
        for number in numbers:
            try:
                page = read_page(self._document[number], self._settings.tables, self._settings.native)
            except damage():
                yield None
                continue
            lost = repaired and not page.lines and contents_are_lost(self._document, number)
            yield None if lost else page
        engine().TOOLS.store_shrink(_STORE_PERCENT)

    def _take(self, number: int, page: RawPage | None) -> Taken:
        """What is taken of a page, its text layer or a reading; without one, how it should be read."""
        if page is None:
            self.dropped[DAMAGED] += 1
            return Taken(RawPage(0, 0, [], [], [], 0.0), why=DAMAGED)
        signs = signs_of(page)
        verdict = decide(signs, self._settings)
        reading = self._readings.get(number + 1)
        self.open_to.update(verdict.open_to)
        if reading is None and verdict.way != "text":
            self.wanted.append(Wanted(number + 1, verdict.way, verdict.why))
        taken = take(page, signs, verdict, reading)
        if taken.page.unmapped:
            self.dropped["character without meaning"] += taken.page.unmapped
        if taken.why:
            self.whys[taken.why] += 1
        return taken

    def _observe(self, number: int, page: RawPage) -> Sides:
        sides = edges(page.lines, page.height)
        self._margins.observe(number, sides)
        self._pitches.observe(page.lines)
        self._words.update(" ".join([line.text for line in page.lines]).split())
        return sides

    def _lay_out(self, book: Book, number: int, taken: Taken, sides: Sides, label: str | None) -> None:
        page = taken.page
        scanned = taken.origin == "ocr"
        running = self._margins.running(number, sides, len(page.lines), label, loose=scanned)
        if taken.pieces is None:
            pieces = taken.as_shown(self._pieces(page, running))
            left_out = sum(len(page.lines[index].text) for index in running)
        else:
            headers = {fold(page.lines[index].text) for index in running}
            pieces = [piece for piece in taken.pieces if fold(piece.text) not in headers]
            left_out = sum(len(piece.text) for piece in taken.pieces) - sum(len(p.text) for p in pieces)
        if left_out:
            self.dropped["running header or footer"] += left_out
        found = self._areas(taken)
        book.add_page(pieces, label, page.images, left_out, taken.origin, taken.confidence, taken.why, found)

    def _areas(self, taken: Taken) -> Sequence[Box]:
        """Where the pictures of a page are, as far as they are to be kept."""
        if not self._settings.keep_images:
            return ()
        page = taken.page
        return areas(page.pictures, *(taken.shown if taken.turned else (page.width, page.height)))

    def _pieces(self, page: RawPage, running: set[int]) -> list[Piece]:
        lines = [line for index, line in enumerate(page.lines) if index not in running]
        tables: list[Table] = []
        rules, sideways = Rules((), (), frozenset()), page.sideways
        if page.boxes and self._settings.tables:
            rules = rules_of(page.boxes, page.width, page.height)
            lines, tables, sideways = take_tables(lines, sideways, grids(rules), self._words)
        pieces: list[Piece] = []
        for region in regions(lines):
            pieces.extend(self._flow.pieces(rows_of(region), tables, rules.level))
        pieces.extend(Piece("text", text, ((0, page.height),), places=((0, box),)) for text, box in sideways)
        return pieces
