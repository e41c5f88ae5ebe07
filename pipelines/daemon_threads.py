"""Calls on threads that nobody has to wait for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def on_daemon_threads(count: int, name: str, calls: Iterable[Callable[[], Result]]) -> list[Future[Result]]:
    """Make ``calls`` on so many threads, in order. What has not begun can be cancelled. Unlike those of an
    executor the threads hold up neither their caller nor the end of the process."""
    waiting: queue.SimpleQueue[tuple[Future[Result], Callable[[], Result]]] = queue.SimpleQueue()
    futures: list[Future[Result]] = []
    for call in calls:
        futures.append(Future())
        waiting.put((futures[-1], call))
    for number in range(min(count, len(futures))):
        threading.Thread(target=_work, args=(waiting,), name=f"{name}-{number}", daemon=True).start()
    return futures


def _work(waiting: queue.SimpleQueue[tuple[Future[Result], Callable[[], Result]]]) -> None:
    while True:
        try:
            future, call = waiting.get_nowait()
        except queue.Empty:
            return
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is asked for
            future.set_exception(error)
