"""A fake of a paid model whose server also takes batches: files and ``/v1/batches``, over HTTP on loopback.

A batch stays open until a test has it answered. Nothing is answered but by batches unless a call is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs

from fake_openai import Script, count_tokens
from paid_server import PRICES, PaidServer

Lose = Callable[[int, str], str | None]
"""From a line's number in its batch and its prompt to why it is not answered; None: it is."""


@dataclass(slots=True)
class Batch:
    """A batch as the server knows it."""

    id: str
    lines: list[dict[str, Any]]
    metadata: dict[str, str]
    status: str = "in_progress"
    files: dict[str, str] = field(default_factory=dict)

    def shown(self) -> dict[str, Any]:
        """The object of the interface."""
        files = {name: f"{name}-{self.id}" if self.files.get(name) else None for name in ("output", "error")}
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 1,
            "input_file_id": f"input-{self.id}",
            "status": self.status,
            "metadata": self.metadata,
            "output_file_id": files["output"],
            "error_file_id": files["error"],
        }


class BatchServer(PaidServer):
    """Use as a context manager. ``batches`` are those that were taken, in order; ``calls``, ``prompts`` and
    ``money`` count the lines that were answered as :class:`PaidServer` counts calls, at half the price.
    ``refusing`` refuses new batches; ``lost`` takes the next one without saying so; so many files as
    ``stumbles`` says are not taken at first; ``deleted`` are files that were."""

    def __init__(self, answer: Script | None = None) -> None:
        super().__init__(answer)
        self.batches: list[Batch] = []
        self.direct = 0
        self.refusing = False
        self.lost = False
        self.stumbles = 0
        self.deleted: list[str] = []
        self._files: dict[str, str] = {}

    def work(self, lose: Lose = lambda number, prompt: None, status: str = "completed") -> int:
        """Answer all open batches but for the lines that are lost; how many lines were answered."""
        answered = 0
        for batch in self.batches:
            if batch.status != "in_progress":
                continue
            output, errors = [], []
            for number, line in enumerate(batch.lines):
                why = lose(number, line["body"]["messages"][-1]["content"])
                found = _failed(line, why) if why else self._done(line)
                (errors if why else output).append(json.dumps(found))
            batch.files = {"output": "\n".join(output), "error": "\n".join(errors)}
            batch.status = status
            answered += len(output)
        return answered

    def _done(self, line: dict[str, Any]) -> dict[str, Any]:
        prompt = line["body"]["messages"][-1]["content"]
        answer = self._paid(prompt, len(self.prompts))
        self.prompts.append(prompt)
        usage = {"prompt_tokens": count_tokens(prompt), "completion_tokens": count_tokens(answer.text)}
        self.money -= (usage["prompt_tokens"] * PRICES["price_in"]) / 2e6
        self.money -= (usage["completion_tokens"] * PRICES["price_out"]) / 2e6
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": answer.text},
        }
        body = {"choices": [choice], **({"usage": usage} if answer.usage else {})}
        return {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}

    def _receive(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path, _, query = handler.path.removeprefix("/v1/").partition("?")
        posted = handler.command == "POST"
        if path == "files" and posted and self.stumbles:
            self.stumbles -= 1
            _send(handler, {"error": {"message": "try again"}}, status=503)
        elif path == "files" and posted:
            _send(handler, self._take_file(handler, body))
        elif path == "batches" and posted:
            self._take_batch(handler, json.loads(body))
        elif path == "batches":
            _send(handler, self._listed(parse_qs(query)))
        elif not posted and path.startswith("astray/"):
            _send(handler, {"error": {"message": "not found"}}, status=404)
        elif posted and (found := re.fullmatch(r"batches/(.+)/cancel", path)):
            (batch,) = (each for each in self.batches if each.id == found[1])
            batch.status = "cancelling"
            _send(handler, batch.shown())
        elif handler.command == "DELETE":
            self.deleted.append(path.removeprefix("files/"))
            _send(handler, {"id": self.deleted[-1], "object": "file", "deleted": True})
        elif found := re.fullmatch(r"batches/(.+)", path):
            known = [batch.shown() for batch in self.batches if batch.id == found[1]]
            _send(
                handler, *(known or [{"error": {"message": "no such batch"}}]), status=200 if known else 404
            )
        elif found := re.fullmatch(r"files/(output|error)-(.+)/content", path):
            (batch,) = (each for each in self.batches if each.id == found[2])
            _send(handler, batch.files[found[1]].encode())
        else:
            self.direct += 1
            super()._receive(handler, body)

    def _listed(self, asked: dict[str, list[str]]) -> dict[str, Any]:
        """A page of the batches, the newest first."""
        shown = [batch.shown() for batch in reversed(self.batches)]
        ids = [each["id"] for each in shown]
        first = ids.index(asked["after"][0]) + 1 if "after" in asked else 0
        page = shown[first : first + int(asked["limit"][0])]
        return {"object": "list", "data": page, "has_more": first + len(page) < len(shown)}

    def _take_file(self, handler: BaseHTTPRequestHandler, body: bytes) -> dict[str, Any]:
        kind = f"Content-Type: {handler.headers['Content-Type']}\r\n\r\n".encode()
        parts = message_from_bytes(kind + body).get_payload()
        texts = [part.get_payload(decode=True) for part in parts if part.get_filename()]  # type: ignore[union-attr]
        name = f"file-{len(self._files)}"
        self._files[name] = texts[0].decode()  # type: ignore[union-attr]
        return {
            "id": name,
            "object": "file",
            "bytes": 1,
            "created_at": 1,
            "filename": name,
            "purpose": "batch",
        }

    def _take_batch(self, handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        if self.refusing:
            _send(handler, {"error": {"message": "no batches today"}}, status=400)
            return
        lines = [json.loads(line) for line in self._files[asked["input_file_id"]].splitlines()]
        batch = Batch(f"batch-{len(self.batches)}", lines, asked.get("metadata") or {})
        self.batches.append(batch)
        if self.lost:
            self.lost = False
            _send(handler, {"error": {"message": "the gateway gave up"}}, status=504)
        else:
            _send(handler, batch.shown())


def _failed(line: dict[str, Any], why: str) -> dict[str, Any]:
    return {"custom_id": line["custom_id"], "response": None, "error": {"code": why, "message": why}}


def _send(handler: BaseHTTPRequestHandler, value: dict[str, Any] | bytes, status: int = 200) -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
