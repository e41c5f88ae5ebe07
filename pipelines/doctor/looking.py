"""Looks at parts one after the other, those that wait for a server side by side, and none for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass

from ...indexer.errors import Cancelled, TreegraphError
from ..daemon_threads import on_daemon_threads
from .finding import Check, Finding, failing

_PATIENCE = 0.2
_LOADING = 60.0
"""Seconds that libraries and models may take to load, beside what is waited for an answer."""


@dataclass(frozen=True, slots=True)
class Look:
    """A part to look at. ``waits``: on a server, so that it is asked beside the others."""

    name: str
    look: Callable[[], Finding]
    waits: bool = False


def looked_at(looks: Sequence[Look], seconds: float, cancel: threading.Event) -> Iterator[Check]:
    """The checks in the order of ``looks``. A look that takes longer than ``seconds``, beside what loading
    takes, is given up as failed. Raises Cancelled."""
    waiting = [look for look in looks if look.waits]
    calls = [_timed(look) for look in waiting]
    begun = on_daemon_threads(len(calls), "treegraph-doctor", calls)
    asked = dict(zip((look.name for look in waiting), begun, strict=True))
    first = time.monotonic()
    for look in looks:
        future, began = asked.get(look.name), first
        if future is None:
            began = time.monotonic()
            (future,) = on_daemon_threads(1, "treegraph-doctor", [_timed(look)])
        yield _settled(look, future, began, seconds + _LOADING, cancel)


def _settled(look: Look, future: Future[Check], began: float, most: float, cancel: threading.Event) -> Check:
    while not future.done():
        if cancel.is_set():
            raise Cancelled("stopped; nothing was changed")
        seconds = time.monotonic() - began
        if seconds > most:
            given_up = failing("no end of it in sight: given up", "see what it hangs on, and try again")
            return Check(look.name, *given_up, seconds=seconds)
        wait([future], _PATIENCE)
    return future.result()


def _timed(look: Look) -> Callable[[], Check]:
    def call() -> Check:
        began = time.monotonic()
        return Check(look.name, *_finding(look.look), seconds=time.monotonic() - began)

    return call


def _finding(look: Callable[[], Finding]) -> Finding:
    """What a look finds; what it raises is what it found."""
    from ...indexer.models.retries import describe

    try:
        return look()
    except TreegraphError as error:
        return failing(*_parted(str(error)))
    except Exception as error:  # noqa: BLE001 - any library's own: one broken part must not hide the others
        return failing(describe(error), "what fails here is not ours: look for this message")


def _parted(message: str) -> tuple[str, str]:
    """What our errors say, and what they say to do about it: behind their last semicolon."""
    found, semicolon, do = message.rpartition("; ")
    return (found, do) if semicolon else (message, "do what the message says")
