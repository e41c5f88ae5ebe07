"""Whether two names that meet under one key may mean one thing, and whether they cannot."""

from __future__ import annotations

from ..word_forms import primary
from .resolution_reading import Key, Reading

_ENDINGS = {
    "en": frozenset(["", "s", "es"]),
    "de": frozenset(["", "e", "n", "s", "en", "er", "es", "em", "ern", "nen", "se", "sen", "ses"]),
}
"""What plurals and cases add, by language."""
_PAIRS = ({"y", "ies"}, {"f", "ves"}, {"fe", "ves"}, {"is", "es"}, {"um", "a"}, {"on", "a"})
"""Endings that take the place of one another."""
_LONGEST_ENDING = 3
"""Letters in which two forms of one stem may differ in any other language."""


def meet(first: Key, second: Key) -> str | None:
    """The likeness of two names with these keys of one text: its rule, None where they were left different
    things to come there."""
    if first.without and second.without and first.without != second.without:
        return None
    return second.rule if second.without else first.rule


def may_be_one(first: Reading, second: Reading, rule: str) -> bool:
    """Whether the two names, alike by ``rule``, are variants of one name."""
    if contradict(first, second):
        return False
    if rule == "inflection":
        return _is_inflected(first, second)
    if rule == "person":
        return _same_person(first.person, second.person)
    return True


def contradict(first: Reading, second: Reading) -> bool:
    """Whether the names say themselves that they are two things: CR0 and CR4, TLS 1.2 and TLS 1.3, John and
    Anna Smith."""
    if first.skeleton == second.skeleton:
        return first.numbers != second.numbers
    if first.sex and second.sex and first.sex != second.sex:
        return True
    one, other = first.person, second.person
    if one and other and one[-1] == other[-1]:
        return not _same_person(one, other)
    return False


def _same_person(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter of two names leaves out, or shortens to initials, some of the longer one's."""
    if len(one) > len(other):
        one, other = other, one
    if one[-1] != other[-1] or not _agree(one[0], other[0]):
        return False
    at = 1
    for word in one[1:-1]:
        while at < len(other) - 1 and not _agree(word, other[at]):
            at += 1
        if at == len(other) - 1:
            return False
        at += 1
    return True


def _agree(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _is_inflected(first: Reading, second: Reading) -> bool:
    """Whether every word of one is that of the other, or its plural or case: a stem alone also joins organs
    and organizations, compilers and compiling."""
    if len(first.spelled) != len(second.spelled):
        return False
    if len(first.words) == 1 and first.is_proper != second.is_proper and _is_word(first, second):
        return False
    endings = _ENDINGS.get(primary(first.language or second.language or "en"))
    return all(_same_word(a, b, endings) for a, b in zip(first.spelled, second.spelled, strict=True))


def _is_word(*readings: Reading) -> bool:
    """Whether one of the names is mostly written as a word: Windows is no plural of window."""
    return any(reading.name.islower() for reading in readings)


def _same_word(one: str, other: str, endings: frozenset[str] | None) -> bool:
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    ends = {one[shared:], other[shared:]}
    if ends in _PAIRS or len(ends) == 1:
        return True
    if endings is None:
        return max(map(len, ends)) <= _LONGEST_ENDING
    return "" in ends and ends <= endings
