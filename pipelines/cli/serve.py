"""``treegraph serve``: the index as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import os
import secrets
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from ipaddress import ip_address
from types import FrameType
from typing import TYPE_CHECKING

import click

from ...indexer.errors import ConfigurationError, WorkError
from .common import Common, command
from .failing import INTERRUPTED
from .flags import llm_given, vision_given
from .output import note
from .search import parse_labels

if TYPE_CHECKING:
    from ...query.index import Index
    from ...query.tools.mcp_server import ToolServer
    from ..config import Config

TOKEN = "TREEGRAPH_SERVE_TOKEN"
LEAST = 16
"""Characters that a token has where others than this machine can try to guess it."""
HOST, PORT = "127.0.0.1", 8765


@command("serve", short_help="Tools for agents, over MCP.")
@click.option(
    "--http",
    is_flag=False,
    flag_value=f"{HOST}:{PORT}",
    metavar="[HOST:PORT]",
    help=f"Serve over streamable HTTP ({HOST}:{PORT}) instead of stdin and stdout.",
)
@click.option(
    "--labels", metavar="a,b", help='Serve what a reader with these labels may see; "" is the public.'
)
@click.option("--owner", is_flag=True, help="Serve everything.")
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="A name that clients use for this machine."
)
@click.option("--tokens", type=int, metavar="N", help="The most tokens of one result ([serve] tokens).")
@click.option("--llm", metavar="MODEL@URL", help="Offer a tool that lets this model answer ([llm]).")
@click.option(
    "--vision", metavar="MODEL@URL", help="Offer a tool that lets this model look at pages ([vision])."
)
def serve(
    common: Common,
    http: str | None,
    labels: str | None,
    owner: bool,
    hosts: tuple[str, ...],
    tokens: int | None,
    llm: str | None,
    vision: str | None,
) -> int:
    """Serve the index to agents over the Model Context Protocol, for reading alone.

    Over stdin and stdout for the one client that starts it, until stdin is closed; with --http for all who
    show the bearer token in TREEGRAPH_SERVE_TOKEN (without one a token is made, and shown). Whose view is
    served is settled here, never by a caller: an index with labels has to be told by --labels or --owner, and
    one without is served as the public sees it. Later builds are followed.
    """
    if owner and labels is not None:
        raise click.UsageError("--owner and --labels exclude each other")
    address = parse_address(http) if http is not None else None
    token = _token(address, hosts) if address else ""
    config = _config(common, tokens, llm, vision)
    _needs_sdk(http=address is not None)
    from ..opening import open_index

    with _unwound_by_sigterm(), open_index(common.index_path, config=config, follow=True) as index:
        reader = _reader(index, parse_labels(labels), owner)
        tools = _tools(index, reader, config)
        if address is None:
            from ...query.tools.mcp_stdio import serve_stdio

            said = f"serving over stdin and stdout {_view(reader)}"
            stopped = serve_stdio(tools, lambda: _say(common, said))
        else:
            from ...query.tools.mcp_http import serve_http

            with _listening(address) as listening:
                names = (_in_url(address[0]), *hosts)
                ready = partial(_announce, common, listening, address, token, reader)
                stopped = serve_http(tools.server, listening, token, names, ready)
    return INTERRUPTED if stopped == signal.SIGINT else 0


@contextmanager
def _unwound_by_sigterm() -> Iterator[None]:
    """SIGTERM ends the block as an exception does, so that what it opened is closed; the servers catch it by
    themselves while they serve."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``, ``HOST``, ``PORT`` or ``[IPv6]:PORT``. Raises ConfigurationError."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = ("", text) if text.isdigit() else (text, str(PORT))
    if not port.isdigit() or int(port) > 65535 or (":" in host and not host.startswith("[")):
        raise ConfigurationError(f"--http: expected HOST:PORT, as in {HOST}:{PORT}, got {text!r}")
    return host.removeprefix("[").removesuffix("]") or HOST, int(port)


