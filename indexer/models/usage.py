"""How many tokens a call took: as the provider's response says, else by an estimate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

SAFETY = 1.15
"""How much a provider's own count may lie above our estimate."""

_IN = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count", "inputTokens")
_OUT = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count", "outputTokens")
_CACHED = ("cache_read_input_tokens", "cached_content_token_count", "prompt_cache_hit_tokens")
_WITHIN = ("usage", "usage_metadata", "meta")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_MOST_TOKENS = 10**9
"""A count that is higher is none: nor is one below zero, or what is no number."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. ``cached_in`` is the part of ``tokens_in`` that the provider had cached."""

    tokens_in: int
    tokens_out: int
    cached_in: int = 0


def read_usage(*places: Any) -> Usage | None:
    """The usage in the first of ``places`` (a raw response, extra arguments) that holds one.

    The names of OpenAI, Anthropic, Gemini, Bedrock and Ollama are known. Anthropic counts the cached
    input apart from the rest, the others within it. Where a server says that nothing went in, it did not
    count.
    """
    for place in places:
        for holder in (*(_get(place, name) for name in _WITHIN), place):
            tokens_in = _first(holder, _IN)
            if tokens_in is None:
                continue
            cached = _first(holder, _CACHED) or 0
            for name in _DETAILS:
                cached = cached or _first(_get(holder, name), ("cached_tokens",)) or 0
            apart = _first(holder, ("cache_read_input_tokens",)) or 0
            written = _first(holder, ("cache_creation_input_tokens",)) or 0
            whole, tokens_out = tokens_in + apart + written, _first(holder, _OUT)
            if whole and tokens_out is not None:  # half a count would make the other half free
                return Usage(whole, tokens_out, cached)
    return None


def estimate_tokens(text: str) -> int:
    """About how many tokens a subword vocabulary makes of ``text``, rather too many than too few.

    A word of six ASCII letters is one token, each further six one more; three digits are one, a sign
    one, a Chinese, Japanese or Korean character one, three letters of another script one.
    """
    count = 0
    for match in _PIECES.finditer(text):
        per_token = _LETTERS_A_TOKEN.get(match.lastgroup or "", 1)
        count += -(-len(match.group()) // per_token)
    return count


def image_tokens(png: bytes) -> int:
    """About how many tokens a picture takes, rather too many than too few: one for 750 pixels, as Anthropic
    counts; others tile or shrink a picture first, and take fewer."""
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))  # of the IHDR chunk
    return -(-width * height // _PIXELS_A_TOKEN)


_PIXELS_A_TOKEN = 750
_PIECES = re.compile(
    r"(?P<ascii>[A-Za-z]+)|(?P<digits>[0-9]+)"
    r"|(?P<cjk>[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]+)"
    r"|(?P<other>[^\W_]+)|(?P<sign>[^\w\s]|_)"
)
_LETTERS_A_TOKEN = {"ascii": 6, "digits": 3, "cjk": 1, "other": 3, "sign": 1}


def finish_reason(raw: Any) -> str:
    """Why an answer ended, in the provider's word; empty where it does not say."""
    for holder in (*_each(_get(raw, "choices")), *_each(_get(raw, "candidates")), raw):
        for name in ("finish_reason", "stop_reason", "done_reason"):
            reason = _get(holder, name)
            if reason:
                return str(getattr(reason, "name", reason))
    return ""


def _each(value: Any) -> Sequence[Any]:
    return value[:1] if isinstance(value, list | tuple) else ()


def _get(holder: Any, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)


def _first(holder: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = _get(holder, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
            return int(value)
    return None


class Priced(Protocol):
    """What asks prices, in money for a million tokens in and out."""

    @property
    def price_in(self) -> float: ...
    @property
    def price_out(self) -> float: ...


def cost_of(model: Priced, tokens_in: float, tokens_out: float) -> float:
    """What a call of so many tokens costs, in money."""
    return (tokens_in * model.price_in + tokens_out * model.price_out) / 1e6


def known_cost(cost: float, tokens: float) -> float | None:
    """What ``tokens`` cost, None where no price is known: what is paid for by the token is not free."""
    return None if tokens and not cost else cost


def whole_cost(costs: Iterable[float | None]) -> float | None:
    """What several things cost together, None where that of one is not known."""
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)
