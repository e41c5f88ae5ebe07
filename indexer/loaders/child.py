"""Parsing in child processes that can be killed: what a hostile file can cost stays bounded."""

from __future__ import annotations

import contextlib
import queue
import signal
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import CorruptFile, LimitExceeded, LoadError
from ..pages import PageBox, PageImage, PageReading
from ..sources_names import escape_name
from ..types import Content
from .child_process import PATIENCE, ChildProcess
from .child_wire import Answer, Asked, Ready, Render, Request, receive_answer, send
from .settings import LoadSettings

_POLL_SECONDS = 0.1
_RETIRE_BYTES = 300 * 1024**2


class ParserPool:
    """A few child processes that parse files. A context manager; safe from several threads.

    Children start when they are first needed. ``close`` kills them at once, and a call that waits for
    one then raises LoadError.
    """

    def __init__(self, settings: LoadSettings, workers: int = 1) -> None:
        if workers < 1:
            raise ValueError("workers must be at least 1")
        self._settings = settings
        self._closed = threading.Event()
        self._children = [_Child(settings, self._closed) for _ in range(workers)]
        self._free: queue.SimpleQueue[_Child] = queue.SimpleQueue()
        for child in self._children:
            self._free.put(child)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def parse(
        self,
        path: Path,
        media_type: str,
        password: str | None = None,
        readings: Sequence[PageReading] = (),
    ) -> Content:
        """What the loader of ``media_type`` reads from ``path``, in a child; ``readings`` take the place of
        those pages' text layers.

        Raises the LoadError that the loader raised; LimitExceeded when the child took more seconds or
        memory than the settings allow; CorruptFile when the file crashed it. Blocks until a child is
        free and has answered.
        """
        answer = self._ask(Request(path, media_type, self._settings, password, tuple(readings)))
        if not isinstance(answer, Content):
            raise CorruptFile(f"{escape_name(path.name)} made its parser answer something else")
        return answer

    def draw(
        self,
        path: Path,
        media_type: str,
        number: int,
        dpi: float,
        password: str | None = None,
        max_pixels: int | None = None,
        marks: Sequence[PageBox] = (),
        clip: PageBox | None = None,
    ) -> PageImage:
        """Page ``number`` (1-based) of a file as a picture, at ``dpi`` or at less where that would be more
        than ``max_pixels`` (of the settings, or fewer), with ``marks`` on it; what is in ``clip`` alone,
        where that is given. Raises and blocks as :meth:`parse`."""
        settings = self._settings
        if max_pixels is not None:
            settings = replace(settings, max_pixels=min(max_pixels, settings.max_pixels))
        asked = Render(path, media_type, settings, number, dpi, password, tuple(marks), clip)
        answer = self._ask(asked)
        if not isinstance(answer, PageImage):
            raise CorruptFile(f"{escape_name(path.name)} made its parser answer something else")
        return answer

    def _ask(self, asked: Asked) -> Content | PageImage:
        while True:
            self._check_open()
            with contextlib.suppress(queue.Empty):
                child = self._free.get(timeout=_POLL_SECONDS)
                break
        try:
            return child.ask(asked)
        finally:
            self._free.put(child)
            if self._closed.is_set():
                self._discard_free()

    @property
    def cpu_seconds(self) -> float:
        """Processor time that the children took for what was parsed, their start included."""
        return sum(child.cpu_seconds for child in self._children)

    def close(self) -> None:
        """Kill the children, whatever they are doing. Nothing can be parsed any more."""
        self._closed.set()
        for child in self._children:
            child.kill()
        self._discard_free()

    def _discard_free(self) -> None:
        """Clear away the processes that no thread waits for; the others are by the thread that does."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._free.get_nowait().discard()

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise _stopped()


class _Child:
    """The place of one child: a process is started when needed, and again after it was killed or died."""

    def __init__(self, settings: LoadSettings, closed: threading.Event) -> None:
        self._settings = settings
        self._closed = closed
        self._lock = threading.Lock()
        self._process: ChildProcess | None = None
        self.cpu_seconds = 0.0

    def ask(self, request: Asked) -> Content | PageImage:
        """What was asked for, from the process in this place."""
        process = self._running()
        try:
            send(process.channel, request)
            answer = self._wait(process, request)
        except (OSError, EOFError) as error:
            raise self._death(process, request) from error
        except BaseException:
            self.cpu_seconds += process.used()
            self._drop(process)
            raise
        self.cpu_seconds += process.used()
        if process.memory() > _RETIRE_BYTES:
            self._drop(process)
        if isinstance(answer, LoadError):
            raise answer
        return answer

    def kill(self) -> None:
        """End the process at once. A thread that waits for it sees the end of its channel."""
        with self._lock:
            if self._process is not None:
                self._process.kill()

    def discard(self) -> None:
        """End the process, if there is one, and wait for that."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.end()

    def _running(self) -> ChildProcess:
        with self._lock:
            if self._closed.is_set():
                raise _stopped()
            if self._process is not None and not self._process.is_alive:
                self._process.end()
                self._process = None
            if self._process is None:
                self._process = ChildProcess()
            return self._process

    def _wait(self, process: ChildProcess, request: Asked) -> Answer:
        """The child's answer. Watches its time and memory meanwhile."""
        deadline = time.monotonic() + self._settings.max_seconds
        channel, name = process.channel, escape_name(request.path.name)
        channel.settimeout(_POLL_SECONDS)
        while time.monotonic() < deadline:
            try:
                channel.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                if process.memory() > self._settings.max_memory:
                    raise LimitExceeded(
                        f"{name} needs more than {self._settings.max_memory} bytes of memory (max_memory)"
                    ) from None
                continue
            channel.settimeout(PATIENCE)
            answer = receive_answer(channel)
            if isinstance(answer, Ready):
                raise EOFError
            return answer
        raise LimitExceeded(f"{name} took more than {self._settings.max_seconds:g} seconds (max_seconds)")

    def _death(self, process: ChildProcess, request: Asked) -> LoadError:
        """What to say of a file whose child is gone."""
        code = self._drop(process, _POLL_SECONDS)
        if self._closed.is_set():
            return _stopped()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return CorruptFile(f"{escape_name(request.path.name)} crashed its parser ({how})")

    def _drop(self, process: ChildProcess, patience: float = 0.0) -> int:
        with self._lock:
            self._process = None
        return process.end(patience)


def _stopped() -> LoadError:
    return LoadError("parsing was stopped")
