"""Pages read from their pictures: drawn, looked up, read side by side, and what to do where that fails."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from ..indexer.errors import (
    Cancelled,
    InvalidModelOutput,
    LoadError,
    ModelCallError,
    PictureUnreadable,
    SecretOnPage,
)
from ..indexer.loaders.pdf_ways import SOUND
from ..indexer.models.call_cache import call_key
from ..indexer.pages import Origin, PageImage, PageReading, Wanted
from ..indexer.redaction.content import redact_reading
from ..indexer.redaction.finder import Redactor
from .daemon_threads import on_daemon_threads
from .events import Event, Listener
from .kept_readings import failure_to_json, reading_from_json, reading_to_json
from .model_counts import ModelCounts
from .page_readers import Eye, PageReaders
from .pages_under_way import STOPPED, PagesUnderWay
from .pixel_room import PixelRoom
from .stage_clock import StageClock

log = logging.getLogger(__name__)


class KeptPages(Protocol):
    """Keeps what was read of pages; see :class:`..indexer.stores.ledger_readings.ReadingLedger`."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, source: str, reader: str, body: str) -> None: ...

    def trim(self, source: str, reader: str, keys: Collection[str]) -> None: ...


Draw = Callable[[int, Eye], PageImage]
"""Draws a page (1-based) as an eye wants it. Raises LoadError."""

_FALLBACKS: dict[Origin, tuple[Origin, ...]] = {"native": ("native", "ocr"), "ocr": ("ocr",), "text": ()}
_PIXELS = 24_000_000
"""Pixels of the pictures that are read at once: what a reader makes of them is some ten times as large."""
_PATIENCE = 0.2
_Outcome = tuple[PageReading, bool]


@dataclass(frozen=True, slots=True)
class PagesRead:
    """What was read of the pages that were wanted: a reading for each, which says ``text`` where its text
    layer stays. ``left`` are those that another build should try again."""

    readings: tuple[PageReading, ...]
    left: tuple[Wanted, ...]


