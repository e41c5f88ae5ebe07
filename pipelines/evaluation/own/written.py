"""Questions that a model writes about sampled passages, kept only where the passage answers them."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ....indexer.errors import Cancelled, ModelCallError
from ....indexer.models.call_cache import CallCache, call_key
from ....indexer.models.ports import LanguageModel
from ....indexer.models.usage import cost_of
from ....indexer.prompts import Prompt
from ...events import Event, Listener
from ..prompt_files import packaged_prompt
from .candidates import Candidate
from .passages import Passage
from .replies import Rejected, read_check, read_question

CALL_FAILED = "call failed"
_TRIES = 3
"""Passages that are asked about for each question wanted, at most."""
_ANSWER_TOKENS = 256
_TAGS = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)


@dataclass(slots=True)
class Written:
    """The questions, in the order of their passages, what was rejected and why, and what it took."""

    candidates: list[Candidate] = field(default_factory=list)
    passages: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def notes(self) -> tuple[str, ...]:
        """All of that in two lines."""
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(self.rejected.items()))
        return (
            f"written: {self.passages} passages asked about, {len(self.candidates)} questions kept"
            + (f"; rejected: {reasons}" if reasons else ""),
            f"written: {self.calls} calls ({self.cached} more from the cache), {self.tokens_in} tokens in, "
            f"{self.tokens_out} out, cost {self.cost:.4f}",
        )


def write_questions(
    passages: Sequence[Passage],
    llm: LanguageModel,
    cache: CallCache,
    wanted: int,
    listen: Listener,
    cancel: threading.Event,
) -> Written:
    """Ask the model about ``passages``, in order, until ``wanted`` questions are kept.

    Two calls a passage: one writes a question that stands alone, the other quotes the answer from the
    passage; what is not quoted from it word for word is rejected. At most three passages a question are
    tried. Raises Cancelled; what was answered until then is in the cache.
    """
    writer = _Writer(llm, cache, cancel)
    tried = passages[: _TRIES * wanted]
    with ThreadPoolExecutor(max(1, llm.concurrency)) as pool:
        at = 0
        while at < len(tried) and len(writer.result.candidates) < wanted:
            # As many as are still missing: which passages are asked about does not depend on timing.
            batch = tried[at : at + wanted - len(writer.result.candidates)]
            for found in pool.map(writer.candidate, batch):
                at += 1
                if found is not None:
                    writer.result.candidates.append(found)
                listen(Event("write", at, len(tried), "passages"))
            if cancel.is_set():
                raise Cancelled("stopped while questions were written; what was answered is kept")
    writer.result.passages = at
    return writer.result


class _Writer:
    """The two calls for a passage, and what they took."""

    def __init__(self, llm: LanguageModel, cache: CallCache, cancel: threading.Event) -> None:
        self.result = Written()
        self._llm = llm
        self._cache = cache
        self._cancel = cancel
        self._lock = threading.Lock()

    def candidate(self, passage: Passage) -> Candidate | None:
        """The question that the model writes about a passage, None where it is of no use."""
        if self._cancel.is_set():
            return None
        shown = {name: _as_data(value) for name, value in _shown(passage).items()}
        try:
            question = self._call(
                _prompt("write_question"),
                shown,
                lambda said: read_question(said, passage.text),
            )
            asked = {**shown, "question": _as_data(question)}
            quote = self._call(
                _prompt("check_question"),
                asked,
                lambda said: read_check(said, passage.text),
            )
        except Rejected as reason:
            self._reject(str(reason))
            return None
        except ModelCallError:
            self._reject(CALL_FAILED)
            return None
        fields = {"answer": quote}
        return Candidate("written", question, passage.source, (passage.place,), fields)

    def _call(self, prompt: Prompt, values: dict[str, str], read: Callable[[str], str]) -> str:
        """The checked answer to a prompt, from the cache where it is there. Only what passed is kept."""
        text = prompt.render(**values)
        key = call_key(self._llm.name, prompt.version, text)
        kept = self._cache.get(key)
        if kept is not None:
            with self._lock:
                self.result.cached += 1
            return read(kept)
        completion = self._llm.complete(text, _ANSWER_TOKENS)
        cost = cost_of(self._llm, completion.tokens_in, completion.tokens_out)
        with self._lock:
            self.result.calls += 1
            self.result.tokens_in += completion.tokens_in
            self.result.tokens_out += completion.tokens_out
            self.result.cost += cost
        found = read(completion.text)
        self._cache.put(key, completion.text, completion.tokens_in, completion.tokens_out, cost)
        return found

    def _reject(self, reason: str) -> None:
        with self._lock:
            self.result.rejected[reason] += 1


def _prompt(name: str) -> Prompt:
    return packaged_prompt(__package__, name)


def _shown(passage: Passage) -> dict[str, str]:
    title = " ".join(passage.title.split()).replace('"', "'")[:200]
    return {"source": passage.source.replace('"', "'"), "title": title, "text": passage.text}


def _as_data(text: str) -> str:
    """``text`` without anything that looks like one of our own marks."""
    return _TAGS.sub("‹", text)
