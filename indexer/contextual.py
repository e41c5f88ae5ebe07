"""Context written by a language model: one or two sentences that situate a chunk in its document.

After Anthropic, "Introducing Contextual Retrieval" (2024). The input of all calls for a document, asking
again included, stays within three times the document; what is not answered usably keeps the context
that its structure gave it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from .context import ContextSettings, context_room
from .contextual_reply import (
    CHECKS,
    Reply,
    check_reply,
    count_reasons,
    pack_contexts,
    pack_failures,
    read_failures,
)
from .contextual_views import Ask, plan, tokens_of
from .errors import Cancelled, ModelCallError
from .models.call_cache import CallCache, call_key
from .models.ports import LanguageModel
from .models.usage import cost_of, estimate_tokens
from .owed import passes, reason_of
from .prompts import load_prompt
from .types import Chunk, Document

INPUT_LIMIT = 3.0
"""Billed input tokens over the document's own, at most."""

NOT_AGAIN = "{}, too costly to ask again"
TOO_SHORT = "document too short to be worth a call"
NO_ROOM = "chunk too long for the model's window"

_WORDS_A_TOKEN = 0.6
_JSON_TOKENS = 12


@dataclass(frozen=True, slots=True)
class ContextOutcome:
    """All chunks of the document, in order, and what the contexts took.

    ``calls`` were answered by the model, ``cached_calls`` by the cache, at no cost; of
    ``estimated`` calls the provider gave no counts. ``failures`` counts the chunks that keep their structural
    context, by reason.
    """

    chunks: tuple[Chunk, ...]
    calls: int = 0
    cached_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    estimated: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def owed(self) -> int:
        """Chunks for which the model could not be asked."""
        return sum(count for reason, count in self.failures.items() if passes([reason]))


def write_contexts(
    document: Document,
    chunks: Sequence[Chunk],
    llm: LanguageModel,
    cache: CallCache,
    settings: ContextSettings,
    cancel: threading.Event,
) -> ContextOutcome:
    """Chunks of a document, situated by structure before, with the model's sentences in their context.

    At most ``llm.concurrency`` calls run at once. Raises Cancelled when ``cancel`` is set; what was
    answered until then is in the cache.
    """
    if len(chunks) < 2 or settings.budget == 0:
        return ContextOutcome(tuple(chunks))
    writer = _Writer(llm, cache, settings.budget, INPUT_LIMIT * tokens_of(document, chunks), cancel)
    asks = plan(document, chunks, llm.window, settings.budget + _JSON_TOKENS)
    if sum(map(writer.price, asks)) > writer.budget:
        return ContextOutcome(tuple(chunks), failures={TOO_SHORT: len(chunks)})
    writer.run(asks)
    situated = tuple(_with_context(chunk, writer.contexts, settings.budget) for chunk in chunks)
    shown = {ask.chunk(number).id for ask in asks for number in ask.numbers}
    reasons = [*writer.reasons.values(), *(NO_ROOM for chunk in chunks if chunk.id not in shown)]
    return replace(writer.counts, chunks=situated, failures=count_reasons(reasons))


