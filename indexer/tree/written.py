"""Summaries written by a language model, and checked: what is not right after one retry is another's.

After RAPTOR (Sarthi et al., arXiv 2401.18059), section 3. The passages are shown as data, and a summary
that says what no passage says, speaks another language or does as a passage tells it to is not kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checked_calls import CheckedCalls, Faults, Taken, Wrong
from ..checks.spoken import LANGUAGES, language_code
from ..language import detect_language
from ..models.call_cache import CallCache
from ..models.ports import LanguageModel, Tokenizer
from ..models.usage import SAFETY, estimate_tokens
from ..prompts import PASSAGE_MARK, load_prompt, passage_text, show_passage
from .reply import (
    CHECKS,
    CUT_OFF,
    EMPTY,
    RUNAWAY,
    TOO_LONG,
    Expected,
    check_summary,
    read_answer,
    shorten,
)
from .summarizer import Passage, Request, Summarizer, Summary

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


class ModelSummarizer:
    """A Summarizer over any LanguageModel; what the model fails at is ``fallback``'s.

    ``language`` is ``source``, the passages' own, or one that is named (English, de). ``tokenizer`` counts
    the summaries as the index does; without it tokens are estimated. ``members`` passages and a summary of
    ``tokens`` tokens are what the window leaves room for. Valid summaries are cached, and of rejected ones
    what was wrong with them, so that none is paid for twice.
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
        self._fallback = fallback
        self._language = language
        self._count: Callable[[str], int] = tokenizer.count if tokenizer else estimate_tokens
        self._prompt = load_prompt("summarize")
        self.concurrency = llm.concurrency
        beside = _FIXED + members * _MARKS + _answer_room(tokens)
        self.window = max(0, int(llm.window / SAFETY) - beside)
        self._by = f"model({llm.name},{self._prompt.version},{language})"
        self.name = f"{self._by}/{fallback.name}"
        self._calls = CheckedCalls(
            llm,
            cache,
            cancel or threading.Event(),
            self._prompt.version,
            CHECKS,
            self.name,
            "summaries were written",
        )

    def summarize(self, request: Request) -> Summary:
        """The summary of ``request``. Raises Cancelled before a call is made, and nothing else."""
        attempt = _Attempt(expected=self._expected(request.passages, request.language))
        if not any(passage.text.strip() for passage in request.passages):
            return self._fallback.summarize(request)
        text = self._written(request, attempt)
        if text is None:
            other = self._fallback.summarize(request)
            return attempt.summary(other.text, other.tokens, other.by)
        return attempt.summary(text, self._count(text), self._by)

    def _written(self, request: Request, attempt: _Attempt) -> str | None:
        """The model's text, or None where it has none that is right; the faults are in ``attempt``."""
        return self._calls.result(
            lambda wrong: self._render(request, _again(wrong) if wrong else ""),
            _answer_room(request.tokens),
            lambda answer, faults: self._checked(answer, request, attempt.expected, faults),
            str,
            attempt,
            salt=f"{request.tokens}\n",
        )

    def _checked(self, answer: str, request: Request, expected: Expected, faults: Faults) -> str | Wrong:
        """The summary in an answer, or what is wrong with it. One that is a little over its budget loses
        its last sentences, which counts."""
        text = read_answer(answer)
        if not text:
            return Wrong(CUT_OFF if text is None else EMPTY)
        size = self._count(text)
        if size > RUNAWAY * request.tokens:
            return Wrong(TOO_LONG)
        if wrong := check_summary(text, expected):
            return wrong
        if size <= request.tokens:
            return text
        shorter = shorten(text, request.tokens, self._count)
        if shorter is None:
            return Wrong(TOO_LONG)
        faults[SHORTENED] += 1
        return shorter

    def _expected(self, passages: Sequence[Passage], language: str | None) -> Expected:
        texts = [passage.text for passage in passages]
        source = language_code(language) if language else detect_language("\n".join(texts))
        wanted = source if self._language == _SOURCE else language_code(self._language)
        marks = (self._prompt.canary(self._by), PASSAGE_MARK, "The marks of the passages")
        return Expected(texts, wanted, source, marks)

    def _render(self, request: Request, again: str) -> str:
        shown = "\n".join(show_passage(passage.text, passage.source) for passage in request.passages)
        known = LANGUAGES.get(language_code(request.language) or "") if request.language else None
        source = f"the language of the passages ({known})" if known else "the language of the passages"
        return self._prompt.render(
            passages=shown,
            language=source if self._language == _SOURCE else self._language,
            words=str(max(8, int(request.tokens * _WORDS_A_TOKEN))),
            canary=self._prompt.canary(self._by),
            again=again,
        )


@dataclass(slots=True, kw_only=True)
class _Attempt(Taken):
    """What is expected of one summary, and what was taken and rejected on the way to it."""

    expected: Expected

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
            self.estimated,
        )


def _answer_room(tokens: int) -> int:
    return int(tokens * _ROOM) + _FRAME


def _again(wrong: Wrong) -> str:
    """What the one retry is told."""
    fault = passage_text(str(wrong))
    return f"Your last answer was not usable ({fault}). Write the summary anew without this fault.\n"
