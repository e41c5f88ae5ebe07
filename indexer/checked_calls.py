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
from .models.usage import SAFETY, cost_of, estimate_tokens
from .owed import passes, reason_of

Found = TypeVar("Found")
Faults = Counter[str]
Render = Callable[["Wrong | None"], str]
Check = Callable[[str, Faults], "Found | Wrong"]

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
    estimated: int = 0


@dataclass(frozen=True, slots=True)
class _Known:
    """What is remembered of what was asked without a usable answer: that it is ``rejected`` for good, or that
    it was asked once, what was ``wrong`` then, and that the second call could not be made."""

    rejected: bool = False
    faults: Faults = field(default_factory=Counter)
    wrong: Wrong | None = None


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
        alone are cached; where only the second call could not be made, what is to be said in it, until it
        is. Raises Cancelled.
        """
        asked = f"{salt}{render(None)}"
        key = call_key(self.llm.name, self.version, asked)
        if (found := self._cached(key, check, taken)) is not None:
            return found
        verdict = call_key(self.name, f"{self.version} {self.checks}", asked)
        known = _read_known(self.cache.get(verdict))
        if known.rejected:
            taken.cached += 1
            taken.faults.update(known.faults)
            return None
        own, wrong = Taken(), [known.wrong] if known.wrong else []
        try:
            result = self._tried(render, room, check, own, wrong)
        finally:
            _add(taken, own)
        took = own.tokens_in, own.tokens_out, own.cost
        faults = known.faults + own.faults
        if result is not None:
            self.cache.put(key, pack(result), *took)
            if known.wrong is not None:
                self.cache.put(verdict, _NOTHING, 0, 0, 0.0)
        elif len(wrong) == TRIES:
            self.cache.put(verdict, _rejection(faults), *took)
        elif own.calls and passes(own.faults):
            self.cache.put(verdict, _halfway(faults, wrong[-1]), *took)
        return result

    def _cached(self, key: str, check: Check[Found], taken: Taken) -> Found | None:
        """What is cached of a result; None where there is nothing that ``check`` still finds right."""
        kept = self.cache.get(key)
        if kept is None:
            return None
        faults: Faults = Counter()
        if isinstance(found := check(kept, faults), Wrong):
            return None
        taken.cached += 1
        taken.faults.update(faults)
        return found

    def _tried(
        self, render: Render, room: int, check: Check[Found], taken: Taken, wrong: list[Wrong]
    ) -> Found | None:
        """Ask as often as is left beside those that were ``wrong``, which this adds to."""
        while len(wrong) < TRIES:
            answer = self._ask(render(wrong[-1] if wrong else None), room, taken)
            if answer is None:
                return None
            found = check(answer, taken.faults)
            if not isinstance(found, Wrong):
                return found
            taken.faults[found.reason] += 1
            wrong.append(found)
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
        except ModelCallError as error:  # retried already where that could help
            taken.faults[reason_of(error)] += 1
            return None
        taken.calls += 1
        taken.estimated += done.estimated
        taken.tokens_in += done.tokens_in
        taken.tokens_out += done.tokens_out
        taken.cost += cost_of(self.llm, done.tokens_in, done.tokens_out)
        return done.text


_NOTHING = "{}"


def _add(total: Taken, more: Taken) -> None:
    total.faults.update(more.faults)
    total.calls += more.calls
    total.tokens_in += more.tokens_in
    total.tokens_out += more.tokens_out
    total.cost += more.cost
    total.estimated += more.estimated


def _rejection(faults: Faults) -> str:
    """What is cached of a final rejection: its faults by reason, no word of what was rejected."""
    return json.dumps({"rejected": faults}, ensure_ascii=False)


def _halfway(faults: Faults, wrong: Wrong) -> str:
    """What is cached until the second call: what it says of the first."""
    return json.dumps({"faults": faults, "wrong": [wrong.reason, wrong.detail]}, ensure_ascii=False)


def _read_known(kept: str | None) -> _Known:
    known = json.loads(kept or _NOTHING)
    if "rejected" in known:
        return _Known(True, Counter(known["rejected"]))
    if "wrong" in known:
        faults = {reason: count for reason, count in known["faults"].items() if not passes([reason])}
        return _Known(False, Counter(faults), Wrong(*known["wrong"]))
    return _Known()
