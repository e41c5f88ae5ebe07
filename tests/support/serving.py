"""``treegraph serve`` in a process of its own, and clients of the SDK that talk to it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from command_line import COMMAND, environment
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SECONDS = 60


@dataclass(frozen=True)
class Served:
    """A server over HTTP: its process, its address, and the token that it showed (empty: it showed none)."""

    process: subprocess.Popen[str]
    url: str
    token: str


def stdio(folder: Path, *arguments: str) -> Client:
    """A client that starts the server in ``folder``."""
    command, *rest = COMMAND
    server = StdioServerParameters(
        command=command, args=[*rest, "serve", *arguments], env=environment(), cwd=folder
    )
    return Client(stdio_client(server))


def start(folder: Path, *arguments: str, **extra: str) -> subprocess.Popen[str]:
    """The server with pipes, and not waited for."""
    return subprocess.Popen(
        [*COMMAND, "serve", *arguments],
        cwd=folder,
        env=environment(**extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def over_http(folder: Path, *arguments: str, **extra: str) -> Iterator[Served]:
    """The server on a free port of loopback, once it listens."""
    process = start(folder, "--http", "127.0.0.1:0", *arguments, **extra)
    try:
        assert process.stderr is not None
        address = re.search(r"http://\S+", line := process.stderr.readline())
        assert address, line + process.stderr.read()
        shown = "" if extra else process.stderr.readline().rpartition(" ")[2].strip()
        yield Served(process, address[0], shown)
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


@asynccontextmanager
async def client(url: str, headers: Mapping[str, str], mode: str = "auto") -> AsyncIterator[Client]:
    """A client over HTTP that sends these headers."""
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as connected,
    ):
        yield connected
