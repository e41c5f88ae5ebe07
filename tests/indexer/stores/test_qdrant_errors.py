"""What a Qdrant server that is away, old, full or closed to us gets: a named error that says what to do."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from treegraph.indexer.errors import StoreError, StoreFull, StoreUnreachable
from treegraph.indexer.stores.qdrant import connect

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")

INDEX = "7b1c4a52-6f0e-4c3e-9d0f-2f8f6f1b8f11"
Answer = tuple[int, object] | tuple[int, object, dict[str, str]] | None
"""Status, JSON body and perhaps headers; None hangs up without a word."""
GREETING = {"title": "qdrant - vector search engine", "version": "1.19.2"}


@contextmanager
def server(answer: Callable[[str, dict[str, str]], Answer]) -> Iterator[str]:
    """A server on loopback; ``answer`` gets the path and the headers of each request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = answer(self.path, {name.lower(): value for name, value in self.headers.items()})
            if told is None:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            body = json.dumps(told[1]).encode()
            self.send_response(told[0])
            for name, value in told[2].items() if len(told) == 3 else ():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        thread.join()
        running.server_close()


@pytest.mark.usefixtures("pauses")
def test_nobody_there_is_unreachable_and_no_secret_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(StoreUnreachable) as caught:
        connect(f"http://user:hush@127.0.0.1:{port}?token=hush", "secret-key", INDEX)
    message = str(caught.value)
    assert f"http://127.0.0.1:{port}" in message
    assert "docker compose" in message
    assert "hush" not in message
    assert "secret-key" not in message


def test_a_dropped_connection_is_tried_again_and_the_key_goes_along(pauses: list[float]) -> None:
    keys: list[str | None] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        keys.append(headers.get("api-key"))
        return None if len(keys) < 3 else (200, GREETING)

    with server(answer) as url:
        connect(url, "secret-key", INDEX).close()
    assert keys == ["secret-key"] * 3
    assert pauses == pytest.approx([0.3, 0.6])


@pytest.mark.parametrize("version", ["1.18.2", "0.11.0", "dev"])
def test_an_old_server_is_refused(version: str) -> None:
    with (
        server(lambda path, headers: (200, {**GREETING, "version": version})) as url,
        pytest.raises(StoreError, match=r"needs 1\.19"),
    ):
        connect(url, None, INDEX)


def test_a_refused_key_names_its_variable() -> None:
    calls: list[str] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        calls.append(path)
        return (401, "Must provide an API key")

    with server(answer) as url, pytest.raises(StoreError, match="TREEGRAPH_QDRANT_API_KEY"):
        connect(url, None, INDEX)
    assert len(calls) == 1, "a refusal is not tried again"


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (500, "Service internal error: No space left on device (os error 28)", StoreFull),
        (507, "", StoreFull),
        (500, "Service internal error: task 7 panicked", StoreError),
    ],
)
def test_a_failing_server_is_named(status: int, message: str, error: type[StoreError]) -> None:
    def answer(path: str, headers: dict[str, str]) -> Answer:
        return (200, GREETING) if path == "/" else (status, {"status": {"error": message}})

    with server(answer) as url:
        store = connect(url, None, INDEX)
        with pytest.raises(StoreError, match=url) as caught:
            store.read(1)
        store.close()
    assert type(caught.value) is error


def test_an_index_has_collections_of_its_own() -> None:
    asked: list[str] = []
    others = [f"treegraph_{INDEX}x", f"treegraph_{INDEX}_", "treegraph", INDEX.replace("7", "8")]

    def answer(path: str, headers: dict[str, str]) -> Answer:
        asked.append(path)
        listed = {"collections": [{"name": name} for name in others]}
        return 200, GREETING if path == "/" else {"result": listed, "status": "ok", "time": 0.0}

    with server(answer) as url:
        store = connect(url, None, INDEX)
        assert store.forget([1], None) == 0
        assert store.empty()
        store.close()
    assert set(asked) == {"/", "/collections"}


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "qdrant_client"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(StoreError, match=r"pip install 'treegraph\[qdrant\]'"):
        connect("http://127.0.0.1:1", None, INDEX)


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_cannot_serve_now_is_asked_again(status: int) -> None:
    calls: list[str] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        calls.append(path)
        return (status, "not now") if len(calls) < 3 else (200, GREETING)

    with server(answer) as url:
        connect(url, None, INDEX).close()
    assert len(calls) == 3


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_cannot_serve_for_long_is_unreachable(status: int, pauses: list[float]) -> None:
    calls: list[str] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        calls.append(path)
        return (status, "not now")

    with server(answer) as url, pytest.raises(StoreUnreachable, match=f"{status}.*run again in a while"):
        connect(url, None, INDEX)
    assert len(calls) == 4
    assert pauses == pytest.approx([0.3, 0.6, 1.2])


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("dated", [False, True])
def test_the_wait_that_a_server_asks_for_is_kept(status: int, dated: bool) -> None:
    calls: list[float] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        calls.append(time.time())
        if len(calls) > 1:
            return (200, GREETING)
        later = formatdate(calls[0] + 2, usegmt=True) if dated else "1"
        return (status, "not now", {"Retry-After": later})

    with server(answer) as url:
        connect(url, None, INDEX).close()
    assert len(calls) == 2
    assert calls[1] - calls[0] >= 0.9


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_long_is_not_waited_for(status: int) -> None:
    calls: list[str] = []

    def answer(path: str, headers: dict[str, str]) -> Answer:
        calls.append(path)
        return (status, "not now", {"Retry-After": "3600"})

    with server(answer) as url, pytest.raises(StoreUnreachable, match="run again in 3600 seconds"):
        connect(url, None, INDEX)
    assert len(calls) == 1
