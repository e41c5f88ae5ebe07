"""What a thing is told to be used for: "Use X to set Y", "To set Y, use X"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..names_lists import word_set
from .patterns_lexicon import Lexicon
from .patterns_objects import find_objects
from .patterns_units import WALL, Triple, Unit

_USE = word_set("use using")
_BEFORE = word_set("can may must should please to you")
_REACH = 5


def find_uses(units: Sequence[Unit], words: Lexicon) -> Iterator[Triple]:
    """The relation of the verb that an instruction names as a purpose, from what is to be used:
    English only. "Use" has to begin the sentence, or to follow a comma, "can", "must" or "you"."""
    for at, unit in enumerate(units):
        if unit.word not in _USE or not _instructs(units, at):
            continue
        if (tool := _named(units, at + 1)) is None:
            continue
        verb = _purpose(units, tool + 1, words)
        told = units
        if verb is None and at > 2 and units[0].word == "to" and units[1].word in words.active:
            verb, told = 1, units[: at - 1]
        if verb is not None:
            objects = find_objects(told, words, verb + 1)
            yield from (
                Triple(units[tool].name, words.active[units[verb].word], one)
                for one in objects
                if one != units[tool].name
            )


def _instructs(units: Sequence[Unit], at: int) -> bool:
    before = units[at - 1].word if at else WALL
    return before in (",", WALL) or before in _BEFORE


def _named(units: Sequence[Unit], first: int) -> int | None:
    """Where the first name stands from ``first`` on, with nothing but plain words before it."""
    for at in range(first, min(first + _REACH, len(units))):
        if units[at].name is not None:
            return at
        if units[at].word in (",", WALL, "to", "for", "in", "with"):
            return None
    return None


def _purpose(units: Sequence[Unit], first: int, words: Lexicon) -> int | None:
    """Where the verb of the purpose stands: "to set", after at most a noun that says what the tool is."""
    for at in range(first, min(first + 2, len(units) - 1)):
        if units[at].word == "to":
            return at + 1 if units[at + 1].word in words.active else None
        if units[at].name is not None or units[at].word in (",", WALL):
            return None
    return None
