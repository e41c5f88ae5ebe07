"""Serving over stdin and stdout, which belong to the protocol alone."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import Any, cast

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server import Server
from mcp.server.stdio import stdio_server

from .mcp_stopping import watch_signals

_READ = 1 << 16


def serve_stdio(server: Server[Any]) -> int | None:
    """Serve one client until it closes stdin, or until a signal comes, whose number is returned."""
    return anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> int | None:
    caught: list[int] = []
    async with anyio.create_task_group() as tasks:

        def stop(number: int) -> None:
            caught.append(number)
            tasks.cancel_scope.cancel()

        await tasks.start(watch_signals, stop)
        async with stdio_server(stdin=_lines()) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    return caught[0] if caught else None


def _lines() -> anyio.AsyncFile[str]:
    """The lines of stdin. A daemon thread reads them: the SDK's own reading, once it waits for a line, holds
    up the end of the process until one comes."""
    send, receive = anyio.create_memory_object_stream[str](0)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(loop, send), name="stdin", daemon=True).start()
    return cast("anyio.AsyncFile[str]", receive)  # the SDK does nothing but iterate over it


def _read(loop: asyncio.AbstractEventLoop, lines: MemoryObjectSendStream[str]) -> None:
    """Pass on each line of stdin until it ends, or nobody wants more."""
    waiting = b""
    try:
        while data := os.read(sys.stdin.fileno(), _READ):
            *whole, waiting = (waiting + data).split(b"\n")
            for line in whole:
                text = line.decode("utf-8", "replace")
                asyncio.run_coroutine_threadsafe(lines.send(text), loop).result()
        asyncio.run_coroutine_threadsafe(lines.aclose(), loop).result()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
        return  # the server has ended, and the event loop with it
