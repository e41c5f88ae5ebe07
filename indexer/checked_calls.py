"""Asking a language model for something that is checked: cached, asked once more with the fault named."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from .errors import Cancelled, ModelCallError
from .models.call_cache import CallCache, call_key
from .models.ports import LanguageModel
from .models.usage import SAFETY, estimate_tokens

Found = TypeVar("Found")
Faults = Counter[str]
Render = Callable[["Wrong | None"], str]
Check = Callable[[str, Faults], "Found | Wrong"]

CALL_FAILED = "call failed"
NO_ROOM = "too long for the window"
TRIES = 2


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why an answer is not usable: the ``reason`` by which it is counted, and what to say to the model."""

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


@dataclass(slots=True, kw_only=True)
class Taken:
    """What was taken on the way to a result, and what was rejected, by reason."""

    faults: Faults = field(default_factory=Counter)
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class CheckedCalls:
    """Calls of one kind. ``version`` is the prompt's; ``checks`` that of what is checked and ``name`` of who
    checks, without which no rejection is remembered; ``doing`` says what stops when ``cancel`` is set."""

    llm: LanguageModel
    cache: CallCache
    cancel: threading.Event
    version: str
    checks: str
    name: str
    doing: str

    def result(
        self,
        render: Render,
        room: int,
        check: Check[Found],
        pack: Callable[[Found], str],
        taken: Taken,
        salt: str = "",
    ) -> Found | None:
        """What ``check`` finds in the answer to what ``render`` makes, of at most ``room`` tokens; or in the
        second, to what it makes when it is given the fault of the first. None where neither is right.

        ``check`` may count smaller faults. ``pack`` makes what is cached of a result, which ``check`` reads
        again; ``salt`` is what it depends on beside the prompt. Of what was rejected for good the faults
        alone are cached. Raises Cancelled.
        """
        asked = f"{salt}{render(None)}"
        key = call_key(self.llm.name, self.version, asked)
        if (kept := self.cache.get(key)) is not None:
            faults: Faults = Counter()
            if not isinstance(found := check(kept, faults), Wrong):
                taken.cached += 1
                taken.faults.update(faults)
                return found
        verdict = call_key(self.name, f"{self.version} {self.checks}", asked)
        if (rejected := self.cache.get(verdict)) is not None:
            taken.cached += 1
            taken.faults.update(_read_verdict(rejected))
            return None
        own = Taken()
        try:
            result = self._tried(render, room, check, own)
        finally:
            _add(taken, own)
        took = own.tokens_in, own.tokens_out, own.cost
        if result is not None:
            self.cache.put(key, pack(result), *took)
        elif own.calls == TRIES:
            self.cache.put(verdict, _verdict(own.faults), *took)
        return result

    def _tried(self, render: Render, room: int, check: Check[Found], taken: Taken) -> Found | None:
        wrong: Wrong | None = None
        for _ in range(TRIES):
            answer = self._ask(render(wrong), room, taken)
            if answer is None:
                return None
            found = check(answer, taken.faults)
            if not isinstance(found, Wrong):
                return found
            taken.faults[found.reason] += 1
            wrong = found
        return None

    def _ask(self, prompt: str, room: int, taken: Taken) -> str | None:
        """One call's answer; None where it cannot be made or failed, which counts as a fault."""
        if self.cancel.is_set():
            raise Cancelled(f"stopped while {self.doing}; the same command goes on from there")
        if estimate_tokens(prompt) * SAFETY + room > self.llm.window:
            taken.faults[NO_ROOM] += 1
            return None
        try:
            done = self.llm.complete(prompt, room)
        except ModelCallError:
            taken.faults[CALL_FAILED] += 1  # retried already where that could help
            return None
        taken.calls += 1
        taken.tokens_in += done.tokens_in
        taken.tokens_out += done.tokens_out
        taken.cost += (done.tokens_in * self.llm.price_in + done.tokens_out * self.llm.price_out) / 1e6
        return done.text


def _add(total: Taken, more: Taken) -> None:
    total.faults.update(more.faults)
    total.calls += more.calls
    total.tokens_in += more.tokens_in
    total.tokens_out += more.tokens_out
    total.cost += more.cost


def _verdict(faults: Faults) -> str:
    """What is cached of a final rejection: its faults by reason, no word of what was rejected."""
    return json.dumps({"rejected": faults}, ensure_ascii=False)


def _read_verdict(verdict: str) -> dict[str, int]:
    return {str(reason): int(count) for reason, count in json.loads(verdict)["rejected"].items()}