class _Writer:
    """The calls for one document: their budget, what came of them, and what they took."""

    def __init__(
        self, llm: LanguageModel, cache: CallCache, most_tokens: int, budget: float, cancel: threading.Event
    ) -> None:
        self.budget = budget
        self.contexts: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.counts = ContextOutcome(())
        self._llm = llm
        self._cache = cache
        self._most_tokens = most_tokens
        self._cancel = cancel
        self._prompt = load_prompt("situate")
        self._lock = threading.Lock()
        self._spent = 0.0

    def price(self, ask: Ask) -> int:
        """About how many tokens a call's prompt has."""
        return estimate_tokens(self._text(ask))

    def run(self, asks: Sequence[Ask]) -> None:
        """Make all calls, and each once more for what it did not answer usably."""
        self._spent = float(sum(map(self.price, asks)))
        with ThreadPoolExecutor(min(self._llm.concurrency, max(1, len(asks)))) as pool:
            list(pool.map(self._situate, asks))
        if self._cancel.is_set():
            raise Cancelled("stopped while contexts were written; the same command goes on from there")

    def _situate(self, ask: Ask) -> None:
        failed = self._call(ask, 1)
        if not failed:
            return
        again = ask.narrowed(failed)
        price = self.price(again)
        with self._lock:
            affordable = self._spent + price <= self.budget
            self._spent += price if affordable else 0
        if affordable:
            self._call(again, 2)
        else:
            ids = [ask.chunk(number).id for number in failed]
            self._note({id: NOT_AGAIN.format(self.reasons[id]) for id in ids})

    def _call(self, ask: Ask, turn: int) -> list[int]:
        """Make one call, of two, and keep what is usable; the numbers that may be asked for again."""
        if self._cancel.is_set():
            return []
        texts = {number: ask.chunk(number).text for number in ask.numbers}
        try:
            reply = self._reply(self._text(ask), texts, turn)
        except ModelCallError as error:
            self._note({ask.chunk(number).id: reason_of(error) for number in ask.numbers})
            return []  # retried already where that could help
        with self._lock:
            for number, context in reply.contexts.items():
                self.contexts[ask.chunk(number).id] = context
                self.reasons.pop(ask.chunk(number).id, None)
        self._note({ask.chunk(number).id: reason for number, reason in reply.failures.items()})
        return sorted(reply.failures)

    def _reply(self, prompt: str, texts: Mapping[int, str], turn: int) -> Reply:
        """What is usable of the answer to a prompt, from the cache where it was asked before; of one without
        anything usable that holds what was wrong. Raises ModelCallError."""
        key = call_key(self._llm.name, self._prompt.version, prompt)
        if (kept := self._cache.get(key)) is not None:
            self._count(ContextOutcome((), cached_calls=1))
            return check_reply(kept, texts, self._most_tokens)
        asked = f"{self._prompt.version} {CHECKS} {self._most_tokens} {turn}"  # the second may be the first's
        verdict = call_key(self._llm.name, asked, prompt)
        if (kept := self._cache.get(verdict)) is not None:
            self._count(ContextOutcome((), cached_calls=1))
            return Reply({}, read_failures(kept))
        done = self._llm.complete(prompt, len(texts) * (self._most_tokens + _JSON_TOKENS))
        cost = cost_of(self._llm, done.tokens_in, done.tokens_out)
        self._count(ContextOutcome((), 1, 0, done.tokens_in, done.tokens_out, cost, int(done.estimated)))
        reply = check_reply(done.text, texts, self._most_tokens)
        packed = pack_contexts(reply.contexts) if reply.contexts else pack_failures(reply.failures)
        self._cache.put(key if reply.contexts else verdict, packed, done.tokens_in, done.tokens_out, cost)
        return reply

    def _text(self, ask: Ask) -> str:
        words = max(8, int(self._most_tokens * _WORDS_A_TOKEN))
        return ask.view.prompt(self._prompt, ask.numbers, words)

    def _note(self, reasons: Mapping[str, str]) -> None:
        with self._lock:
            self.reasons.update(reasons)

    def _count(self, took: ContextOutcome) -> None:
        with self._lock:
            done = self.counts
            self.counts = replace(
                done,
                calls=done.calls + took.calls,
                cached_calls=done.cached_calls + took.cached_calls,
                tokens_in=done.tokens_in + took.tokens_in,
                tokens_out=done.tokens_out + took.tokens_out,
                cost=done.cost + took.cost,
                estimated=done.estimated + took.estimated,
            )


def _with_context(chunk: Chunk, contexts: Mapping[str, str], budget: int) -> Chunk:
    """The model's sentences after the structural context; alone where there is no room for both."""
    written = contexts.get(chunk.id)
    if written is None:
        return chunk
    both = f"{chunk.context}\n{written}" if chunk.context else written
    fits = estimate_tokens(both) <= context_room(chunk, budget)
    return replace(chunk, context=both if fits else written)
