"""What the stages of a build take: wall seconds, and seconds of processor time, by stage."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..indexer.tracing import step


def process_time() -> float:
    """Seconds of processor time of this process, and of its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


_THREAD = threading.local()


def current_stage() -> str | None:
    """The stage that this thread is in, of whatever clock."""
    running: _Running | None = getattr(_THREAD, "running", None)
    return running.name if running else None


@dataclass(slots=True)
class _Stage:
    wall: float = 0.0
    cpu: float = 0.0
    busy: int = 0
    since: float = 0.0
    first: float | None = None
    last: float = 0.0


class StageClock:
    """Times stages that overlap and run on several threads. Safe from all of them.

    The wall time of a stage is that in which at least one thread was in it. Its processor time is that of
    the threads while they were in it, and what child processes took for it (:meth:`charge`); what a
    library's own threads take in the background belongs to no stage. A stage that begins within another on
    the same thread interrupts it: nothing is counted twice.
    """

    def __init__(self, *stages: str) -> None:
        self._stages = {name: _Stage() for name in stages}
        self._lock = threading.Lock()

    @property
    def seconds(self) -> dict[str, float]:
        """Wall seconds by stage."""
        with self._lock:
            return {name: stage.wall for name, stage in self._stages.items()}

    @property
    def cpu_seconds(self) -> dict[str, float]:
        """Seconds of processor time by stage."""
        with self._lock:
            return {name: stage.cpu for name, stage in self._stages.items()}

    def trace(self) -> None:
        """Tell whoever collects spans of each stage: from when it first began to when it last ended."""
        with self._lock:
            stages = {name: stage for name, stage in self._stages.items() if stage.first is not None}
        for name, stage in stages.items():
            told = {"treegraph.busy_seconds": stage.wall, "treegraph.cpu_seconds": stage.cpu}
            step(f"treegraph.stage.{name.replace(' ', '_')}", stage.first or 0.0, stage.last, **told)

    @contextmanager
    def time(self, name: str, alone: bool = False) -> Iterator[None]:
        """What runs inside belongs to the stage ``name``, with all that this thread computes.

        ``alone``: nothing else runs meanwhile, so that all of the process is the stage's, and children
        that it started and waited for.
        """
        outer: _Running | None = getattr(_THREAD, "running", None)
        running = _Running(self, name, process_time if alone else time.thread_time)
        if outer is not None:
            outer.pause()
        _THREAD.running = running
        running.go_on()
        try:
            yield
        finally:
            running.pause()
            _THREAD.running = outer
            if outer is not None:
                outer.go_on()

    def charge(self, name: str, cpu: float) -> None:
        """Add processor time that another process took for a stage."""
        with self._lock:
            self._stages.setdefault(name, _Stage()).cpu += cpu

    def enter(self, name: str) -> None:
        """A thread begins to work for a stage."""
        with self._lock:
            stage = self._stages.setdefault(name, _Stage())
            if not stage.busy:
                stage.since = time.monotonic()
            if stage.first is None:
                stage.first = stage.since
            stage.busy += 1

    def leave(self, name: str, cpu: float) -> None:
        """A thread that took ``cpu`` seconds for a stage stops working for it."""
        with self._lock:
            stage = self._stages[name]
            stage.busy -= 1
            stage.cpu += cpu
            if not stage.busy:
                stage.last = time.monotonic()
                stage.wall += stage.last - stage.since


@dataclass(slots=True)
class _Running:
    """One stretch of a stage on one thread; ``used`` tells the processor time that is its."""

    clock: StageClock
    name: str
    used: Callable[[], float]
    since: float = 0.0

    def go_on(self) -> None:
        """Count from now on."""
        self.since = self.used()
        self.clock.enter(self.name)

    def pause(self) -> None:
        """Count no further."""
        self.clock.leave(self.name, self.used() - self.since)
