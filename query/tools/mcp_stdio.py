"""Serving over stdin and stdout, which belong to the protocol alone."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import cast

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server

from ...indexer.models.sound_text import without_halves
from .mcp_server import ToolServer
from .mcp_stopping import watch_signals

_READ = 1 << 16
_SETTLE = 0.05
"""Seconds in which a line that was read becomes a call, and an answer is written."""


def serve_stdio(tools: ToolServer, ready: Callable[[], None]) -> int | None:
    """Serve one client until it closes stdin, or until a signal comes, whose number is returned. ``ready`` is
    called as soon as one may come."""
    return anyio.run(_serve, tools, ready)


async def _serve(tools: ToolServer, ready: Callable[[], None]) -> int | None:
    caught: list[int] = []
    async with anyio.create_task_group() as tasks:

        def stop(number: int) -> None:
            caught.append(number)
            tasks.cancel_scope.cancel()

        await tasks.start(watch_signals, stop)
        ready()
        async with stdio_server(stdin=_lines(tools)) as (read, write):
            await tools.server.run(read, write, tools.server.create_initialization_options())
        tasks.cancel_scope.cancel()
    return caught[0] if caught else None


def _lines(tools: ToolServer) -> anyio.AsyncFile[str]:
    """The lines of stdin. A daemon thread reads them: the SDK's own reading, once it waits for a line, holds
    up the end of the process until one comes."""
    send, receive = anyio.create_memory_object_stream[str](0)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(loop, send, tools), name="stdin", daemon=True).start()
    return cast("anyio.AsyncFile[str]", receive)  # the SDK does nothing but iterate over it


def _read(loop: asyncio.AbstractEventLoop, lines: MemoryObjectSendStream[str], tools: ToolServer) -> None:
    """Pass on each line of stdin until it ends, or nobody wants more."""
    try:
        for line in lines_of(iter(lambda: os.read(sys.stdin.fileno(), _READ), b"")):
            # Clients cut texts in the middle of a character, and the SDK drops such a line without an answer.
            text = without_halves(line.decode("utf-8", "replace"))
            asyncio.run_coroutine_threadsafe(lines.send(text), loop).result()
        asyncio.run_coroutine_threadsafe(_close(lines, tools), loop).result()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
        return  # the server has ended, and the event loop with it


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in ``pieces`` of any length, without their ends, each as soon as it is whole. The last need
    not be ended."""
    begun: list[bytes] = []
    for piece in pieces:
        first, *others = piece.split(b"\n")
        begun.append(first)
        for other in others:
            yield b"".join(begun)
            begun = [other]
    if any(begun):
        yield b"".join(begun)


async def _close(lines: MemoryObjectSendStream[str], tools: ToolServer) -> None:
    """End the lines once what was asked is answered: the SDK drops calls under way when they end."""
    await anyio.sleep(_SETTLE)
    while tools.busy:
        await anyio.sleep(_SETTLE)
    await anyio.sleep(_SETTLE)
    await lines.aclose()
