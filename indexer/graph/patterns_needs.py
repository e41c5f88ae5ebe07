"""What a thing needs, said without the verb: what must be set before it, what it only runs with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..names import Found
from ..names_lists import word_set
from .patterns_conditions import Span
from .patterns_lexicon import Lexicon
from .patterns_units import WALL, Triple, Unit

_MUST = word_set("must should shall needs has have need")
_MADE = word_set("set enabled cleared installed loaded enable clear install load 1")
_BEFORE = word_set("before for to prior")
_ONLY = re.compile(r"(?:only|nur|uniquement|seulement|s[oó]lo|solamente|仅当|只有)", re.IGNORECASE)
_MAY = re.compile(
    r"(?<!\w)(?:can(?:not)?|may|could|must|works?|runs?|(?:is|are) (?:only )?(?:available|valid|supported"
    r"|executed|enabled|active|allowed|possible|usable)|kann|können|darf|funktioniert|peut|peuvent|puede|pueden)(?!\w)",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"(?:unless|es sei denn|à moins que|a menos que)", re.IGNORECASE)
_NEVER = re.compile(r"(?<!\w)(?:not|never|cannot|nicht|kein\w*|ne|n'|pas|no|nunca)(?!\w)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\W*(?:it|(?:the|this) (?:instruction|function|command|option|feature|register|program|mode|bit|flag)"
    r"|es|(?:der|die|das|diese[rs]?) (?:befehl|funktion|option|anweisung|register))(?!\w)",
    re.IGNORECASE,
)


def find_enablers(
    sentence: str, offset: int, names: Sequence[Found], conditions: Sequence[Span], subject: bool
) -> Iterator[Triple]:
    """``requires`` of "X can be executed only if Y is set" and of "X cannot run unless Y is set": from what
    may be to the names of its condition; from what the chunk is about, if ``subject``, where the sentence
    begins with a pronoun."""
    for start, end in conditions:
        may = _MAY.search(sentence, 0, start) or _MAY.search(sentence, end)
        if may is None:
            continue
        if _NEVER.search(sentence, max(0, may.start() - 4), may.end() + 5):
            if not _UNLESS.match(sentence, start):
                continue
        elif not _ONLY.match(sentence, start) and not _ONLY.search(sentence, may.start(), start):
            continue
        first = end if may.start() >= end else 0
        users = [name for name in names if first <= name.start - offset and name.end - offset <= may.start()]
        if not users and not (subject and _PRONOUN.match(sentence, first)):
            continue
        user = users[-1] if users else None
        needed = [name for name in names if start <= name.start - offset < end]
        yield from (Triple(user, "requires", name) for name in needed if name != user)


def find_needs(units: Sequence[Unit], words: Lexicon) -> Iterator[Triple]:
    """``requires`` of "Y must be set before X", "the system must enable Y to use X": English only. The units
    are those of the whole sentence, its conditions included."""
    for at, unit in enumerate(units):
        if unit.word in _MUST and not any(one.word in words.never for one in units[max(0, at - 2) : at + 3]):
            made = next((i for i in range(at + 1, min(at + 5, len(units))) if units[i].word in _MADE), None)
            if made is not None:
                yield from _needed(units, at, made)


def _needed(units: Sequence[Unit], must: int, made: int) -> Iterator[Triple]:
    between = [unit.word for unit in units[must + 1 : made]]
    if "able" in between or "to" in between[1:]:
        return
    if "be" in between:
        needed, after = _nearest(units, range(must - 1, max(-1, must - 6), -1)), made + 1
    else:
        needed = _nearest(units, range(made + 1, min(made + 6, len(units))))
        after = (made if needed is None else needed) + 1
    mark = next((i for i in range(after, min(after + 6, len(units))) if units[i].word in _BEFORE), None)
    if needed is None or mark is None:
        return
    user = _nearest(units, range(mark + 1, min(mark + 7, len(units))))
    if user is not None and units[user].name != units[needed].name:
        yield Triple(units[user].name, "requires", units[needed].name)


def _nearest(units: Sequence[Unit], indices: range) -> int | None:
    """The first of ``indices`` at which a name stands, before a wall."""
    for index in indices:
        if units[index].word == WALL:
            return None
        if units[index].name is not None:
            return index
    return None
