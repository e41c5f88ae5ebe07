"""Stopping a server by a signal."""

from __future__ import annotations

import signal
from collections.abc import Callable

import anyio
from anyio.abc import TaskStatus


async def watch_signals(
    stop: Callable[[int], None], *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    """Call ``stop`` with the number of each SIGINT and SIGTERM, until cancelled."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as numbers:
        task_status.started()
        async for number in numbers:
            stop(number)
