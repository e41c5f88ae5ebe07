"""Peak memory of a process and all its children, as proportional set size."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import psutil

_INTERVAL = 0.5


def tree_pss() -> int:
    """Bytes of proportional set size, summed over this process and its descendants.

    Where the system does not tell it (no /proc/*/smaps_rollup), the resident set size.
    """
    total = 0
    own = psutil.Process()
    for process in [own, *own.children(recursive=True)]:
        try:
            memory = process.memory_full_info()
            total += getattr(memory, "pss", memory.rss)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total


class PeakMemory:
    """Samples :func:`tree_pss` in the background; ``peak`` is the most that was seen, in bytes.

    ``samples`` are (seconds since the start, bytes), ``cpu`` the processor seconds that sampling took.
    """

    def __init__(self, interval: float = _INTERVAL) -> None:
        self.peak = 0
        self.cpu = 0.0
        self.samples: list[tuple[float, int]] = []
        self._interval = interval
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="treegraph-memory", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        began = time.monotonic()
        while True:
            size = tree_pss()
            self.samples.append((time.monotonic() - began, size))
            self.peak = max(self.peak, size)
            self.cpu = time.thread_time()
            if self._done.wait(self._interval):
                return
