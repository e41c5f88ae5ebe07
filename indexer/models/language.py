"""Language models of LlamaIndex behind our port; any of its integrations plugs in."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING, Any

from ..errors import BudgetSpent, ModelCallError, ModelUnavailable
from ..stores.addresses import without_secrets
from .breaker import Breaker
from .pace import Pace
from .ports import Completion
from .retries import begin_attempt, call_with_retries, describe
from .settings import LLMSettings, ServedSettings
from .sound_text import sound
from .streamed import Streamed
from .usage import Usage, estimate_tokens, finish_reason, read_usage

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

API_KEY_VARIABLE = "TREEGRAPH_LLM_API_KEY"
CUT = frozenset({"length", "max_tokens", "MAX_TOKENS"})
"""How OpenAI, Anthropic and Gemini say that an answer ended where its room did."""


class LlamaLanguageModel:
    """A LanguageModel over any LlamaIndex ``LLM``: retried, paced, and never more than ``concurrency``
    calls at once, whoever asks."""

    def __init__(
        self,
        make: Callable[[], LLM],
        name: str,
        window: int,
        *,
        price_in: float = 0.0,
        price_out: float = 0.0,
        concurrency: int = 4,
        pace: Pace | None = None,
        secret: str = "",
        address: str = "",
    ) -> None:
        """``make`` is called at the first completion: importing LlamaIndex takes seconds. ``address`` is
        where the model is served, as it may be shown."""
        self.name = name
        self.window = window
        self.price_in = price_in
        self.price_out = price_out
        self.concurrency = concurrency
        self._make = make
        self._llm: LLM | None = None
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(concurrency)
        self._pace = pace or Pace()
        self._breaker = Breaker()
        self._secret = secret
        self._where = f"{name} at {address}" if address else name

    def __repr__(self) -> str:
        return f"LlamaLanguageModel({self.name!r})"

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Answer one prompt in at most ``max_tokens`` tokens. Raises ModelCallError, at once while the
        last few calls have all failed."""
        expected = estimate_tokens(prompt)

        def ask() -> Any:
            self._pace.wait(expected + max_tokens)
            begin_attempt()
            return llm.complete(prompt, **limit(llm, max_tokens))

        with self._answering() as llm:
            response = call_with_retries(self._where, ask, self._secret)
        return completion(response.text or "", response, expected, max_tokens)

    def stream(self, prompt: str, max_tokens: int, take: Callable[[str], None]) -> Completion:
        """Answer one prompt, each piece going to ``take`` as it comes. It is tried again only until the
        first piece. Raises ModelCallError, also when the answer breaks off."""
        expected = estimate_tokens(prompt)

        def begin() -> Streamed:
            self._pace.wait(expected + max_tokens)
            begin_attempt()
            return Streamed(llm.stream_complete(prompt, **limit(llm, max_tokens)))

        with self._answering() as llm:
            streamed = call_with_retries(self._where, begin, self._secret)
            pieces: list[str] = []
            for piece in self._unbroken(streamed):
                pieces.append(piece)
                take(piece)
        return _counted("".join(pieces), streamed.usage, expected)

    def _unbroken(self, streamed: Streamed) -> Iterator[str]:
        """The pieces of an answer; raises ModelCallError where it breaks off."""
        try:
            yield from map(sound, streamed)
        except Exception as error:  # any provider's client, as in call_with_retries
            if isinstance(error, ModelCallError):
                raise
            raise ModelCallError(f"{self._where}: broke off: {describe(error, self._secret)}") from None
        if streamed.cut:
            raise ModelCallError(f"{self._where}: broke off before its end")

    @contextmanager
    def _answering(self) -> Iterator[LLM]:
        """The model, for one call."""
        with self._places:
            self._breaker.check()
            try:
                yield self._connected()
            except BudgetSpent:  # says nothing of the server
                raise
            except ModelCallError as error:
                self._breaker.failed(error)
                raise
            self._breaker.succeeded()

    def _connected(self) -> LLM:
        with self._lock:
            if self._llm is None:
                self._llm = self._make()
            return self._llm


def adapt_llm(llm: LLM, settings: ServedSettings | None = None) -> LlamaLanguageModel:
    """A LlamaIndex ``LLM`` object as a LanguageModel; window and name are its own."""
    chosen = settings or LLMSettings()
    meta = llm.metadata
    return LlamaLanguageModel(
        lambda: llm,
        f"{llm.class_name()}:{meta.model_name}",
        meta.context_window,
        **terms(chosen),
    )


def connect_llm(settings: LLMSettings) -> LlamaLanguageModel:
    """The model behind an OpenAI-compatible URL; no connection is made before the first call.

    The key is read from ``TREEGRAPH_LLM_API_KEY``; servers that want none get a placeholder. Raises
    ModelUnavailable when the packages are missing.
    """
    secret = os.environ.get(API_KEY_VARIABLE, "")
    return LlamaLanguageModel(
        openai_like(settings, secret),
        settings.model,
        settings.window,
        **terms(settings),
        secret=secret,
        address=without_secrets(settings.base_url),
    )


def openai_like(settings: ServedSettings, secret: str) -> Callable[[], LLM]:
    """What makes the client of an OpenAI-compatible server, at the first call. Raises ModelUnavailable when
    the packages are missing."""
    try:
        distribution("llama-index-llms-openai-like")
    except PackageNotFoundError:
        raise ModelUnavailable("language models need a package: pip install 'treegraph[llama]'") from None

    def make() -> LLM:
        from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]

        llm: LLM = OpenAILike(
            model=settings.model,
            api_base=settings.base_url,
            api_key=secret or "none",
            is_chat_model=True,
            context_window=settings.window,
            temperature=0.0,
            timeout=settings.timeout,
            max_retries=0,  # the retries are ours
            additional_kwargs={"stream_options": {"include_usage": True}},
        )
        return llm

    return make


def terms(settings: ServedSettings) -> dict[str, Any]:
    """What calls cost, and how fast and how many at once they may be made."""
    return {
        "price_in": settings.price_in,
        "price_out": settings.price_out,
        "concurrency": settings.concurrency,
        "pace": Pace(settings.requests_per_minute, settings.tokens_per_minute),
    }


def completion(text: str, response: Any, expected: int, max_tokens: int) -> Completion:
    """What a response of LlamaIndex says, and whether its room cut it; ``expected`` tokens went in, should
    the provider not say."""
    usage = read_usage(response.raw, response.additional_kwargs)
    done = _counted(text, usage, expected)
    reason = finish_reason(response.raw)
    cut = reason in CUT if reason else not done.estimated and done.tokens_out >= max_tokens
    return replace(done, cut=cut)


def _counted(text: str, usage: Usage | None, expected: int) -> Completion:
    """A completion with the provider's counts, else with ours."""
    counted = usage or Usage(expected, estimate_tokens(text))
    return Completion(sound(text), counted.tokens_in, counted.tokens_out, counted.cached_in, usage is None)


def limit(llm: LLM, max_tokens: int) -> dict[str, Any]:
    """The keyword that limits an answer's length, where this integration is known to take it."""
    return {"max_tokens": max_tokens} if "max_tokens" in type(llm).model_fields else {}
