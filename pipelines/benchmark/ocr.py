"""How fast pages are read from their pictures, and how well: against their own text layers."""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

from ...indexer.errors import Cancelled, ConfigurationError
from ...indexer.loaders.child import ParserPool
from ...indexer.loaders.detect import detect
from ...indexer.models.ocr import load_ocr
from ...indexer.models.ports import PageReader
from ...indexer.pages import PageReading
from ...indexer.types import Content
from ..config import Config
from ..events import Event, Listener
from .ocr_report import OcrReport, PageRead
from .resources import Meter

_RULES = re.compile(r"\||\.{2,}")
_LITTLE = 200
"""Letters below which a text layer says little of what a page shows."""


@dataclass(frozen=True, slots=True)
class _Asked:
    path: Path
    number: int


@dataclass(frozen=True, slots=True)
class _Read:
    reading: PageReading
    seconds: float


def bench_ocr(
    files: Sequence[Path],
    pages: int,
    config: Config,
    *,
    seed: int,
    on_event: Listener,
    cancel: threading.Event,
) -> OcrReport:
    """Draw and read ``pages`` pages of ``files``, a seeded sample, and lay them out; where a page has a text
    layer, compare.

    Raises ConfigurationError where there is nothing to read, ModelUnavailable, Cancelled, and LoadError for
    a file that cannot be read.
    """
    reader = load_ocr(config.ocr)
    load = replace(config.load, pdf="ocr", ocr=True)
    with ParserPool(load, 1) as pool:
        types = {path: detect(path) for path in files}
        layers = {path: _texts(pool.parse(path, kind)) for path, kind in types.items()}
        asked = _sample(layers, pages, seed)
        # Children that draw end within the measure, so that their time counts.
        with Meter() as meter, ParserPool(load, reader.concurrency) as drawing:
            read = _Bench(drawing, reader, config.ocr.dpi, types, on_event, cancel).read(asked)
        found: dict[_Asked, str] = {}
        for path, kind in types.items():
            readings = [read[page].reading for page in asked if page.path == path]
            texts = _texts(pool.parse(path, kind, readings=readings))
            found.update({page: texts[page.number - 1] for page in asked if page.path == path})
    rows = tuple(_row(page, read[page], found[page], layers[page.path][page.number - 1]) for page in asked)
    return OcrReport(
        reader=reader.name,
        dpi=config.ocr.dpi,
        threads=reader.concurrency,
        wall=meter.wall,
        cpu=meter.cpu,
        before=meter.before,
        peak=meter.peak,
        pages=rows,
    )


class _Bench:
    """Draws and reads pages, as many at once as the reader takes."""

    def __init__(
        self,
        pool: ParserPool,
        reader: PageReader,
        dpi: float,
        types: Mapping[Path, str],
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self._pool, self._reader, self._dpi, self._types = pool, reader, dpi, types
        self._listen, self._cancel = listen, cancel

    def read(self, asked: Sequence[_Asked]) -> dict[_Asked, _Read]:
        """What was read of each page."""
        found = {}
        with ThreadPoolExecutor(self._reader.concurrency) as threads:
            for done, (page, read) in enumerate(zip(asked, threads.map(self._page, asked), strict=True), 1):
                found[page] = read
                self._listen(Event("ocr", done, len(asked), "pages", page.path.name))
        return found

    def _page(self, page: _Asked) -> _Read:
        if self._cancel.is_set():
            raise Cancelled("stopped; nothing is kept")
        image = self._pool.draw(page.path, self._types[page.path], page.number, self._dpi)
        began = time.perf_counter()
        reading = self._reader.read(image)
        return _Read(reading, time.perf_counter() - began)


def _sample(layers: Mapping[Path, Sequence[str]], pages: int, seed: int) -> list[_Asked]:
    """So many pages, in the order of the files; all where there are no more."""
    every = [_Asked(path, number) for path, texts in layers.items() for number in range(1, len(texts) + 1)]
    if not every:
        raise ConfigurationError("name at least one PDF or image to read")
    chosen = set(Random(seed).sample(range(len(every)), min(pages, len(every))))
    return [page for index, page in enumerate(every) if index in chosen]


def _texts(content: Content) -> list[str]:
    if not content.pages:
        raise ConfigurationError(f"{content.media_type} has no pages to draw; name PDFs or images")
    return [content.text[page.start : page.end] for page in content.pages]


def _row(page: _Asked, read: _Read, found: str, layer: str) -> PageRead:
    is_compared = len(layer) >= _LITTLE
    return PageRead(
        source=page.path.name,
        page=page.number,
        seconds=read.seconds,
        lines=len(read.reading.lines),
        confidence=read.reading.confidence,
        characters=character_error(found, layer) if is_compared else None,
        words=words_found(found, layer) if is_compared else None,
    )


def character_error(found: str, layer: str) -> float:
    """The edits (a character put in, left out or exchanged) from one text to another, over the length of
    ``layer``; white space, leaders and the rules of tables do not count."""
    one, other = (np.array([ord(c) for c in _letters(text)], np.int32) for text in (found, layer))
    if not len(other):
        return float(len(one) > 0)
    row = np.arange(len(other) + 1)
    steps = row.copy()
    for number, letter in enumerate(one, 1):
        below = np.minimum(row[1:] + 1, row[:-1] + (other != letter))
        row = np.concatenate(([number], below))
        # What is put in: the least of all places before, and the way from there.
        row = np.minimum.accumulate(row - steps) + steps
    return float(row[-1]) / len(other)


def words_found(found: str, layer: str) -> float:
    """The share of the words of ``layer``, each as often as it stands there, that are in ``found``."""
    words, wanted = (Counter(_plain(text).split()) for text in (found, layer))
    return sum((words & wanted).values()) / max(1, sum(wanted.values()))


def _letters(text: str) -> str:
    return "".join(c for c in _plain(text) if not c.isspace() and c != "-")


def _plain(text: str) -> str:
    """The text without the rules of tables and the dots that lead to a number."""
    return _RULES.sub(" ", unicodedata.normalize("NFKC", text))
