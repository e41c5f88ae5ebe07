"""What a sentence says that something is: "X is a Y", "X was the capital of Y"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..names import Found
from ..names_lists import word_set
from .patterns_lexicon import Lexicon
from .patterns_units import WALL, Triple, Unit, is_adjective

_REACH = 16
_MOST = 3
_NO_NOUNS = word_set(
    """known famous notable noted best popular able due similar equal close ever according native only first
    last same other likely different available"""
)
_PARTICIPLE = "-"
"""Stands for the preposition after a participle: what it governs, the verb patterns say."""


def find_copulas(units: Sequence[Unit], words: Lexicon) -> Iterator[Triple]:
    """The relations of "X is a Y" in a sentence: ``is a``, or the noun with its preposition ("capital of")
    where the name stands after one, or ``belongs to`` where it only says what kind ("an SSE instruction").
    The source is None where the sentence begins with a pronoun."""
    for at, unit in enumerate(units):
        if unit.word in words.be and at + 1 < len(units) and units[at + 1].word in words.articles:
            source = _subject(units, at, words)
            if source is not None:
                yield from _said(units, at + 2, source[0], words)
            return


def _subject(units: Sequence[Unit], be: int, words: Lexicon) -> tuple[Found | None] | None:
    """What stands before the "is" at ``be``: a name at its side or at the head of the sentence, or a
    pronoun."""
    before = units[be - 1] if be else None
    if before is None or before.word in words.never:
        return None
    first = next((one for one in units[:be] if one.word not in words.definite | words.articles), before)
    if first.name is not None:
        return (first.name,)
    if before.name is not None and (be < 2 or units[be - 2].word not in words.prepositions | words.of):
        return (before.name,)
    if be <= 2 and (before.word in words.pronouns or before.word in words.generic):
        return (None,)
    return None


def _said(units: Sequence[Unit], at: int, source: Found | None, words: Lexicon) -> Iterator[Triple]:
    noun = preposition = ""
    given = 0
    for index in range(at, min(at + _REACH, len(units))):
        unit, following = units[index], units[index + 1] if index + 1 < len(units) else None
        word = unit.word
        if word in (WALL, "that") or word in words.never or given >= _MOST:
            return
        if word in words.pronouns or (word in words.stops and word not in words.joins):
            return
        if unit.name is not None:
            if following is not None and following.word in words.be:
                return
            type = _type(unit.name, following, noun, preposition, words)
            if type:
                given += 1
                yield Triple(source, type, unit.name)
            preposition = _PARTICIPLE if type == "is a" else preposition
        elif word == ",":
            if following is not None and following.name is None:
                noun = preposition = ""
        elif preposition == _PARTICIPLE or word in words.joins:
            continue
        elif word in words.prepositions or word in words.of or word in words.by:
            preposition = word
            if word == "to" and following is not None and following.name is None:
                preposition = word if following.word in words.articles else _PARTICIPLE  # to do something
        elif word in words.active or word in words.passive or word in words.phrases:
            preposition = _PARTICIPLE
        elif not preposition and word not in words.articles and word not in words.definite:
            noun = word


def _type(name: Found, following: Unit | None, noun: str, preposition: str, words: Lexicon) -> str:
    """What a name after "is a" is to the subject; empty where it is not told."""
    goes_on = following is not None and _is_noun(following.word, words)
    if preposition == _PARTICIPLE or (goes_on and is_adjective(name)):
        return ""
    if not preposition:
        return "belongs to" if goes_on else "is a"
    told = noun and noun not in _NO_NOUNS and not (goes_on and name.kind == "acronym")
    return f"{noun} {preposition}" if told else ""


def _is_noun(word: str, words: Lexicon) -> bool:
    """Whether a word can be a noun, as far as the lexicon tells."""
    small = words.prepositions | words.of | words.joins | words.stops | words.pronouns
    return word.isalpha() and word not in small and word not in words.passive and word not in words.phrases
