"""Relations that the sentences of English, German, French and Spanish state between names.

A verb of the lexicon is looked for between two names (or after a pronoun or "the instruction", which stand
for what the chunk is about): its subject is sought before it, its objects after it, never across a clause.
The passive is turned round. What is negated states nothing: "does not require" makes no relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..names_lists import word_set
from .patterns_doers import DoerFinder, Doers
from .patterns_lexicon import Lexicon
from .patterns_objects import find_objects
from .patterns_units import WALL, Triple, Unit

_NEAR = 4
_AUXILIARY = 8
_ADVERBS = 2
_HELPERS = word_set("can could may might must shall should will would does do did to and which")
_BREAKS = (",", WALL)


def find_relations(units: Sequence[Unit], words: Lexicon, subject: bool) -> Iterator[Triple]:
    """The relations of one sentence. ``subject`` says whether pronouns may stand for the chunk's subject."""
    reader = _Sentence(units, words, subject)
    for at, unit in enumerate(units):
        if unit.word.isalpha():
            yield from reader.at(at)


class _Sentence:
    def __init__(self, units: Sequence[Unit], words: Lexicon, subject: bool) -> None:
        self._units = units
        self._words = words
        self._doers = DoerFinder(units, words, subject)

    def at(self, at: int) -> Iterator[Triple]:
        """The relations whose verb stands at ``at``."""
        word = self._units[at].word
        for rest, type in self._words.phrases.get(word, ()):
            after = at + 1 + len(rest)
            if tuple(unit.word for unit in self._units[at + 1 : after]) == rest:
                yield from self._active(at, after, type)
                return
        if word in self._words.late:
            yield from self._late(at, *self._words.late[word])
            return
        type = self._words.passive.get(word, "")
        if type and (agent := self._agent(at)):
            yield from self._passive(at, agent, type)
        elif word in self._words.active and not self._helped(at):
            yield from self._active(at, at + 1, self._words.active[word])

    def _active(self, verb: int, after: int, type: str) -> Iterator[Triple]:
        if self._negated(verb) or self._is_noun(verb):
            return
        phrase = after > verb + 1
        doers = self._doers.of(verb, apposed=phrase)
        if self._units[verb].word in self._words.bare and not self._agrees(verb, doers):
            return
        objects = find_objects(self._units, self._words, after, phrase=phrase, places=phrase)
        yield from (Triple(source, type, target) for source in doers for target in objects)

    def _passive(self, verb: int, agent: int, type: str) -> Iterator[Triple]:
        """Turned round; ``agent`` is the index after the "by"."""
        if self._negated(verb):
            return
        helper = self._auxiliary(verb) if self._words.verb_last else None
        done_to = self._doers.of(verb if helper is None else helper, apposed=True)
        units = self._units[:verb] if agent < verb else self._units
        by = find_objects(units, self._words, agent, phrase=True)
        yield from (Triple(source, type, target) for source in by for target in done_to)

    def _late(self, verb: int, preposition: str, type: str) -> Iterator[Triple]:
        """A clause that its verb ends: "X wurde in Y geboren"."""
        for at in range(verb - 1, max(verb - 1 - _AUXILIARY, -1), -1):
            word = self._units[at].word
            if word in _BREAKS:
                return
            if word in (preposition, preposition + "m"):
                helper = self._auxiliary(verb)
                objects = find_objects(self._units[:verb], self._words, at + 1, phrase=True)
                doers = self._doers.of(at if helper is None else min(at, helper))
                if not self._negated(verb):
                    yield from (Triple(source, type, target) for source in doers for target in objects)
                return

    def _agent(self, verb: int) -> int | None:
        """The index after the "by" of a participle; in German it may stand before it."""
        for at in range(verb + 1, min(verb + _NEAR, len(self._units))):
            if self._units[at].name is not None or self._units[at].word in _BREAKS:
                break
            if self._units[at].word in self._words.by:
                return at + 1
        if self._words.verb_last and (helper := self._auxiliary(verb)) is not None:
            for at in range(verb - 1, helper, -1):
                if self._units[at].word in self._words.by:
                    return at + 1
        return None

    def _auxiliary(self, verb: int) -> int | None:
        for at in range(verb - 1, max(verb - 1 - _AUXILIARY, -1), -1):
            if self._units[at].word == WALL:
                return None
            if self._units[at].word in self._words.be:
                return at
        return None

    def _helped(self, verb: int) -> bool:
        """Whether a form of "be" makes a participle of the word: "is set" says not what sets it."""
        if self._units[verb].word not in self._words.passive:
            return False
        if self._words.verb_last:
            return self._auxiliary(verb) is not None
        for unit in reversed(self._units[max(0, verb - 1 - _ADVERBS) : verb]):
            if unit.word in self._words.be:
                return True
            if not unit.word.endswith("ly"):
                return False
        return False

    def _agrees(self, verb: int, doers: Doers) -> bool:
        """Whether a verb without an ending can have its subject: after "can", or if that is more than one."""
        if len(doers) > 1 or any(name is not None and name.name.endswith("s") for name in doers):
            return True
        return any(unit.word in _HELPERS for unit in self._units[max(0, verb - 3) : verb])

    def _is_noun(self, verb: int) -> bool:
        """Whether the word stands as a noun (the set, a use of, the command write) or in an infinitive
        without a subject."""
        before = self._units[verb - 1].word if verb else ""
        if before == "to":
            return verb < 2 or self._units[verb - 2].word not in ("used", "needed", "required", "able")
        words = self._words
        if before in words.generic and self._units[verb].word in words.bare:
            return True
        return any(
            before in kind for kind in (words.articles, words.definite - words.pronouns, words.of, words.by)
        )

    def _negated(self, verb: int) -> bool:
        for unit in reversed(self._units[max(0, verb - _NEAR) : verb]):
            if unit.name is not None or unit.word in _BREAKS:
                break
            if unit.word in self._words.never:
                return True
        for unit in self._units[verb + 1 : verb + 1 + _NEAR]:
            if unit.word in _BREAKS or (unit.name is not None and not self._words.verb_last):
                break
            if unit.word in self._words.never:
                return True
        return False
