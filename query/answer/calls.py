"""Asking a language model while a question waits: how many calls, how many tokens, and until when."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from ...indexer.errors import ModelCallError
from ...indexer.models.ports import Completion, LanguageModel, StreamingModel
from ...indexer.models.usage import estimate_tokens
from ..deadline import Lane, TimeUp
from ..tokens import TokenCount


@dataclass(slots=True)
class Calls:
    """The calls of one question. ``until`` is when its time is up, by the monotonic clock; None: never.
    Those that fail, or are late, count too, with tokens by our estimate. None begins while one that was left
    behind on ``lane`` still runs, where there is one."""

    llm: LanguageModel
    until: float | None = None
    lane: Lane | None = None
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
        if self.lane is not None and self.lane.blocked:
            raise ModelCallError(f"{self.llm.name}: not asked, it has not come back from an earlier call yet")
        if end is not None and end <= monotonic():
            raise ModelCallError(f"{self.llm.name}: not asked, the time was up")
        self.made += 1
        pieces = _Pieces(take) if take is not None else None
        try:
            done = self._in_time(prompt, room, pieces, end)
        except ModelCallError:
            heard = estimate_tokens(pieces.text) if pieces else 0
            self.tokens += TokenCount(estimate_tokens(prompt), heard, estimated=True)
            raise
        self.tokens += TokenCount.of(done)
        return done.text

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.until is not None and monotonic() >= self.until

    def halfway(self) -> float | None:
        """When half of the time that is left is over; None where there is no end."""
        return None if self.until is None else (monotonic() + self.until) / 2

    def _called(self, prompt: str, room: int, take: Callable[[str], None] | None) -> Completion:
        if take is not None and isinstance(self.llm, StreamingModel):
            return self.llm.stream(prompt, room, take)
        return self.llm.complete(prompt, room)

    def _in_time(self, prompt: str, room: int, pieces: _Pieces | None, until: float | None) -> Completion:
        if until is None:
            return self._called(prompt, room, pieces)
        try:
            lane = self.lane or Lane()
            return lane.run(lambda: self._called(prompt, room, pieces), until - monotonic())
        except TimeUp:
            raise ModelCallError(f"{self.llm.name}: no answer within the time given") from None
        finally:
            if pieces is not None:
                pieces.end()


class _Pieces:
    """Hands the pieces of an answer on until their time is up; one that is being handed on is so whole."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take
        self._lock = threading.Lock()
        self._over = False
        self._heard: list[str] = []

    def __call__(self, piece: str) -> None:
        with self._lock:
            if self._over:
                raise ModelCallError("the time was up")
            self._heard.append(piece)
            self._take(piece)

    def end(self) -> None:
        """Take no more."""
        with self._lock:
            self._over = True

    @property
    def text(self) -> str:
        """What was handed on."""
        return "".join(self._heard)
