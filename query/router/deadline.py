"""When a search must be over, and work that is left behind when it is late."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from queue import Empty, Queue
from time import perf_counter
from typing import TypeVar

log = logging.getLogger(__name__)

Made = TypeVar("Made")


class TimeUp(Exception):
    """What was asked for did not come in time."""


class Deadline:
    """``seconds`` from now on; None: no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else perf_counter() + seconds

    @property
    def left(self) -> float | None:
        """Seconds until then, at least 0; None without a limit."""
        return None if self._end is None else max(0.0, self._end - perf_counter())

    def run(self, work: Callable[[], Made], held: AbstractContextManager[object]) -> Made:
        """What ``work`` gives; with a limit from a thread of its own, within ``held``, which outlives this
        call where the thread does: a store that hangs cannot be interrupted, but it need not be waited for.

        Raises what ``work`` raises, and TimeUp where it is late.
        """
        left = self.left
        if left is None:
            return work()
        if left == 0.0:
            raise TimeUp
        return _apart(work, held, left)


def _apart(work: Callable[[], Made], held: AbstractContextManager[object], seconds: float) -> Made:
    done: Queue[tuple[Made | None, Exception | None]] = Queue(maxsize=1)
    held.__enter__()

    def go() -> None:
        try:
            try:
                made: tuple[Made | None, Exception | None] = work(), None
            except Exception as error:  # the outer edge of a thread: raised again where it is waited for
                log.debug("failed in a thread of its own", exc_info=True)
                made = None, error
            done.put(made)
        finally:
            held.__exit__(None, None, None)

    threading.Thread(target=go, name="treegraph-search", daemon=True).start()
    try:
        result, error = done.get(timeout=seconds)
    except Empty:
        raise TimeUp from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # None only where work gives None
