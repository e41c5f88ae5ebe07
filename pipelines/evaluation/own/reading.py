"""The user's documents, read as a build reads them."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....indexer.errors import Cancelled, LoadError
from ....indexer.language import detect_language
from ....indexer.loaders.child import ParserPool
from ....indexer.loaders.loaded import Loaded
from ....indexer.loaders.media import PDF
from ....indexer.redaction.finder import redactor_for
from ....indexer.sources import Root, SourceFile, escape_name, read_stable, unescape_name, walk
from ....indexer.types import Content
from ...config import Config
from ...events import Event, Listener
from ...intake import FileReader
from ...survey import Change
from .layout import Layout

if TYPE_CHECKING:
    from ..printed.index import PrintedIndex

_Documents = Future[list[Loaded]]
_MOST_WORKERS = 4
_PATIENCE = 0.2


@dataclass(frozen=True, slots=True)
class Read:
    """A document as it was read. ``index`` is its printed back-of-book index, None where it has none."""

    source: str
    content: Content
    layout: Layout
    index: PrintedIndex | None = None

    @property
    def language(self) -> str | None:
        """The language of the document, as far as it is known."""
        return self.content.language


@dataclass(slots=True)
class Reading:
    """Reads the documents below ``roots``. ``failed`` are those that could not be read, with the reason;
    ``documents`` counts the others."""

    roots: Sequence[Root]
    config: Config
    listen: Listener
    cancel: threading.Event
    failed: list[tuple[str, str]] = field(default_factory=list)
    documents: int = 0

    def read(self) -> Iterator[Read]:
        """Every document that can be read, by source. Raises SourceUnreadable, Cancelled."""
        walked = walk(self.roots, self.config.ignore)
        self.failed += [(source, error.reason) for source, error in walked.problems]
        total = len(walked.files)
        workers = max(1, min(os.cpu_count() or 1, total, _MOST_WORKERS))
        with ExitStack() as stack:
            pool = stack.enter_context(ParserPool(self.config.load, workers))
            threads = stack.enter_context(ThreadPoolExecutor(workers))
            stack.callback(pool.close)  # before the threads, which wait for it
            reader = FileReader(self.config, pool, redactor=redactor_for(self.config.redact))
            begun = ((file, threads.submit(_documents, reader, file)) for file in walked.files)
            for number, (file, found) in enumerate(self._ahead(begun, workers)):
                self.listen(Event("read", number, total, "documents", file.source))
                for loaded in found:
                    yield from self._take(file, loaded, reader)
        self.listen(Event("read", total, total, "documents"))

    def _ahead(
        self, begun: Iterable[tuple[SourceFile, _Documents]], ahead: int
    ) -> Iterator[tuple[SourceFile, list[Loaded]]]:
        """What each file holds, in order, while the next few are read: drawing from ``begun`` begins one."""
        waiting: deque[tuple[SourceFile, _Documents]] = deque()
        for one in begun:
            waiting.append(one)
            if len(waiting) > ahead:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def _next(self, waiting: deque[tuple[SourceFile, _Documents]]) -> tuple[SourceFile, list[Loaded]]:
        file, future = waiting.popleft()
        while not future.done():
            if self.cancel.is_set():
                raise Cancelled("stopped while the documents were read")
            wait([future], _PATIENCE)
        return file, future.result()

    def _take(self, file: SourceFile, loaded: Loaded, reader: FileReader) -> Iterator[Read]:
        if self.cancel.is_set():
            raise Cancelled("stopped while the documents were read")
        content = loaded.content
        if content is None:
            reason = loaded.error.reason if loaded.error else "nothing was read"
            self.failed.append((loaded.source, reason))
            return
        self.documents += 1
        if content.language is None:
            content = replace(content, language=detect_language(content.text))
        index = None
        if content.media_type == PDF:
            index = self._printed_index(file, reader.password(file.source))
        layout = Layout(loaded.source, content, index.pages if index else ())
        yield Read(loaded.source, content, layout, index)

    def _printed_index(self, file: SourceFile, password: str | None) -> PrintedIndex | None:
        from ..printed.index import printed_index

        try:
            return printed_index(file.path, password, self.config.load)
        except LoadError as error:
            self.failed.append((file.source, f"{error.reason}, its printed index only"))
            return None


def spelled(root: Root) -> str:
    """A root as ``treegraph build`` takes it from any working folder: absolute, with its name where that
    is not the last part of its path."""
    place = unescape_name(root.spec)
    return place if root.name == escape_name(root.path.name) else f"{unescape_name(root.name)}={place}"


def _documents(reader: FileReader, file: SourceFile) -> list[Loaded]:
    try:
        version = read_stable(file.path, file)
    except LoadError as error:
        return [Loaded(file.source, "", None, {}, error)]
    return list(reader.read(Change(file, version, "", 0)))
