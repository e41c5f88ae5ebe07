"""A child process that parses, and the channel to it.

A child is a plain subprocess that speaks length-prefixed pickles over a socket of its own. Its standard
output goes nowhere (parsers print there), it ignores interrupts (the parent decides), and it dies with
its parent: the kernel is asked to kill it, and an end of file on the socket ends it in any case.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
from typing import IO

import psutil

from ..errors import WorkError
from .child_wire import Ready, receive_answer

PATIENCE = 60.0
"""Seconds that a child has to start, and an answer that has begun to be read whole."""
_MODULE = f"{__package__}.child_main"
# A parser of strangers' files gets no more of the environment than Python needs: above all no secrets.
_ENVIRONMENT = re.compile(
    r"PATH|HOME|LANG|TMPDIR|TEMP|TMP|TZ|VIRTUAL_ENV|LC_\w+|PYTHON\w+|LD_LIBRARY_PATH|OMP_\w+|XDG_\w+"
)


class ChildProcess:
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
        self.channel.settimeout(PATIENCE)
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
