"""Results of work on several threads, in the order of the work, until somebody asks to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..indexer.errors import Cancelled

Item = TypeVar("Item")
Result = TypeVar("Result")


def results_in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[Item], Result],
    items: Iterable[Item],
    cancel: threading.Event,
    stopped: str,
) -> Iterator[Result]:
    """``work`` on each of the items, by ``pool``. Raises Cancelled, with the message ``stopped``, as soon as
    ``cancel`` is set; what has not begun then never does."""
    for result in pool.map(work, items):
        if cancel.is_set():
            pool.shutdown(wait=False, cancel_futures=True)
            raise Cancelled(stopped)
        yield result
