"""Which way a question looks from a name in it: at what the name does, or at what is done to it."""

from __future__ import annotations

import re

from ..indexer.names import form
from ..indexer.stores.graph_ports import Direction
from .graph_words import WORD, place_of

_ASKING, _HELPING, _DONE_BY, _FILLING = (
    frozenset(words.split())
    for words in (
        "what which who whom whose whatever that where how why when",
        "do does did can could may might must shall should will would has have had is are was were",
        "by for before until after if unless once when while so",  # required by X, before X can run
        "a an the this these those each every any in on of to from with into upon",
    )
)
_PASSIVE = re.compile(r"(?:\w+(?:ed|en|own)|set|put|built|made|held|kept|read|sent)\Z")
_BY_END = re.compile(r"\bby(?: what| which| whom)?\W*\Z")
FUNCTION = _ASKING | _HELPING | _DONE_BY | _FILLING
_ARTICLES = frozenset({"the", "a", "an", "this"})
_LOOKED_AT = 4
_NOUN = 3
"""Words of the longest noun between an article and a name."""


def direction(question: str, name: str) -> Direction:
    """``out`` where the question asks what ``name`` does to others (what SSE requires), ``in`` where it asks
    what others do to it (what requires SSE), ``both`` where that is not clear, as in other languages."""
    text = question.casefold()
    at = place_of(name.casefold(), text)
    if at < 0 or not form(name):
        return "both"
    before, after = text[:at], text[at + len(name) :]
    if _BY_END.search(after) or re.match(r"\W*(?:is|are|was|were) \w+ by\b", after):
        return "in"
    words = without_noun(WORD.findall(before))[-_LOOKED_AT:]
    while words and words[-1] in _FILLING:
        words.pop()
    if not words:
        return _as_first(after)
    last = words[-1]
    if last in _ASKING or last in _HELPING or last in _DONE_BY:
        return "both" if last in ("is", "are", "was", "were") else "out"
    if len(words) > 1 and words[-2] in _HELPING and _PASSIVE.match(last):
        return "both"
    return "in" if _asked(before) else "both"


def without_noun(words: list[str]) -> list[str]:
    """The ``words`` before a name without the noun that says what it is: "that the register bit CR4.PG"."""
    for length in range(1, _NOUN + 1):
        if len(words) > length and words[-length - 1] in _ARTICLES:
            return (
                words
                if (_FILLING | _DONE_BY | _ASKING | _HELPING) & set(words[-length:])
                else words[: -length - 1]
            )
    return words


def _as_first(after: str) -> Direction:
    """A question that begins with the name: "SSE requires what?"."""
    words = WORD.findall(after)
    return "out" if words and words[0] not in ("is", "are", "was", "were", "and", "or") else "both"


def _asked(before: str) -> bool:
    """Whether a question word stands before: "what requires", "which instructions need"."""
    return any(word in _ASKING for word in WORD.findall(before))
