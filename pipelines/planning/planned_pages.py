"""Pages that a rehearsal does not read from their pictures: counted, and stood in for by text as long."""

from __future__ import annotations

import random
import textwrap
import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...indexer.models.ports import PageReader, ReadingWork
from ...indexer.pages import Origin, PageImage, PageReading, ReadLine, Wanted
from ...indexer.stores.ledger_readings import ReadingLedger
from ...indexer.vision.reader import VisionPageReader
from ..events import Listener
from ..page_readers import Eye, PageReaders
from ..page_reading import Draw, PagePictures, PagesRead
from ..stage_clock import StageClock
from .tally import Asked

CHARACTERS_A_PAGE = 1800
"""Of a page whose text nobody knows yet: about the median of printed manuals."""
DRAWN = 4
"""Pages of a document that are drawn to learn their size, where no picture can have been read before."""
_LINE = 80
_PATIENCE = 5.0
"""Seconds to wait for the first pages, which other threads draw, before this one is drawn as well."""
_HEADER = 24
"""Bytes of a PNG file with its size."""
_POINTS = 72
_WORDS = [
    "before",
    "every",
    "start",
    "the",
    "level",
    "of",
    "oil",
    "in",
    "each",
    "tank",
    "should",
    "be",
    "seen",
    "between",
    "both",
    "marks",
    "and",
    "noted",
    "while",
    "a",
    "part",
    "that",
    "wears",
    "is",
    "kept",
    "in",
    "store",
    "under",
    "its",
    "number",
    "so",
    "that",
    "nobody",
    "waits",
    "when",
    "it",
    "must",
    "be",
    "changed",
    "at",
    "night",
]


class PlannedPages:
    """Stands in for what reads pages natively: its prompts are counted, its model answers nothing."""

    def __init__(self, reader: VisionPageReader, characters: int) -> None:
        self.name = reader.name
        self.concurrency = reader.concurrency
        self._reader = reader
        self._characters = characters

    @property
    def work(self) -> ReadingWork:
        """What was taken: nothing but what the cache answered."""
        return self._reader.work

    def read(self, image: PageImage) -> PageReading:
        """A stand-in for the page. Raises ModelCallError where it would leave no room in the window."""
        from .planned_models import PlannedCall

        try:
            return self._reader.read(image)
        except PlannedCall:
            text = image.text.strip() or made_up(image, self._characters)
            return PageReading(image.number, "native", markdown=text, why="planned")


class PlannedOcr:
    """Stands in for OCR: pages are counted."""

    work = None

    def __init__(self, reader: PageReader, asked: Asked, characters: int) -> None:
        self.name = reader.name
        self.concurrency = reader.concurrency
        self._asked = asked
        self._characters = characters

    def read(self, image: PageImage) -> PageReading:
        """A stand-in for the page."""
        self._asked.add(0, 0)
        text = image.text.strip() or made_up(image, self._characters)
        rows = [row for line in text.splitlines() for row in textwrap.wrap(line, _LINE)] or [""]
        width, height = (side * _POINTS / image.dpi for side in (image.width, image.height))
        step = height / (len(rows) + 2)
        lines = tuple(
            ReadLine(row, (width * 0.1, step * n, width * 0.9, step * (n + 0.8)), 0.9)
            for n, row in enumerate(rows, 1)
        )
        return PageReading(image.number, "ocr", lines, confidence=0.9, why="planned")


class SketchedPictures(PagePictures):
    """Reads wanted pages by stand-ins. Pictures are drawn only where one may have been read before, by a
    reader of ``readers``, and else a few of a document, whose size the others are taken to have.

    ``wanted`` counts the pages, by way; ``sketched`` those that were not drawn.
    """

    def __init__(
        self,
        readers: PageReaders,
        known: ReadingLedger,
        clock: StageClock,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        super().__init__(readers, known, clock, listen, cancel)
        self.readers = known.readers()
        self.wanted: Counter[Origin] = Counter()
        self.sketched = 0

    def read(self, source: str, draw: Draw, wanted: Sequence[Wanted]) -> PagesRead:
        """See :meth:`PagePictures.read`."""
        self.wanted.update(page.way for page in wanted)
        return super().read(source, _Sketches(source, draw, wanted, self), wanted)


class _Sketches:
    """Draws the first pages that are wanted of a document, and the others as blank pictures of their size."""

    def __init__(self, source: str, draw: Draw, wanted: Sequence[Wanted], pictures: SketchedPictures) -> None:
        self._source = source
        self._draw = draw
        self._pictures = pictures
        self._first = {page.number for page in wanted[:DRAWN]}
        self._left = set(self._first)
        self._drawn: list[PageImage] = []
        self._changed = threading.Condition()

    def __call__(self, number: int, eye: Eye) -> PageImage:
        if number in self._first or eye.reader.name in self._pictures.readers:
            return self._drawing(number, eye)
        with self._changed:
            self._changed.wait_for(lambda: bool(self._drawn) or not self._left, _PATIENCE)
            alike = [image for image in self._drawn if image.dpi == eye.dpi]
            self._pictures.sketched += bool(alike)
        if not alike:
            return self._drawing(number, eye)
        like = alike[number % len(alike)]
        return replace(like, number=number, digest=f"{self._source} {number}", text="")

    def _drawing(self, number: int, eye: Eye) -> PageImage:
        """The page as it is, whose size others are then taken to have. Raises LoadError."""
        try:
            image = self._draw(number, eye)
            with self._changed:
                self._drawn.append(replace(image, png=image.png[:_HEADER]))
            return image
        finally:
            with self._changed:
                self._left.discard(number)
                self._changed.notify_all()


def made_up(image: PageImage, characters: int) -> str:
    """About so many characters in sentences and paragraphs, for each picture its own."""
    choose = random.Random(zlib.crc32(f"{image.digest} {image.number}".encode()))
    paragraphs: list[str] = []
    while sum(map(len, paragraphs)) < characters:
        sentences = [" ".join(choose.choices(_WORDS, k=choose.randint(8, 18))) for _ in range(4)]
        paragraphs.append(" ".join(f"{sentence.capitalize()}." for sentence in sentences))
    return "\n\n".join(paragraphs)