def _token(address: tuple[str, int], hosts: tuple[str, ...]) -> str:
    """The token of the environment, or a new one where only this machine can reach us. Raises
    ConfigurationError where the network could, and nobody has thought of it, and for a token that cannot be
    shown in a header, or could be guessed."""
    host, token = address[0], os.environ.get(TOKEN, "")
    if not (token.isascii() and token.isprintable()) or token != token.strip():
        raise ConfigurationError(
            f"{TOKEN} must be printable ASCII that neither begins nor ends with a space: no other can be "
            "shown in a header"
        )
    if not _is_loopback(host):
        if not token:
            raise ConfigurationError(
                f"--http {host}: others than this machine reach that address; choose a token for them, and "
                f"set {TOKEN} to it"
            )
        if len(token) < LEAST:
            raise ConfigurationError(
                f"--http {host}: others than this machine reach that address; {TOKEN} must have at least "
                f"{LEAST} characters for that"
            )
        if host in ("0.0.0.0", "::") and not hosts:
            raise ConfigurationError(
                f"--http {host} listens at every address: say by --allow-host NAME which name clients use"
            )
    return token or secrets.token_urlsafe(24)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _config(common: Common, tokens: int | None, llm: str | None, vision: str | None) -> Config:
    from ..config_layers import Given

    given = llm_given(llm) | vision_given(vision)
    if tokens is not None:
        given["serve", "tokens"] = Given(tokens, "flag", "--tokens")
    return common.effective(given).config


def _needs_sdk(http: bool) -> None:
    """Import what serves. Raises WorkError where it is not installed."""
    try:
        if http:
            from ...query.tools import mcp_http  # noqa: F401
        else:
            from ...query.tools import mcp_stdio  # noqa: F401
    except ImportError as error:
        raise WorkError(f"serve needs a package ({error}): pip install 'treegraph[mcp]'") from error


def _reader(index: Index, labels: tuple[str, ...] | None, owner: bool) -> tuple[str, ...] | None:
    """Whose view is served. An index without labels is served to the public: a later build may bring some."""
    if owner or labels is not None:
        return labels
    if any(document.labels for document in index.documents.values()):
        raise ConfigurationError(
            "this index holds documents with labels: say whose view is to be served, by --labels a,b (a "
            "reader with these labels), --labels '' (the public) or --owner (everything)"
        )
    return ()


def _tools(index: Index, reader: tuple[str, ...] | None, config: Config) -> ToolServer:
    from ...query.tools.mcp_server import ToolServer
    from ...query.tools.tool import Desk
    from ...query.tools.toolbox import Toolbox, tools_of

    tools = tools_of(
        ask=index.ask if config.llm.model else None, look=index.look if config.vision.model else None
    )
    desk = Desk(index, reader, config.serve.deadline or None)
    return ToolServer(Toolbox(desk, config.serve.tokens, tools), config.serve.parallel)


def _listening(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return socket.create_server(address, family=family)
    except OSError as error:
        raise WorkError(f"cannot listen at {address[0]} port {address[1]}: {error.strerror}") from error


def _announce(
    common: Common,
    listening: socket.socket,
    address: tuple[str, int],
    token: str,
    reader: tuple[str, ...] | None,
) -> None:
    from ...query.tools.mcp_http import PATH

    url = f"http://{_in_url(address[0])}:{listening.getsockname()[1]}{PATH}"
    _say(common, f"serving at {url} {_view(reader)}")
    if not os.environ.get(TOKEN):
        note(f"treegraph: clients show this token: {token}")
    if not _is_loopback(address[0]):
        _say(common, "this is plain HTTP: put a proxy that speaks TLS between it and the network")


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _view(reader: tuple[str, ...] | None) -> str:
    if reader is None:
        return "all documents, as their owner"
    return f"what readers with {', '.join(reader)} may see" if reader else "what the public may see"


def _say(common: Common, text: str) -> None:
    if not common.quiet:
        note(f"treegraph: {text}")
