"""An answer piece by piece, as LlamaIndex's streaming responses want it: from a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any


def pieces_of(work: Callable[[Callable[[str], None]], Any]) -> Generator[str, None, None]:
    """What ``work`` hands to the function that it is given, as it comes. It begins at the first piece that is
    asked for, and what it raises is raised where the pieces are taken."""
    queue: Queue[str | None] = Queue()
    pool = ThreadPoolExecutor(1, "treegraph-answer")
    done = pool.submit(work, queue.put)
    pool.shutdown(wait=False)  # who stops listening need not wait for the rest
    done.add_done_callback(lambda _: queue.put(None))
    while (piece := queue.get()) is not None:
        yield piece
    done.result()


async def later(pieces: Generator[str, None, None]) -> AsyncGenerator[str, None]:
    """The same pieces for an event loop, which is not held up."""
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece
