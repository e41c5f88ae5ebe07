"""Parsing in child processes that can be killed: what a hostile file can cost stays bounded.

A child is a plain subprocess that speaks length-prefixed pickles over a socket of its own. Its standard
output goes nowhere (parsers print there), it ignores interrupts (the parent decides), and it dies with
its parent: the kernel is asked to kill it, and an end of file on the socket ends it in any case.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psutil

from ..errors import CorruptFile, LimitExceeded, LoadError, WorkError
from ..pages import PageBox, PageImage, PageReading
from ..sources_names import escape_name
from ..types import Content
from .child_wire import Answer, Asked, Ready, Render, Request, receive_answer, send
from .settings import LoadSettings

_POLL_SECONDS = 0.1
_START_SECONDS = 60.0
_RETIRE_BYTES = 300 * 1024**2
_MODULE = f"{__package__}.child_main"
# A parser of strangers' files gets no more of the environment than Python needs: above all no secrets.
_ENVIRONMENT = re.compile(
    r"PATH|HOME|LANG|TMPDIR|TEMP|TMP|TZ|VIRTUAL_ENV|LC_\w+|PYTHON\w+|LD_LIBRARY_PATH|OMP_\w+|XDG_\w+"
)


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


class _Process:
    """A running child: the process, the channel to it, and the end of the lifeline it hangs on."""

    def __init__(self) -> None:
        self._told = 0.0
        ours, theirs = socket.socketpair()
        self._lifeline, end = socket.socketpair()
        self.channel = ours
        with theirs, end, tempfile.TemporaryFile() as errors:
            fds = (theirs.fileno(), end.fileno())
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE, *map(str, fds)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=fds,
                env={name: value for name, value in os.environ.items() if _ENVIRONMENT.fullmatch(name)},
                process_group=0,
            )
            theirs.close()
            self._greet(errors)

    def _greet(self, errors: IO[bytes]) -> None:
        """Wait for the child's first word. Raises WorkError with what it said instead."""
        self.channel.settimeout(_START_SECONDS)
        try:
            if isinstance(receive_answer(self.channel), Ready):
                return
        except (OSError, EOFError):
            pass
        code = self.end()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip()[-300:]
        raise WorkError(f"the parser process does not start (exit code {code}): {said}")

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def memory(self) -> int:
        """Its resident bytes; 0 once it is gone."""
        try:
            return int(psutil.Process(self._popen.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def used(self) -> float:
        """Seconds of processor time that it took since this was last asked; 0 once it is gone."""
        try:
            times = psutil.Process(self._popen.pid).cpu_times()
        except psutil.Error:
            return 0.0
        before, self._told = self._told, times.user + times.system
        return self._told - before

    def kill(self) -> None:
        """End it at once, without waiting for that."""
        self._popen.kill()

    def end(self, patience: float = 0.0) -> int:
        """Its exit code; it is killed if it does not end by itself within ``patience`` seconds."""
        try:
            code = self._popen.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            code = self._popen.wait()
        self.channel.close()
        self._lifeline.close()
        return code


class _Child:
    """The place of one child: a process is started when needed, and again after it was killed or died."""

    def __init__(self, settings: LoadSettings, closed: threading.Event) -> None:
        self._settings = settings
        self._closed = closed
        self._lock = threading.Lock()
        self._process: _Process | None = None
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

    def _running(self) -> _Process:
        with self._lock:
            if self._closed.is_set():
                raise _stopped()
            if self._process is not None and not self._process.is_alive:
                self._process.end()
                self._process = None
            if self._process is None:
                self._process = _Process()
            return self._process

    def _wait(self, process: _Process, request: Asked) -> Answer:
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
            channel.settimeout(_START_SECONDS)
            answer = receive_answer(channel)
            if isinstance(answer, Ready):
                raise EOFError
            return answer
        raise LimitExceeded(f"{name} took more than {self._settings.max_seconds:g} seconds (max_seconds)")

    def _death(self, process: _Process, request: Asked) -> LoadError:
        """What to say of a file whose child is gone."""
        code = self._drop(process, _POLL_SECONDS)
        if self._closed.is_set():
            return _stopped()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return CorruptFile(f"{escape_name(request.path.name)} crashed its parser ({how})")

    def _drop(self, process: _Process, patience: float = 0.0) -> int:
        with self._lock:
            self._process = None
        return process.end(patience)


def _stopped() -> LoadError:
    return LoadError("parsing was stopped")
