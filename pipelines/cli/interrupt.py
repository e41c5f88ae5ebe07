"""Ctrl-C: the first asks the work to stop at its next safe point, the second stops at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .common import Common
from .failing import INTERRUPTED, fail
from .output import note

_SHOW_CURSOR = b"\x1b[?25h"


@contextmanager
def cancelled_by_interrupt(common: Common) -> Iterator[threading.Event]:
    """Give an event that SIGINT or SIGTERM sets while the block runs; a second one ends the process.

    The handler is installed even where SIGINT was ignored before, as for a job that a script starts in
    the background, so that ``kill -INT`` stops a build wherever it runs.
    """
    cancel = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            # Nothing is lost: whatever is published is whole, and the next run takes up the rest.
            if sys.stderr.isatty():
                os.write(2, _SHOW_CURSOR)
            os._exit(fail(common, "Cancelled", "stopped at once; the same command goes on", INTERRUPTED))
        cancel.set()
        note("treegraph: stopping at the next safe point; Ctrl-C again stops at once")

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
