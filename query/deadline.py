"""When a question must be answered, and work that is left behind when it is late."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Any, TypeVar

Made = TypeVar("Made")


class TimeUp(Exception):
    """What was asked for did not come in time."""


class Lane:
    """Work of one kind that may hang, such as all that asks one store.

    Each piece runs in a thread of its own, and is left behind when it is late, since what hangs cannot be
    interrupted. While one that was left behind still runs, no other begins: a ``patient`` lane waits for its
    end as long as there is time, any other gives up at once. So what hangs for good costs a thread a lane,
    not a thread a question. Safe from several threads.
    """

    def __init__(self, patient: bool = False) -> None:
        self._patient = patient
        self._left: set[Future[Any]] = set()

    @property
    def blocked(self) -> bool:
        """Whether a piece that was left behind still runs."""
        return any(not piece.done() for piece in tuple(self._left))

    def run(
        self, work: Callable[[], Made], seconds: float, held: AbstractContextManager[object] | None = None
    ) -> Made:
        """What ``work`` gives within ``seconds``; ``held`` is kept until it is over, however late.

        Raises what ``work`` raises, and TimeUp where it is late, or did not begin.
        """
        end = monotonic() + seconds
        if seconds <= 0 or not self._free(seconds):
            raise TimeUp
        piece = begun(work, held)
        try:
            wait([piece], max(0.0, end - monotonic()))
        finally:  # also where the wait is interrupted
            if not piece.done():
                self._left.add(piece)
                piece.add_done_callback(self._left.discard)
        if not piece.done():
            raise TimeUp
        return piece.result()

    def _free(self, seconds: float) -> bool:
        """Whether nothing is left behind any more, waited for where this lane does."""
        if self._patient and (left := tuple(self._left)):
            wait(left, seconds, return_when=FIRST_COMPLETED)
        return not self.blocked


class Lanes:
    """The lanes of one open index, patient where nothing else can stand in."""

    def __init__(self) -> None:
        self.hybrid = Lane(patient=True)
        self.tree = Lane()
        self.graph = Lane()
        self.listing = Lane()
        self.advice = Lane()

    def of(self, route: str) -> Lane:
        """The lane of a route."""
        return {"hybrid": self.hybrid, "tree": self.tree, "graph": self.graph}[route]


class Deadline:
    """``seconds`` from now on; None: no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else monotonic() + seconds

    @property
    def end(self) -> float | None:
        """When that is, by the monotonic clock."""
        return self._end

    @property
    def left(self) -> float | None:
        """Seconds until then, at least 0; None without a limit."""
        return None if self._end is None else max(0.0, self._end - monotonic())

    def half(self) -> Deadline:
        """When half of the time that is left is over."""
        return Deadline(None if self.left is None else self.left / 2)

    def run(
        self, work: Callable[[], Made], lane: Lane, held: AbstractContextManager[object] | None = None
    ) -> Made:
        """What ``work`` gives; with a limit over ``lane``, which see."""
        left = self.left
        return work() if left is None else lane.run(work, left, held)


def begun(work: Callable[[], Made], held: AbstractContextManager[object] | None = None) -> Future[Made]:
    """``work``, begun in a thread that does not keep the process from ending, within ``held``."""
    piece: Future[Made] = Future()
    held = held or nullcontext()
    held.__enter__()

    def go() -> None:
        try:
            try:
                made = work()
            finally:
                held.__exit__(None, None, None)
        except BaseException as error:  # noqa: BLE001  # it is raised in the thread that waits
            piece.set_exception(error)
        else:
            piece.set_result(made)

    try:
        threading.Thread(target=go, name="treegraph-search", daemon=True).start()
    except BaseException:
        held.__exit__(None, None, None)
        raise
    return piece
