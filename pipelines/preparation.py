"""From a changed file to documents with situated chunks, one file after the other, in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..indexer.errors import Cancelled, LoadError
from ..indexer.loaders.loaded import Loaded
from ..indexer.pages import Origin, Page
from ..indexer.types import Chunk, Document
from .stage_clock import StageClock
from .survey import Change

_AHEAD = 8
"""Documents that may wait, prepared, for the embedder."""
_PATIENCE = 0.2
"""Seconds between two looks at whether to stop."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document, without its content, and its chunks with their contexts.

    ``file`` is the source of the file it came from, ``root`` the name of the root that owns that; ``owed``
    counts the chunks that a model is still to situate.
    """

    document: Document
    file: str
    root: str
    chunks: Sequence[Chunk]
    pages: tuple[Page, ...]
    owed: int = 0


@dataclass(frozen=True, slots=True)
class FileRead:
    """A changed file is read to its end. ``failures`` are (source, error) of what it did not give.

    ``open_to`` and ``left`` are its content's: in which ways its pages can be read, and how many of them
    should be read again, by the way that was wanted."""

    change: Change
    failures: tuple[tuple[str, LoadError], ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    open_to: tuple[Origin, ...] | None = None
    left: Mapping[Origin, int] = field(default_factory=dict)


class Reader(Protocol):
    """Reads one changed file into documents; what could not be read comes as an error, in place."""

    def read(self, change: Change) -> Iterator[Loaded]:
        """The documents of a file, or the errors in their places."""
        ...


class Situate(Protocol):
    """Names a document, cuts it and situates its chunks."""

    def __call__(self, change: Change, loaded: Loaded) -> Prepared:
        """Raises LoadError where the document's own metadata is wrong."""
        ...


class Preparation:
    """Reads changes ahead of the embedder. Iterating gives the documents of each file, then its FileRead.

    ``stop`` ends a read that is under way, whatever it waits for.
    ``clock`` times reading (``load``) and cutting (``chunk``), which overlap with embedding.
    """

    def __init__(
        self,
        reader: Reader,
        situate: Situate,
        cancel: threading.Event,
        stop: Callable[[], None],
        clock: StageClock,
    ) -> None:
        self._reader = reader
        self._situate = situate
        self._cancel = cancel
        self._stop_reading = stop
        self._queue: queue.Queue[Prepared | FileRead | BaseException | None] = queue.Queue(_AHEAD)
        self._stop = threading.Event()
        self._clock = clock

    def run(self, changes: Sequence[Change]) -> Iterator[Prepared | FileRead]:
        """Prepare ``changes``, smallest file first, so that the embedder soon has work."""
        ordered = sorted(changes, key=lambda change: (change.file.size, change.file.source))
        thread = threading.Thread(target=self._work, args=(ordered,), name="treegraph-prepare", daemon=True)
        thread.start()
        try:
            while (item := self._next()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._stop.set()
            if thread.is_alive():
                self._stop_reading()
            while thread.is_alive():
                self._drain()
                thread.join(0.05)

    def _next(self) -> Prepared | FileRead | BaseException | None:
        while not self._cancel.is_set():
            try:
                return self._queue.get(timeout=_PATIENCE)
            except queue.Empty:
                continue
        raise Cancelled("stopped; what was read and embedded is kept")

    def _work(self, changes: Sequence[Change]) -> None:
        try:
            for change in changes:
                self._file(change)
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that iterates
            self._put(error)

    def _file(self, change: Change) -> None:
        failures: list[tuple[str, LoadError]] = []
        dropped: dict[str, int] = {}
        open_to: tuple[Origin, ...] | None = None
        left: Mapping[Origin, int] = {}
        reading = self._reader.read(change)
        while (loaded := self._load(reading)) is not None:
            if self._stop.is_set() or self._cancel.is_set():
                raise Cancelled("stopped")
            if loaded.content is None:
                failures.append((loaded.source, loaded.error or LoadError("nothing was read")))
            else:
                for reason, count in loaded.content.dropped.items():
                    dropped[reason] = dropped.get(reason, 0) + count
                open_to, left = loaded.content.open_to, Counter(page.way for page in loaded.content.wanted)
                self._document(change, loaded, failures)
        self._put(FileRead(change, tuple(failures), dropped, open_to, left))

    def _load(self, reading: Iterator[Loaded]) -> Loaded | None:
        with self._clock.time("load"):
            return next(reading, None)

    def _document(self, change: Change, loaded: Loaded, failures: list[tuple[str, LoadError]]) -> None:
        try:
            with self._clock.time("chunk"):
                prepared = self._situate(change, loaded)
        except LoadError as error:
            failures.append((loaded.source, error))
            return
        self._put(prepared)

    def _put(self, item: Prepared | FileRead | BaseException | None) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=_PATIENCE)
                return
            except queue.Full:
                continue

    def _drain(self) -> None:
        while True:
            try:
                self._queue.get_nowait()
            except queue.Empty:
                return
