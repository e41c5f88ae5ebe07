"""Summaries written by a language model, and checked: what is not right after one retry is another's.

After RAPTOR (Sarthi et al., arXiv 2401.18059), section 3. The passages are shown as data, and a summary
that says what no passage says, speaks another language or does as a passage tells it to is not kept.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import Cancelled, ModelCallError
from ..language import detect_language
from ..models.call_cache import CallCache, call_key
from ..models.ports import LanguageModel, Tokenizer
from ..models.usage import estimate_tokens
from ..prompts import load_prompt
from .reply import CUT_OFF, EMPTY, RUNAWAY, TOO_LONG, Expected, Wrong, check_summary, read_answer, shorten
from .spoken import LANGUAGES, language_code
from .summarizer import Passage, Request, Summarizer, Summary

CALL_FAILED = "call failed"
NO_ROOM = "too long for the window"
SHORTENED = "shortened"

_SOURCE = "source"
_WORDS_A_TOKEN = 0.6
_ROOM = 1.6
"""The answer's room in tokens over the summary's: a model that runs over is told apart from one cut off."""
_FRAME = 24
"""Tokens of the JSON around a summary."""
_FIXED = 420
"""Tokens of the prompt without the passages, with a chat's frame and what a retry says."""
_MARKS = 24
"""Tokens of a passage's marks, its source included."""
_SAFETY = 1.15
"""How much a provider's own count may lie above our estimate."""
_TAGS = re.compile(r"<(?=\s*/?\s*passages?\b)", re.IGNORECASE)
_MARK = "<passage"


