"""What a text says that a numbered part is: the noun for its kind that stands beside it."""

from __future__ import annotations

import re

from ..names import Found
from ..names_lists import openers, word_set

_NUMBERED = re.compile(r"[A-Z]{1,6}[-/ ]?\d{1,6}[A-Za-z]?\Z")
"""How parts are numbered: what kind of thing they are no such list can hold."""
_QUOTE = r"[\"'“”‘’`*]{0,3}"
_IS = re.compile(rf"{_QUOTE}(?:,| is| was) (?:an?|the) ([a-z]+(?:[ -][a-z]+)*)")
_CALLED = re.compile(rf"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Ee]ach|[Ee]very)((?: [a-z-]+){{1,3}}) {_QUOTE}\Z")
_ARTICLE = re.compile(rf"\b(?:the|an?|this|each|every) {_QUOTE}\Z", re.IGNORECASE)
_BESIDE = re.compile(rf"{_QUOTE} ([a-z]{{3,16}})(?=[.,;:)]| ([a-z]+))")
_MOST_WORDS = 4
_AFTER = word_set(
    """in of on at for to from by with near between behind under over inside above below that which who whose
    and or but is are was were has have had must may can cannot shall should will would needs does do not
    before after when while until unless if as than"""
)
_VAGUE = word_set(
    """same new old other following previous next first second last main whole only original current part
    piece kind type sort set number name thing item one result case version member example way entire second
    actual matching corresponding respective given"""
)
_VERBAL = re.compile(r"(?:[^s]s|ed|ing|ly)\Z")


def kind_of_part(text: str, found: Found) -> str:
    """The noun that a text calls a numbered part by, before it, after it, or where it says what it is:
    "the bracket PV-68", "the PV-68 valve is shut", "PV-68 is a relief valve"; empty for any other name."""
    if not _NUMBERED.match(found.name):
        return ""
    if said := _IS.match(text, found.end, found.end + 80):
        return _head(said[1])
    before = text[max(0, found.start - 60) : found.start]
    if called := _CALLED.search(before):
        return "" if _VERBAL.search(called[1]) or _has_plain(called[1]) else _head(called[1])
    beside = _BESIDE.match(text, found.end, found.end + 60)
    if beside and _ARTICLE.search(before) and (beside[2] is None or beside[2] in _AFTER | openers("en")):
        return "" if _VERBAL.search(beside[1]) else _head(beside[1])
    return ""


def _has_plain(phrase: str) -> bool:
    """Whether a phrase is more than adjectives and a noun: "BPS replaces the"."""
    return any(word in _AFTER or word in openers("en") for word in phrase.split())


def _head(phrase: str) -> str:
    """The noun that a phrase comes to before a preposition or the like; empty where it says nothing."""
    words: list[str] = []
    for word in phrase.replace("-", " ").split():
        if word in _AFTER or word in openers("en"):
            break
        words.append(word)
    plain = not words or len(words) > _MOST_WORDS or words[-1] in _VAGUE or len(words[-1]) < 3
    return "" if plain else words[-1]
