"""An answer of a LlamaIndex model that comes in pieces: whether it came to its end, and what it counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from .usage import Usage, read_usage


class Streamed:
    """One answer under way, iterated over by its pieces, once. Making it waits for the first piece, so that
    what fails at once can be tried again."""

    def __init__(self, responses: Iterator[Any]) -> None:
        self._rest = iter(responses)
        self._first = next(self._rest, None)
        self._says_its_end = False
        self._ended = False
        self.usage: Usage | None = None

    def __iter__(self) -> Iterator[str]:
        size = 0
        for response in chain([] if self._first is None else [self._first], self._rest):
            piece = response.delta if response.delta is not None else (response.text or "")[size:]
            size += len(piece)
            self._note(response)
            if piece:
                yield piece

    @property
    def cut(self) -> bool:
        """Whether nothing came at all, or the provider names the end of an answer and this one had none."""
        return self._first is None or (self._says_its_end and not self._ended)

    def _note(self, response: Any) -> None:
        choices = getattr(response.raw, "choices", None)
        if choices:
            self._says_its_end = True
            self._ended = self._ended or bool(getattr(choices[0], "finish_reason", None))
        self.usage = read_usage(response.raw, response.additional_kwargs) or self.usage
