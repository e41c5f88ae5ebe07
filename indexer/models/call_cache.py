"""Remembered model calls: the same prompt to the same model is paid for once."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from typing import Protocol


class CallCache(Protocol):
    """Keeps validated outputs by :func:`call_key`; safe from several threads."""

    def get(self, key: str) -> str | None:
        """The output kept under ``key``, None where there is none."""
        ...

    def put(self, key: str, output: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Keep a validated output, and what it took to get it."""
        ...


def call_key(model: str, prompt_version: str, prompt: str) -> str:
    """The sha256, in hex, of the model's name, the version of the prompt and the prompt itself."""
    digest = hashlib.sha256()
    for part in (model, prompt_version, prompt):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Entry:
    output: str
    tokens_in: int
    tokens_out: int
    cost: float


class MemoryCallCache:
    """A CallCache for one process."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> str | None:
        """The output kept under ``key``, None where there is none."""
        with self._lock:
            entry = self._entries.get(key)
        return entry.output if entry else None

    def put(self, key: str, output: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Keep an output, and what it took to get it."""
        with self._lock:
            self._entries[key] = _Entry(output, tokens_in, tokens_out, cost)
