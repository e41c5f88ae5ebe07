"""The driver's side of its workers' requests: the calls are made here, on threads of their own."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ray

from ...indexer.error_lines import first_line
from ...indexer.errors import Cancelled, TreegraphError, WorkError
from ..events import Event, Listener
from .driver_ports import METHODS, SLOW
from .ray_tasks import Reply, Request

_PATIENCE = 0.5
_QUICK = 4
"""Threads for what the ledger and the index's folder answer."""


class DriverService:
    """Answers what comes over ``desk`` with ``ports``. What asks a service has ``concurrency`` threads. Once
    ``cancel`` is set it is answered with Cancelled, and nothing is asked any more."""

    def __init__(
        self, desk: Any, ports: Mapping[str, object], concurrency: int, cancel: threading.Event
    ) -> None:
        self._desk = desk
        self._ports = ports
        self._cancel = cancel
        self._closed = threading.Event()
        self._fault = ""
        self._quick = ThreadPoolExecutor(_QUICK, "treegraph-desk")
        self._slow = ThreadPoolExecutor(max(1, concurrency), "treegraph-service")
        self._thread = threading.Thread(target=self._serve, name="treegraph-driver", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raises WorkError once workers are not answered any more: they would wait for ever."""
        if self._fault:
            raise WorkError(
                f"the workers cannot be answered any more: {self._fault}; the same command goes on from there"
            )

    def close(self) -> None:
        """Answer no more, and wait for what is being done."""
        self._closed.set()
        self._thread.join()
        for pool in (self._quick, self._slow):
            pool.shutdown(cancel_futures=True)

    def _serve(self) -> None:
        try:
            while not self._closed.is_set():
                for request in ray.get(self._desk.take.remote(_PATIENCE)):
                    pool = self._slow if request.port in SLOW else self._quick
                    pool.submit(self._answer, request)
        except Exception as error:  # noqa: BLE001 - it is raised again by the thread that waits for workers
            self._fault = first_line(error)

    def _answer(self, request: Request) -> None:
        try:
            reply = Reply(self._called(request))
        except Exception as error:  # noqa: BLE001 - it is raised again where it was asked for
            reply = Reply(error=_loadable(error))
        try:
            self._desk.answer.remote(request.number, reply)
        except (TypeError, AttributeError, ValueError) as error:  # what cannot be sent
            failed = WorkError(f"the driver's answer cannot be sent to a worker: {reply.error or error}")
            self._desk.answer.remote(request.number, Reply(error=failed))

    def _called(self, request: Request) -> Any:
        if self._cancel.is_set():
            raise Cancelled("stopped")
        if request.method not in METHODS[request.port]:
            raise WorkError(f"workers do not ask for {request.port}.{request.method}")
        return getattr(self._ports[request.port], request.method)(*request.arguments)


def _loadable(error: Exception) -> Exception:
    """An error that can be made again elsewhere: of one that is not ours, which may take more than a message,
    what it says and where it came from."""
    if isinstance(error, TreegraphError):
        return error
    return RuntimeError("".join(traceback.format_exception(error)).strip())


class TellsTotals:
    """Passes on what workers tell of their files: of every stage the sums over all files."""

    def __init__(self, listen: Listener) -> None:
        self._listen = listen
        self._files: dict[tuple[str, str, str | None], tuple[int, int]] = {}
        self._sums: dict[tuple[str, str], tuple[int, int]] = {}
        self._lock = threading.Lock()

    def tell(self, event: Event) -> None:
        """An event of one file, named by its item."""
        stage, file = (event.stage, event.unit), (event.stage, event.unit, event.item)
        now = event.done, event.total or 0
        with self._lock:
            (done, total), before = self._sums.get(stage, (0, 0)), self._files.get(file, (0, 0))
            self._files[file] = now
            self._sums[stage] = done + now[0] - before[0], total + now[1] - before[1]
            self._listen(Event(event.stage, *self._sums[stage], event.unit, event.item))


class HandlesLogs:
    """Has what workers log handled as if it were logged here."""

    def handle(self, record: logging.LogRecord) -> None:
        """A record of a worker."""
        logging.getLogger(record.name).handle(record)
