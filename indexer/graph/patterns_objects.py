"""To what it is done: the names that a verb bears on, sought in the words after it."""

from __future__ import annotations

from collections.abc import Sequence

from ..names import Found
from ..names_lists import word_set
from .patterns_lexicon import Lexicon
from .patterns_units import WALL, Unit, is_adjective

_REACH = 7
_MOST = 8
_JOINT = 3
_CONTENTS = word_set(
    """value values bit bits flag field contents content state address name part parts version set wert inhalt
    valeur valor"""
)
"""What one names to say where something is: "the value in X", "bits of X"."""


def find_objects(
    units: Sequence[Unit], words: Lexicon, at: int, *, phrase: bool = False, places: bool = False
) -> list[Found]:
    """The names from ``at`` on: the nearest, or a list that ends in "and"; with ``places`` one with commas
    only, too, as in "Bardstown, Kentucky". ``phrase`` says that a preposition was part of the verb, so that
    the first words may be one. A German noun is taken where it stands."""
    end = min(len(units), at + _REACH)
    head = ""
    for index in range(at, end):
        unit = units[index]
        if unit.name is not None:
            if index + 1 < end and _says_kind(unit.name, units[index + 1], words):
                continue
            return _listed(units, words, index, places)
        if words.verb_last and unit.written[:1].isupper() and unit.text.isalpha():
            return [unit.as_name()]
        word = unit.word
        if word in (",", WALL) or word in words.stops or (word in words.pronouns and word != "that"):
            break
        if word in words.prepositions:
            first = index == at
            if (first and not phrase) or (not first and head not in _CONTENTS):
                break
        head = word
    return []


def _says_kind(name: Found, following: Unit, words: Lexicon) -> bool:
    """Whether an adjective of a people stands before the noun that is meant."""
    if not is_adjective(name):
        return False
    word = following.word
    return following.name is not None or (
        word.isalpha() and word not in words.prepositions and word not in words.joins
    )


def _listed(units: Sequence[Unit], words: Lexicon, index: int, places: bool) -> list[Found]:
    """The names of the list that begins at ``index``."""
    first = units[index].name
    found = [first] if first is not None else []
    closed = places
    while len(found) < _MOST:
        following = _over_joint(units, words, index + 1)
        name = units[following].name if index + 1 < following < len(units) else None
        if name is None or (following + 1 < len(units) and _is_verb(units[following + 1], words)):
            break
        closed = closed or any(unit.word in words.joins for unit in units[index + 1 : following])
        found.append(name)
        index = following
    return found if closed else found[:1]


def _over_joint(units: Sequence[Unit], words: Lexicon, at: int) -> int:
    """The index after the comma, "and" and article at ``at``."""
    index = at
    while index < min(len(units), at + _JOINT):
        word = units[index].word
        if word != "," and word not in words.joins and not (index > at and word in words.articles):
            break
        index += 1
    return index


def _is_verb(unit: Unit, words: Lexicon) -> bool:
    return unit.word in words.active or unit.word in words.be or unit.word in words.passive
