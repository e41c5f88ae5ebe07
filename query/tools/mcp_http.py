"""Serving over streamable HTTP, to who shows the token."""

from __future__ import annotations

import hmac
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings

from .mcp_stopping import watch_signals

PATH = "/mcp"
GRACE = 3
"""Seconds that calls under way have to end in."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class _OneToken:
    """Lets through who shows the token, compared in constant time."""

    def __init__(self, token: str) -> None:
        self._token = token.encode("utf-8")

    async def verify_token(self, token: str) -> AccessToken | None:
        """See the SDK's TokenVerifier."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="client", scopes=[])


class _Server(uvicorn.Server):
    """Leaves signals to us: by itself it would raise each again once it has ended."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """See uvicorn."""
        yield


def serve_http(
    server: Server[Any],
    listening: socket.socket,
    token: str,
    hosts: Sequence[str],
    ready: Callable[[], None],
) -> int:
    """Serve on the socket ``listening`` until a signal comes, whose number is returned. ``ready`` is called
    as soon as one may come.

    Clients show ``token`` as a bearer token, and have addressed one of ``hosts`` (names or addresses, any
    port; loopback is always among them): another Host or Origin header is refused, so that no page in a
    browser gets here by rebinding a name.
    """
    names = list(dict.fromkeys([*_LOOPBACK, *hosts]))
    port = listening.getsockname()[1]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # no tool calls back, so there is nothing to keep between two calls
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*names, *(f"{name}:*" for name in names)],
            allowed_origins=[f"{scheme}://{name}:*" for scheme in ("http", "https") for name in names]
            + [f"{scheme}://{name}" for scheme in ("http", "https") for name in names],
        ),
        auth=AuthSettings.model_validate(
            {"issuer_url": f"http://127.0.0.1:{port}", "resource_server_url": None}
        ),
        token_verifier=_OneToken(token),
    )
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=GRACE
    )
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    return anyio.run(_serve, _Server(config), listening, ready)


async def _serve(server: uvicorn.Server, listening: socket.socket, ready: Callable[[], None]) -> int:
    caught: list[int] = []

    def stop(number: int) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        caught.append(number)

    async with anyio.create_task_group() as tasks:
        await tasks.start(watch_signals, stop)
        ready()
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()
    return caught[0] if caught else 0