class PagePictures:
    """Reads wanted pages by their pictures, each once: readings are kept in ``known``, by the reader's name
    and the picture's digest.

    What fails natively goes to OCR, then to the text layer; at once to that where nothing is wrong with it.
    ``failed`` counts the failures by reason. Used for one document at a time.
    """

    def __init__(
        self,
        readers: PageReaders,
        known: KeptPages,
        clock: StageClock,
        listen: Listener,
        cancel: threading.Event,
        redactor: Redactor | None = None,
    ) -> None:
        """``redactor`` takes secrets out of what is read, before it is kept."""
        self.failed: Counter[str] = Counter()
        self.counts = ModelCounts()
        self._readers = readers
        self._known = known
        self._used: defaultdict[str, set[str]] = defaultdict(set)
        self._undrawn = False
        self._warned: set[tuple[Origin, str]] = set()
        self._clock = clock
        self._listen = listen
        self._cancel = cancel
        self._redactor = redactor
        self._room = PixelRoom(_PIXELS)
        self._under_way = PagesUnderWay(cancel)
        self._done: Counter[Origin] = Counter()
        self._total: Counter[Origin] = Counter()
        self._cached: Counter[Origin] = Counter()

    def read(self, source: str, draw: Draw, wanted: Sequence[Wanted]) -> PagesRead:
        """Read the pages ``wanted`` of a document. Raises Cancelled, with what was read kept;
        ModelUnavailable and ConfigurationError where a reader cannot be loaded."""
        self._used.clear()
        self._undrawn = False
        eyes = {page.way: self._readers.eye(page.way) for page in wanted}
        for page in wanted:
            self._total[page.way] += 1
        for way in eyes:
            self._tell(way, source)
        threads = max((eye.reader.concurrency for eye in eyes.values() if eye), default=1)
        # Whatever the pages take counts for their stage, not for the loading that waits for them.
        with self._clock.time(wanted[0].way):
            calls = [partial(self._page, source, draw, page) for page in wanted]
            begun = on_daemon_threads(threads, "treegraph-pages", calls)
            try:
                done = [self._outcome(future) for future in begun]
            except BaseException:
                self._give_up(begun)
                raise
        if not self._undrawn:  # else what was read of a page that could not be drawn today is among the rest
            for reader, keys in self._used.items():
                self._known.trim(source, reader, keys)
        readings = tuple(reading for reading, _ in done)
        return PagesRead(
            readings, tuple(page for page, (_, again) in zip(wanted, done, strict=True) if again)
        )

    def spent(self, way: Origin) -> ModelCounts:
        """What a way's reader counted of its calls, and what the cache answered in its place."""
        counts = ModelCounts()
        eye = self._readers.eye(way) if self._total[way] else None
        work = eye.reader.work if eye is not None else None
        if work is not None:
            counts.take(work)
            counts.cached += self._cached[way]
        return counts

    def _outcome(self, page: Future[_Outcome]) -> _Outcome:
        while not page.done():
            if self._cancel.is_set():
                raise Cancelled(STOPPED)
            wait([page], _PATIENCE)
        return page.result()

    def _give_up(self, begun: Sequence[Future[_Outcome]]) -> None:
        """Begin no page any more; those that are under way end by themselves, unless the user stops."""
        under_way = [page for page in begun if not page.cancel()]
        while wait(under_way, _PATIENCE).not_done and not self._cancel.is_set():
            continue
        self._under_way.give_up()

    def _page(self, source: str, draw: Draw, wanted: Wanted) -> _Outcome:
        """The reading of one page, and whether another build should try again."""
        faults: list[tuple[Origin, str]] = []
        again = False
        ways = (wanted.way,) if wanted.why in SOUND else _FALLBACKS[wanted.way]
        for way in ways:
            self._under_way.require_open()
            eye = self._readers.eye(way)
            if eye is None:
                continue
            try:
                reading = self._by(eye, source, draw, wanted)
            except (ModelCallError, LoadError) as error:
                faults.append((way, error.reason))
                self._warn(source, wanted, way, error)
                again = again or _passes(error)
            else:
                self._settle(source, wanted, faults)
                return replace(reading, why="; ".join(filter(None, (*_told(faults), reading.why)))), again
        self._settle(source, wanted, faults)
        return PageReading(wanted.number, "text", why="; ".join((wanted.why, *_told(faults)))), again

    def _warn(self, source: str, wanted: Wanted, way: Origin, error: ModelCallError | LoadError) -> None:
        """Log the first failure of its kind in a build, whole: counts do not say which server it was."""
        with self._under_way.telling() as may_tell:
            known = (way, error.reason) in self._warned or not may_tell
            self._warned.add((way, error.reason))
        if not known:
            log.warning("page %d of %s was not read by %s: %s", wanted.number, source, way, error)

    def _settle(self, source: str, wanted: Wanted, faults: Sequence[tuple[Origin, str]]) -> None:
        with self._under_way.telling() as may_tell:
            if not may_tell:
                return
            self.failed.update(f"page not read by {way}: {reason}" for way, reason in faults)
            self._done[wanted.way] += 1
        self._tell(wanted.way, source)

    def _tell(self, way: Origin, source: str) -> None:
        with self._under_way.telling() as may_tell:
            if not may_tell:
                return
            self._listen(Event(way, self._done[way], self._total[way], "pages", source))

    def _by(self, eye: Eye, source: str, draw: Draw, wanted: Wanted) -> PageReading:
        """What an eye sees on a page, or saw on the same picture before. Raises ModelCallError, LoadError."""
        try:
            image = draw(wanted.number, eye)
        except LoadError:
            self._undrawn = True
            raise
        layer = image.text if eye.way == "native" else ""
        if layer and self._redactor is not None and self._redactor.find(layer):
            raise SecretOnPage(f"page {wanted.number} shows a secret, so that no model is to see it")
        name = eye.reader.name
        key = call_key(name, layer, f"{image.digest} {image.dpi:g}")
        kept = self._known.get(key)
        with self._under_way.telling():
            self._used[name].add(key)
            self._cached[eye.way] += kept is not None
        if kept is not None:
            self._keep(key, source, name, kept)
            return reading_from_json(kept, wanted.number)
        room = self._room.taken(image.width * image.height)
        with room, self._clock.time(eye.way), self._under_way.reading(eye.way):
            try:
                reading = eye.reader.read(image)
            except ModelCallError as error:
                if not _passes(error):
                    self._keep(key, source, name, failure_to_json(error))
                raise
            if self._redactor is not None:
                reading = redact_reading(reading, self._redactor)
            self._keep(key, source, name, reading_to_json(reading))
        return reading

    def _keep(self, key: str, source: str, reader: str, body: str) -> None:
        with self._under_way.telling() as may_tell:
            if not may_tell:
                raise Cancelled(STOPPED)
            self._known.put(key, source, reader, body)


def _told(faults: Sequence[tuple[Origin, str]]) -> list[str]:
    return [f"{way} failed: {reason}" for way, reason in faults]


def _passes(error: Exception) -> bool:
    """Whether the same call may succeed another day: not where the model answered, or the page is damaged."""
    for_good = (InvalidModelOutput, PictureUnreadable)
    return isinstance(error, ModelCallError) and not isinstance(error, for_good)
