"""From a changed file to documents with situated chunks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..indexer.errors import BudgetSpent, Cancelled, LoadError
from ..indexer.loaders.loaded import Loaded
from ..indexer.pages import Origin, Page
from ..indexer.types import Chunk, Document
from .stage_clock import StageClock
from .survey import Change

Failing = LoadError | BudgetSpent
"""Why a document was not prepared."""


@dataclass(frozen=True, slots=True)
class FileOrder:
    """A changed file that is to be read. ``ids`` are those of its known documents, by the source that each
    has now."""

    change: Change
    ids: Mapping[str, str] = field(default_factory=dict)


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
    failures: tuple[tuple[str, Failing], ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    open_to: tuple[Origin, ...] | None = None
    left: Mapping[Origin, int] = field(default_factory=dict)


class Reader(Protocol):
    """Reads one changed file into documents; what could not be read comes as an error, in place."""

    def read(self, change: Change) -> Iterator[Loaded]:
        """The documents of a file, or the errors in their places."""
        ...


def smallest_first(changes: Sequence[Change]) -> list[Change]:
    """The order in which files are prepared: so the embedder soon has work."""
    return sorted(changes, key=lambda change: (change.file.size, change.file.source))


class Situate(Protocol):
    """Names a document, cuts it and situates its chunks."""

    def __call__(self, order: FileOrder, loaded: Loaded) -> Prepared:
        """Raises LoadError where the document's own metadata is wrong."""
        ...


class FilePreparer:
    """Prepares one file after the other. ``clock`` times reading (``load``) and cutting (``chunk``); once
    ``cancel`` is set, the next document raises Cancelled."""

    def __init__(self, reader: Reader, situate: Situate, clock: StageClock, cancel: threading.Event) -> None:
        self._reader = reader
        self._situate = situate
        self._clock = clock
        self._cancel = cancel

    def prepare(self, order: FileOrder) -> Iterator[Prepared | FileRead]:
        """The documents of a file, then its FileRead."""
        failures: list[tuple[str, Failing]] = []
        dropped: Counter[str] = Counter()
        open_to: tuple[Origin, ...] | None = None
        left: Mapping[Origin, int] = {}
        reading = self._reader.read(order.change)
        while (loaded := self._load(reading)) is not None:
            if self._cancel.is_set():
                raise Cancelled("stopped")
            if loaded.content is None:
                failures.append((loaded.source, loaded.error or LoadError("nothing was read")))
                continue
            dropped.update(loaded.content.dropped)
            open_to, left = loaded.content.open_to, Counter(page.way for page in loaded.content.wanted)
            try:
                prepared = self._situated(order, loaded)
            except (LoadError, BudgetSpent) as error:
                failures.append((loaded.source, error))
                continue
            yield prepared
        yield FileRead(order.change, tuple(failures), dict(dropped), open_to, left)

    def _load(self, reading: Iterator[Loaded]) -> Loaded | None:
        with self._clock.time("load"):
            return next(reading, None)

    def _situated(self, order: FileOrder, loaded: Loaded) -> Prepared:
        with self._clock.time("chunk"):
            return self._situate(order, loaded)
