"""What a worker has of the driver's: ports whose every call is made there.

Models that are paid for, the cache of their calls, what was read of pages, and the index's pictures are in
one place only, whatever the number of workers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from logging.handlers import QueueHandler
from typing import Any

from ...indexer.models.in_place import InPlaceOf
from ...indexer.models.ports import Completion, Vectors
from ..events import Event, Listener
from .job import EmbedderFace

Ask = Callable[..., Any]
"""``ask(port, method, *arguments)``: has the driver call it, and raises what that raises."""

METHODS = {
    "cache": frozenset({"get", "put"}),
    "llm": frozenset({"complete"}),
    "vision": frozenset({"complete", "look"}),
    "embedder": frozenset({"embed"}),
    "pages": frozenset({"get", "put", "trim"}),
    "images": frozenset({"put"}),
    "told": frozenset({"tell"}),
    "log": frozenset({"handle"}),
}
"""What a worker may ask for, by port."""
SLOW = frozenset({"llm", "vision", "embedder"})
"""Ports that ask a service."""


@dataclass(frozen=True, slots=True)
class DriverCallCache:
    """The build's CallCache."""

    ask: Ask

    def get(self, key: str) -> str | None:
        """See CallCache."""
        output: str | None = self.ask("cache", "get", key)
        return output

    def put(self, key: str, output: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """See CallCache."""
        self.ask("cache", "put", key, output, tokens_in, tokens_out, cost)


class DriverModel(InPlaceOf):
    """A LanguageModel that the driver asks, and pays for."""

    def __init__(self, ask: Ask, port: str, model: InPlaceOf) -> None:
        super().__init__(model)
        self._ask = ask
        self._port = port

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """See LanguageModel."""
        completion: Completion = self._ask(self._port, "complete", prompt, max_tokens)
        return completion


class DriverVisionModel(DriverModel):
    """A VisionModel that the driver asks, and pays for."""

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """See VisionModel."""
        completion: Completion = self._ask(self._port, "look", prompt, image, max_tokens)
        return completion


class DriverEmbedder:
    """An Embedder that computes, or is asked, in the driver."""

    def __init__(self, ask: Ask, face: EmbedderFace) -> None:
        self.name = face.name
        self.dimension = face.dimension
        self.concurrency = face.concurrency
        self._ask = ask

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder."""
        vectors: Vectors = self._ask("embedder", "embed", list(texts))
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """See Embedder. No build embeds questions."""
        vector: Vectors = self.embed([question])[0]
        return vector


@dataclass(frozen=True, slots=True)
class DriverPages:
    """What was read of pages, kept in the build's ledger; see :class:`..page_reading.KeptPages`."""

    ask: Ask

    def get(self, key: str) -> str | None:
        """The reading under ``key``, None where there is none."""
        body: str | None = self.ask("pages", "get", key)
        return body

    def put(self, key: str, source: str, reader: str, body: str) -> None:
        """Keep a reading, at once and for good."""
        self.ask("pages", "put", key, source, reader, body)

    def trim(self, source: str, reader: str, keys: Collection[str]) -> None:
        """Forget all of a file's by a reader but these."""
        self.ask("pages", "trim", source, reader, sorted(keys))


@dataclass(frozen=True, slots=True)
class DriverImages:
    """The pictures that the index keeps; see :class:`..image_keeping.Images`."""

    ask: Ask

    def put(self, png: bytes) -> str:
        """Keep a picture and return its digest."""
        digest: str = self.ask("images", "put", png)
        return digest


def driver_listener(ask: Ask) -> Listener:
    """Tells the driver of events."""

    def tell(event: Event) -> None:
        ask("told", "tell", event)

    return tell


class DriverLog(QueueHandler):
    """Has what a worker logs handled by the driver, where somebody looks."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(queue=None)  # type: ignore[arg-type]
        self.setLevel(logging.WARNING)
        self._ask = ask

    def enqueue(self, record: logging.LogRecord) -> None:
        """Hand a record over."""
        self._ask("log", "handle", record)
