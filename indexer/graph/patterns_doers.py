"""Who does it: the subject of a verb, sought in the words before it."""

from __future__ import annotations

from collections.abc import Sequence

from ..names import Found
from .patterns_lexicon import Lexicon
from .patterns_units import WALL, Unit, is_adjective

Doers = list[Found | None]
"""Names, or None for what the chunk is about."""

_REACH = 12
_APPOSITION = 14
_MOST = 8
_RELATIVE = frozenset({"which", "who", "that", "qui", "que"})


class DoerFinder:
    """Finds the subjects of the verbs of one sentence, asked for in reading order. ``subject`` says whether
    pronouns and "the instruction" may stand for what the chunk is about."""

    def __init__(self, units: Sequence[Unit], words: Lexicon, subject: bool) -> None:
        self._units = units
        self._words = words
        self._subject = subject
        self._before: Doers = []
        copula = len(units) > 2 and units[1].word in words.be
        self._copula = units[0].name if copula else None
        """The name that the sentence begins with, if it says what that is: "X was a Y"."""

    def of(self, verb: int, apposed: bool = False) -> Doers:
        """The subject of the verb at ``verb``: that of the verb before where "and" joins the two, empty where
        none is told. ``apposed`` is for verbs that a comma may stand before: "X, founded by Y"."""
        index = verb - 1
        while index > 0 and self._units[index].word in self._words.be:
            index -= 1
        joined = index > 0 and self._units[index].word in self._words.joins
        if not (joined and self._before):
            self._before = self._sought(verb, apposed)
        return self._before

    def _sought(self, verb: int, apposed: bool) -> Doers:
        fallback: Found | None = None
        index, low = verb - 1, max(-1, verb - 1 - _REACH)
        while index > low:
            unit = self._units[index]
            if unit.name is not None:
                before = self._units[index - 1].word if index else ""
                if before in self._words.of:
                    fallback = fallback or unit.name
                elif before in self._words.never:
                    return []
                elif before not in self._words.prepositions and not self._modifies(index, verb):
                    return self._listed(index)
            elif unit.word in _RELATIVE and index:
                index -= self._units[index - 1].word == ","
            elif unit.word in self._words.pronouns:
                return [None] if self._subject and self._begins(index) else []
            elif unit.word == ",":
                if apposed and index == verb - 1 and (name := self._units[index - 1].name) is not None:
                    governed = index > 1 and self._units[index - 2].word in self._words.prepositions
                    return self._before if governed else [name]
                index = self._over_apposition(index)
                if index < 0 and self._copula is not None:
                    return [self._copula]
                continue
            elif self._ends_clause(unit):
                break
            elif unit.word in self._words.generic and self._subject and self._definite(index):
                return [fallback]
            index -= 1
        if fallback is not None:
            return [fallback]
        return [None] if self._subject and verb == 0 and self._manual_style() else []

    def _ends_clause(self, unit: Unit) -> bool:
        word = unit.word
        verb = word in self._words.active and word not in self._words.passive
        return verb or word == WALL or word in self._words.stops

    def _modifies(self, index: int, verb: int) -> bool:
        """Whether a name before a noun only says what kind of thing that is: in "an American film directed
        by" the film is meant."""
        name = self._units[index].name
        if name is None or index + 1 >= verb or not self._units[index + 1].text.isalpha():
            return False
        return is_adjective(name) or (name.kind == "acronym" and self._copula not in (None, name))

    def _manual_style(self) -> bool:
        """Whether the sentence begins with a verb in the third person: "Sets the flag"."""
        first = self._units[0]
        told = first.word.endswith("s") or "the" not in self._words.articles
        return told and first.written[:1].isupper() and not self._words.verb_last

    def _over_apposition(self, comma: int) -> int:
        """The index before the comma that opens what the one at ``comma`` closes; -1 where none does."""
        for index in range(comma - 1, max(0, comma - _APPOSITION), -1):
            if self._units[index].word == WALL:
                return -1
            if self._units[index].word == "," and self._units[index - 1].name is not None:
                return index - 1
        return -1

    def _begins(self, index: int) -> bool:
        before = self._units[index - 1].word if index else WALL
        return before in (",", WALL) or before in self._words.joins

    def _definite(self, index: int) -> bool:
        return index > 0 and self._units[index - 1].word in self._words.definite and self._begins(index - 1)

    def _listed(self, index: int) -> Doers:
        """The names of "A, B and C", whose last stands at ``index``."""
        found: Doers = [self._units[index].name]
        while index >= 2 and len(found) < _MOST and self._units[index - 2].name is not None:
            joint = self._units[index - 1].word
            if joint not in self._words.joins and not (joint == "," and len(found) > 1):
                break
            index -= 2
            found.append(self._units[index].name)
        return found[::-1]
