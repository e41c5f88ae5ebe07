"""What a question asks of a name in it: the kind of relation that leads on from there, and which way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..indexer.stores.graph_ports import Direction
from ..indexer.word_forms import stem
from .graph_direction import FUNCTION, direction, without_noun
from .graph_kinds import Said, find_kinds, kinds_said
from .graph_words import WORD, place_of

Sense = tuple[str, Direction]
"""A kind of relation, and whether the name is its subject (``out``) or its object (``in``)."""

_RELATIVE, _PREPOSITIONS, _FORMS_OF_BE = (
    frozenset(words.split())
    for words in (
        "that which who whom whose what whatever whoever",
        "by with from to into in on of for without through under at",
        "is are was were be been being",
    )
)
_SHORT = 3
_BEFORE = 7
_AFTER = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The ``senses`` in which a question speaks of a name (none where it has no word of a known kind), and
    the stems of the ``words`` in which it does."""

    senses: frozenset[Sense] = frozenset()
    words: frozenset[str] = frozenset()

    def fits(self, senses: Iterable[Sense]) -> bool:
        """Whether one of ``senses`` is asked for."""
        return any(
            kind == other and (way == whither or "both" in (way, whither))
            for kind, way in self.senses
            for other, whither in senses
        )

    def speaks(self, text: str) -> bool:
        """Whether a text has a word of a kind that is asked for, whichever way, or the same word."""
        kinds = {kind for kind, _ in self.senses}
        if any(said.kind in kinds for said in kinds_said(text)):
            return True
        return any(stem(word, "en") in self.words for word in WORD.findall(text.casefold()))


def asked_of(question: str, name: str) -> Asked:
    """What ``question`` asks of ``name``: by the verb or noun that joins it to the rest, as in "the unit that
    feeds NAME", "the successor of NAME", "the unit from which NAME gets its settings"."""
    text, key = question.casefold(), name.casefold()
    at = place_of(key, text)
    if at < 0:
        return Asked()
    before = without_noun(WORD.findall(text[:at]))[-_BEFORE:]
    cut = next((at for at in range(len(before) - 1, -1, -1) if before[at] in _RELATIVE), -1)
    led = before[cut - 1] if cut > 0 and before[cut - 1] in _PREPOSITIONS else ""
    after = WORD.findall(text[at + len(key) :])[: _AFTER + 1]
    after = after[1:] if after[1:2] and after[1] in _FORMS_OF_BE else after[:_AFTER]
    said = before[cut + 1 :]
    way = direction(question, name)
    if not find_kinds(said):
        said = [*([led] if led == "without" else ()), *said, *_carried(after, led)]
        if led in ("by", "with") and after and after[0] in _FORMS_OF_BE:
            way = "in"
    return Asked(frozenset((one.kind, _turned(way, one)) for one in find_kinds(said)), telling(said))


def telling(words: Iterable[str]) -> frozenset[str]:
    """The stems of ``words`` without those that only join others."""
    return frozenset(stem(word, "en") for word in words if len(word) > _SHORT and word not in FUNCTION)


@lru_cache(maxsize=1 << 10)
def senses_of(type: str, way: Direction) -> frozenset[Sense]:
    """The senses of a relation's type for its source (``out``) or its target (``in``)."""
    return frozenset((said.kind, _turned(way, said)) for said in kinds_said(type))


def _carried(after: list[str], led: str) -> list[str]:
    """The words after a name with the preposition that came before "which": "into which X is built" says
    built into."""
    if led in ("", "by", "with", "without"):
        return after
    verb = 1 if after and after[0] in _FORMS_OF_BE else 0
    return [*after[: verb + 1], led, *after[verb + 1 :]]


def _turned(way: Direction, said: Said) -> Direction:
    if said.way == "any" or way == "both":
        return "both"
    if said.way == "on":
        return way
    return "in" if way == "out" else "out"
