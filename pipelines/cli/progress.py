"""Progress on stderr: bars on a terminal; elsewhere a line at the start and the end, and how far it is every
half minute; nothing with -q. Where stderr takes JSON, a line a stage now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .logs import say_line, speaks_json
from .output import note, one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EVERY = 30.0
"""Seconds between two lines where stderr is no terminal."""
_RATED = ("chunks", "pages")
"""Units whose number a second is shown, the first that a stage counts."""

_EVERY = 10.0
"""Seconds between two lines about the same count of a stage."""


class Step(Protocol):
    """What is shown of an event, whoever sends it (see ``pipelines.events.Event``)."""

    @property
    def stage(self) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int | None: ...
    @property
    def unit(self) -> str: ...
    @property
    def item(self) -> str | None: ...


class Listener(Protocol):
    """Receives events, from any thread."""

    def __call__(self, event: Step, /) -> None: ...


@contextmanager
def progress(work: str, quiet: bool, every: float = EVERY) -> Iterator[Listener]:
    """Show ``work`` (as ``building manuals.index``) while the block runs; gives the listener for events.
    ``every`` so many seconds there is a line where stderr is no terminal."""
    if quiet:
        yield lambda event: None
    elif sys.stderr.isatty() and not speaks_json():
        with _bars() as bars:
            yield _Bars(bars)
    else:
        started = time.monotonic()
        note(f"{work} ...")
        with nullcontext(_JsonLines()) if speaks_json() else _lines(work, every) as listener:
            yield listener
        note(f"{work}: done in {time.monotonic() - started:.1f} s")


class _JsonLines:
    """A line of JSON for the first step of a stage in a unit, for its last, and every so often between."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def __call__(self, event: Step, /) -> None:
        now, key = time.monotonic(), (event.stage, event.unit)
        with self._lock:
            if event.done != event.total and now - self._told.get(key, -_EVERY) < _EVERY:
                return
            self._told[key] = now
            total = "" if event.total is None else f" of {event.total:,}"
            message = f"{event.stage}: {event.done:,}{total} {event.unit}"
            counted: dict[str, Any] = {"done": event.done, "total": event.total, "unit": event.unit}
            source = one_line(event.item) if event.item else None
            say_line("info", "treegraph.progress", message, stage=event.stage, source=source, **counted)


class _Bars:
    """A bar a stage: all its units are counted, the first whose total is known moves the bar."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._stages: dict[str, _Stage] = {}
        self._lock = threading.Lock()

    def __call__(self, event: Step, /) -> None:
        with self._lock:
            if event.stage not in self._stages:
                task = self._bars.add_task(event.stage, total=None, counts="", rate="", item="")
                self._stages[event.stage] = _Stage(task, time.monotonic())
            stage = self._stages[event.stage]
            stage.count(event)
            shown: dict[str, Any] = {"counts": " · ".join(stage.counts.values()), "rate": stage.rate()}
            if event.item:
                shown["item"] = one_line(event.item)[-48:]
            if event.unit == stage.measure:
                shown |= {"completed": event.done, "total": event.total}
            self._bars.update(stage.task, **shown)


@dataclass(slots=True)
class _Stage:
    """What is known of a stage: its bar, when it began, its counts by unit, the unit that moves the bar."""

    task: TaskID
    began: float
    counts: dict[str, str] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    measure: str | None = None

    def count(self, event: Step) -> None:
        total = f"/{event.total:,}" if event.total is not None else ""
        self.counts[event.unit] = f"{event.done:,}{total} {event.unit}"
        self.done[event.unit] = event.done
        if event.total is not None and self.measure is None:
            self.measure = event.unit

    def rate(self) -> str:
        """Units per second since the stage began, as ``136 chunks/s``, of what takes the time."""
        unit = next((unit for unit in _RATED if unit in self.done), None)
        seconds = time.monotonic() - self.began
        if unit is None or seconds < 0.5:
            return ""
        return f"{self.done[unit] / seconds:,.0f} {unit}/s"


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description:8}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[counts]}", markup=False),
        TextColumn("{task.fields[rate]}", style="cyan", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[item]}", style="dim", markup=False),
        console=Console(stderr=True),
    )


@contextmanager
def _lines(work: str, every: float) -> Iterator[_Lines]:
    """Write a line ``every`` so many seconds while the block runs."""
    lines, over = _Lines(), threading.Event()

    def write() -> None:
        while not over.wait(every):
            note(f"{work}: {lines.line()}")

    writer = threading.Thread(target=write, name="treegraph-progress", daemon=True)
    writer.start()
    try:
        yield lines
    finally:
        over.set()
        writer.join()


class _Lines:
    """How far each stage is, and which of them went on since the last line."""

    def __init__(self) -> None:
        self._stages: dict[str, _Advance] = {}
        self._moved: dict[str, None] = {}
        self._last = ""
        self._lock = threading.Lock()

    def __call__(self, event: Step, /) -> None:
        with self._lock:
            known = self._stages.get(event.stage)
            if known is None:
                known = self._stages[event.stage] = _Advance(time.monotonic())
            known.take(event)
            self._last = event.stage
            self._moved[event.stage] = None

    def line(self) -> str:
        """The stages that went on; where none did, the one that was heard of last."""
        with self._lock:
            moved, self._moved = list(self._moved), {}
            if not moved:
                return f"still at {self._stages[self._last].shown(self._last)}" if self._last else "at work"
            return "; ".join(self._stages[stage].shown(stage) for stage in moved)


@dataclass(slots=True)
class _Advance:
    """A stage's counts by unit, each with its total, what it began with, and when."""

    began: float
    units: dict[str, tuple[int, int | None, int]] = field(default_factory=dict)

    def take(self, event: Step) -> None:
        first = self.units[event.unit][2] if event.unit in self.units else event.done
        self.units[event.unit] = (event.done, event.total, first)

    def shown(self, stage: str) -> str:
        """As ``ocr 40 of 200 pages, 12 min left``."""
        told = [
            f"{done:,} of {total:,} {unit}{self._left(done, total, first)}" if total else f"{done:,} {unit}"
            for unit, (done, total, first) in self.units.items()
        ]
        return f"{stage} {', '.join(told)}"

    def _left(self, done: int, total: int, first: int) -> str:
        if not first < done < total:
            return ""
        seconds = (time.monotonic() - self.began) / (done - first) * (total - done)
        for size, name in ((3600, "h"), (60, "min")):
            if seconds >= 1.5 * size:
                return f", {seconds / size:.0f} {name} left"
        return f", {seconds:.0f} s left"
