"""Asking a language model while a question waits: how many calls, how many tokens, and until when."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from ...indexer.errors import ModelCallError
from ...indexer.models.ports import Completion, LanguageModel, StreamingModel
from .result import TokenCount


@dataclass(slots=True)
class Calls:
    """The calls of one question. ``until`` is when its time is up, by the monotonic clock; None: never."""

    llm: LanguageModel
    until: float | None = None
    made: int = 0
    tokens: TokenCount = field(default_factory=TokenCount)

    def ask(
        self,
        prompt: str,
        room: int,
        take: Callable[[str], None] | None = None,
        until: float | None = None,
    ) -> str:
        """The model's answer in at most ``room`` tokens; its pieces go to ``take`` as they come, where it
        streams. Raises ModelCallError, also when the time is up (that of this call ``until`` then); nothing
        goes to ``take`` after that."""
        end = self.until if until is None else until
        done = self._in_time(lambda taking: self._called(prompt, room, taking), take, end)
        self.made += 1
        self.tokens = TokenCount(
            self.tokens.tokens_in + done.tokens_in,
            self.tokens.tokens_out + done.tokens_out,
            self.tokens.cached_in + done.cached_in,
            self.tokens.estimated or done.estimated,
        )
        return done.text

    def halfway(self) -> float | None:
        """When half of the time that is left is over; None where there is no end."""
        return None if self.until is None else (monotonic() + self.until) / 2

    def _called(self, prompt: str, room: int, take: Callable[[str], None] | None) -> Completion:
        if take is not None and isinstance(self.llm, StreamingModel):
            return self.llm.stream(prompt, room, take)
        return self.llm.complete(prompt, room)

    def _in_time(
        self,
        call: Callable[[Callable[[str], None] | None], Completion],
        take: Callable[[str], None] | None,
        until: float | None,
    ) -> Completion:
        if until is None:
            return call(take)
        if (left := until - monotonic()) <= 0:
            raise ModelCallError(f"{self.llm.name}: not asked, the time was up")
        waited = _Waited(call, take)
        return waited.result(left, self.llm.name)


class _Waited:
    """A call in a thread of its own, which nobody waits for once its time is up."""

    def __init__(
        self,
        call: Callable[[Callable[[str], None] | None], Completion],
        take: Callable[[str], None] | None,
    ) -> None:
        self._call = call
        self._take = take
        self._lock = threading.Lock()
        self._late = False
        self._done: Completion | None = None
        self._error: BaseException | None = None

    def result(self, seconds: float, name: str) -> Completion:
        thread = threading.Thread(target=self._run, name="treegraph-ask", daemon=True)
        thread.start()
        thread.join(seconds)
        with self._lock:  # a piece that is being handed over is handed over whole
            self._late = True
        if self._error is not None:
            raise self._error
        if self._done is None:
            raise ModelCallError(f"{name}: no answer within the time given")
        return self._done

    def _run(self) -> None:
        try:
            self._done = self._call(self._taken if self._take else None)
        except BaseException as error:  # noqa: BLE001  # it is raised in the thread that waits
            self._error = error

    def _taken(self, piece: str) -> None:
        with self._lock:
            if self._late:
                raise ModelCallError("the time was up")
            if self._take:
                self._take(piece)
