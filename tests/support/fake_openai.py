"""An OpenAI-compatible server on loopback that answers as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gets. With ``raw`` the body is sent as it is; ``usage`` False leaves counts out.

    Where a stream is asked for, the text comes in ``pieces`` parts; ``cut`` ends it after so many of them,
    without a word, as a server that goes away does. ``finish`` is why it ended, ``tokens_in`` what it is said
    to have read, None: as many as its prompt has."""

    text: str = "ok"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None
    usage: bool = True
    pieces: int = 5
    cut: int | None = None
    finish: str = "stop"
    tokens_in: int | None = None


Script = Callable[[str, int], Answer]
"""From the prompt, and the number of the request from 0, to its answer."""


class FakeOpenAIServer:
    """Use as a context manager. ``prompts`` are those received, ``keys`` the authorization headers,
    ``most_at_once`` the greatest number of requests that were open together."""

    def __init__(self, script: Script | None = None) -> None:
        self._script = script or (lambda prompt, number: Answer())
        self._lock = threading.Lock()
        self._open = 0
        self.prompts: list[str] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.most_at_once = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._receive(self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                outer._receive(self, b"{}")

            do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def answers(self, script: Script) -> None:
        """Answer as ``script`` says from now on."""
        self._script = script

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> FakeOpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _receive(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self._serve(handler, json.loads(body))

    def _serve(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        self._answer(handler, request, request["messages"][-1]["content"], self._script)

    def _answer(
        self, handler: BaseHTTPRequestHandler, request: dict[str, Any], prompt: str, script: Script
    ) -> None:
        with self._lock:
            number = len(self.prompts)
            self.prompts.append(prompt)
            self.keys.append(handler.headers.get("Authorization", ""))
            self.times.append(time.monotonic())
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            answer = script(prompt, number)
            time.sleep(answer.delay)
        finally:
            with self._lock:
                self._open -= 1
        # The client may have given up waiting, which some tests want.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._send(handler, answer, request, prompt)

    def _send(
        self, handler: BaseHTTPRequestHandler, answer: Answer, request: dict[str, Any], prompt: str
    ) -> None:
        if request.get("stream") and answer.raw is None and answer.status == 200:
            _stream(handler, answer, request, prompt)
            return
        body = answer.raw if answer.raw is not None else _body(answer, request, prompt)
        handler.send_response(answer.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)


def _stream(handler: BaseHTTPRequestHandler, answer: Answer, request: dict[str, Any], prompt: str) -> None:
    """The answer as server-sent events; the connection's end is its end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    size = max(1, -(-len(answer.text) // answer.pieces))
    parts = [answer.text[at : at + size] for at in range(0, len(answer.text), size)]
    for part in parts[: answer.cut]:
        _event(handler, request, {"delta": {"role": "assistant", "content": part}, "finish_reason": None})
    if answer.cut is None:
        _event(handler, request, {"delta": {}, "finish_reason": answer.finish})
        if answer.usage and request.get("stream_options", {}).get("include_usage"):
            _event(handler, request, None, _usage(prompt, answer))
        handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True


def _event(
    handler: BaseHTTPRequestHandler,
    request: dict[str, Any],
    choice: dict[str, Any] | None,
    usage: dict[str, Any] | None = None,
) -> None:
    value = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": request["model"],
        "choices": [] if choice is None else [{"index": 0, **choice}],
        "usage": usage,
    }
    handler.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
    handler.wfile.flush()


def count_tokens(text: str) -> int:
    """How this server counts tokens: a word is one for each six letters begun, a sign is one."""
    total = 0
    for word in text.split():
        letters = sum(map(str.isalnum, word))
        total += -(-letters // 6) + len(word) - letters
    return total


def _body(answer: Answer, request: dict[str, Any], prompt: str) -> bytes:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text, "type": "error", "code": None}}).encode()
    value: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": answer.finish,
                "message": {"role": "assistant", "content": answer.text},
            }
        ],
    }
    if answer.usage:
        value["usage"] = _usage(prompt, answer)
    return json.dumps(value).encode()


def _usage(prompt: str, answer: Answer) -> dict[str, Any]:
    tokens_in = count_tokens(prompt) if answer.tokens_in is None else answer.tokens_in
    tokens_out = count_tokens(answer.text)
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "prompt_tokens_details": {"cached_tokens": tokens_in // 2},
    }
