"""Files prepared ahead of the embedder, one after the other, in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator

from ..indexer.errors import Cancelled
from .preparation import FileOrder, FilePreparer, FileRead, Prepared

_AHEAD = 8
"""Documents that may wait, prepared, for the embedder."""
_PATIENCE = 0.2
"""Seconds between two looks at whether to stop."""


class ReadingAhead:
    """Prepares files ahead. Iterating gives the documents of each file, then its FileRead.

    ``stop`` ends a read that is under way, whatever it waits for.
    """

    def __init__(self, preparer: FilePreparer, cancel: threading.Event, stop: Callable[[], None]) -> None:
        self._preparer = preparer
        self._cancel = cancel
        self._stop_reading = stop
        self._queue: queue.Queue[Prepared | FileRead | BaseException | None] = queue.Queue(_AHEAD)
        self._stop = threading.Event()

    def run(self, orders: Iterable[FileOrder]) -> Iterator[Prepared | FileRead]:
        """Prepare the files of ``orders``. Raises Cancelled, and what preparing raises."""
        thread = threading.Thread(target=self._work, args=(orders,), name="treegraph-prepare", daemon=True)
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

    def _work(self, orders: Iterable[FileOrder]) -> None:
        try:
            for order in orders:
                for item in self._preparer.prepare(order):
                    self._put(item)
                    if self._stop.is_set():
                        return
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that iterates
            self._put(error)

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