class ModelSummarizer:
    """A Summarizer over any LanguageModel; what the model fails at is ``fallback``'s.

    ``language`` is ``source``, the passages' own, or one that is named (English, de). ``tokenizer`` counts
    the summaries as the index does; without it tokens are estimated. ``members`` passages and a summary of
    ``tokens`` tokens are what the window leaves room for. Valid summaries are cached, so that none is paid
    for twice.
    """

    def __init__(
        self,
        llm: LanguageModel,
        cache: CallCache,
        fallback: Summarizer,
        language: str = _SOURCE,
        cancel: threading.Event | None = None,
        tokenizer: Tokenizer | None = None,
        *,
        members: int = 15,
        tokens: int = 120,
    ) -> None:
        self._llm = llm
        self._cache = cache
        self._fallback = fallback
        self._language = language
        self._cancel = cancel or threading.Event()
        self._count: Callable[[str], int] = tokenizer.count if tokenizer else estimate_tokens
        self._prompt = load_prompt("summarize")
        self.concurrency = llm.concurrency
        beside = _FIXED + members * _MARKS + _answer_room(tokens)
        self.window = max(0, int(llm.window / _SAFETY) - beside)
        self._by = f"model({llm.name},{self._prompt.version},{language})"
        self.name = f"{self._by}/{fallback.name}"

    def summarize(self, request: Request) -> Summary:
        """The summary of ``request``. Raises Cancelled before a call is made, and nothing else."""
        attempt = _Attempt(self._expected(request.passages, request.language))
        if not any(passage.text.strip() for passage in request.passages):
            return self._fallback.summarize(request)
        text = self._written(request, attempt)
        if text is None:
            other = self._fallback.summarize(request)
            return attempt.summary(other.text, other.tokens, other.by)
        return attempt.summary(text, self._count(text), self._by)

    def _written(self, request: Request, attempt: _Attempt) -> str | None:
        """The model's text, or None where it has none that is right; the faults are in ``attempt``."""
        prompt = self._render(request, "")
        key = call_key(self._llm.name, self._prompt.version, f"{request.tokens}\n{prompt}")
        kept = self._cache.get(key)
        if kept is not None and isinstance(text := self._checked(kept, request, attempt), str):
            attempt.cached += 1
            return text
        again = ""
        for _ in range(2):
            answer = self._ask(self._render(request, again), request.tokens, attempt)
            if answer is None:
                return None
            found = self._checked(answer, request, attempt)
            if isinstance(found, str):
                self._cache.put(key, found, attempt.tokens_in, attempt.tokens_out, attempt.cost)
                return found
            attempt.faults[found.reason] += 1
            again = _again(found)
        return None

    def _ask(self, prompt: str, tokens: int, attempt: _Attempt) -> str | None:
        """One call's answer; None where it cannot be made or failed, which counts as a fault."""
        if self._cancel.is_set():
            raise Cancelled("stopped while summaries were written; the same command goes on from there")
        room = _answer_room(tokens)
        if estimate_tokens(prompt) * _SAFETY + room > self._llm.window:
            attempt.faults[NO_ROOM] += 1
            return None
        try:
            done = self._llm.complete(prompt, room)
        except ModelCallError:
            attempt.faults[CALL_FAILED] += 1  # retried already where that could help
            return None
        attempt.calls += 1
        attempt.tokens_in += done.tokens_in
        attempt.tokens_out += done.tokens_out
        attempt.cost += (done.tokens_in * self._llm.price_in + done.tokens_out * self._llm.price_out) / 1e6
        return done.text

    def _checked(self, answer: str, request: Request, attempt: _Attempt) -> str | Wrong:
        """The summary in an answer, or what is wrong with it. One that is a little over its budget loses
        its last sentences, which counts."""
        text = read_answer(answer)
        if not text:
            return Wrong(CUT_OFF if text is None else EMPTY)
        size = self._count(text)
        if size > RUNAWAY * request.tokens:
            return Wrong(TOO_LONG)
        if wrong := check_summary(text, attempt.expected):
            return wrong
        if size <= request.tokens:
            return text
        shorter = shorten(text, request.tokens, self._count)
        if shorter is None:
            return Wrong(TOO_LONG)
        attempt.faults[SHORTENED] += 1
        return shorter

    def _expected(self, passages: Sequence[Passage], language: str | None) -> Expected:
        texts = [passage.text for passage in passages]
        source = language_code(language) if language else detect_language("\n".join(texts))
        wanted = source if self._language == _SOURCE else language_code(self._language)
        return Expected(texts, wanted, source, (self._canary(), _MARK, "The marks of the passages"))

    def _render(self, request: Request, again: str) -> str:
        shown = "\n".join(map(_shown, request.passages))
        known = LANGUAGES.get(language_code(request.language) or "") if request.language else None
        source = f"the language of the passages ({known})" if known else "the language of the passages"
        return self._prompt.render(
            passages=shown,
            language=source if self._language == _SOURCE else self._language,
            words=str(max(8, int(request.tokens * _WORDS_A_TOKEN))),
            canary=self._canary(),
            again=again,
        )

    def _canary(self) -> str:
        """A word that no document holds and no summary may."""
        return f"TASK-{call_key(self._by, self._prompt.version, '')[:12].upper()}"


@dataclass(slots=True)
class _Attempt:
    """What is expected of one summary, and what was taken and rejected on the way to it."""

    expected: Expected
    faults: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def summary(self, text: str, tokens: int, by: str) -> Summary:
        return Summary(
            text,
            tokens,
            by,
            dict(self.faults),
            self.calls,
            self.cached,
            self.tokens_in,
            self.tokens_out,
            self.cost,
        )


def _answer_room(tokens: int) -> int:
    return int(tokens * _ROOM) + _FRAME


def _shown(passage: Passage) -> str:
    source = " ".join(_as_data(passage.source).replace('"', "'").split())
    return f'<passage source="{source}">\n{_as_data(passage.text.strip())}\n</passage>'


def _again(wrong: Wrong) -> str:
    """What the one retry is told."""
    named = f": {_as_data(wrong.detail)}" if wrong.detail else ""
    fault = f"{wrong.reason}{named}"
    return f"Your last answer was not usable ({fault}). Write the summary anew without this fault.\n"


def _as_data(text: str) -> str:
    """``text`` without anything that looks like one of our own marks."""
    return _TAGS.sub("‹", text)
