"""Readers of pictures that say what a test tells them to, in place of OCR or a model that sees."""

from __future__ import annotations

import threading
from collections.abc import Callable

from treegraph.indexer.models.ports import ReadingWork
from treegraph.indexer.pages import PageImage, PageReading, ReadLine

Say = Callable[[int], str]
"""From a page's number to what is read there; it may raise ModelCallError."""


class ScriptedReader:
    """A PageReader. ``read_pages`` are the pages that it was shown, in order; ``most`` how many at once."""

    work: ReadingWork | None = None

    def __init__(self, say: Say, name: str = "scripted-1", concurrency: int = 2) -> None:
        self.name = name
        self.concurrency = concurrency
        self.read_pages: list[int] = []
        self.most = 0
        self._say = say
        self._now = 0
        self._lock = threading.Lock()

    def read(self, image: PageImage) -> PageReading:
        """What the script says of the page, as one line."""
        with self._lock:
            self.read_pages.append(image.number)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            text = self._say(image.number)
        finally:
            with self._lock:
                self._now -= 1
        line = ReadLine(text, (24.0, 40.0, 24.0 + 6 * len(text), 54.0), 0.9)
        return PageReading(image.number, "ocr", (line,), confidence=0.9)
