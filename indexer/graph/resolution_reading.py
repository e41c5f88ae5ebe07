"""How a name is read for comparison: its words, what numbers it, and the keys under which like names meet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..names_form import form
from ..word_forms import is_dense, normalise, primary, stem
from .resolution_lists import (
    APPARATUS,
    BEFORE_OR_AFTER,
    BESIDE,
    LEGAL,
    LEGAL_DENSE,
    MEN,
    PROPER_APPARATUS,
    SMALL,
    SPELLINGS,
    TITLES,
    WOMEN,
)

_WORD = re.compile(r"[^\s/_-]+")
_EDGE = ".,;:'’\"()[]"
_POSSESSIVE = re.compile(r"['’]s\Z")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_ROMAN = re.compile(r"[IVX]{1,5}\Z")
_CODE = re.compile(r"\A[-/.\\$@%]|_|::|->|[(=<]|[a-z][A-Z]|[^\W\d_]\.[^\W\d_]{2}|[#+]\Z")
_ACRONYM = re.compile(r"[A-Z][A-Za-z&/]{0,6}[A-Z]s?\Z")
_PLURAL_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+s\Z")
_MIXED = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)(?![vV]?\d)[A-Za-z0-9][A-Za-z0-9.-]*\Z")
_DENSE_CODE = re.compile(r"(?P<what>[^\x00-\x7f]{2,}) ?(?P<code>[A-Za-z]\S*\d\S*)\Z")
_LONG_VOWEL = re.compile(r"(?<=[\u30a1-\u30fc]{2})ー\Z")
_PERSONAL = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]*(?:[-’'][^\W\d_]?[^\W\d_A-Z]+)*\Z")
_ASIDE = re.compile(r"[,(:;]")
_INITIAL = re.compile(r"\b[^\W\d_a-z]\. ?(?=[^\W\d_a-z])")
_UMLAUT = re.compile(r"([aou])e")
_SHORTEST_WORD = 3
"""Letters of a word that may be written apart or with a hyphen; shorter ones make formulas."""
_JOINT = re.compile(r"(?<=\d) (?=\d)")


@dataclass(frozen=True, slots=True)
class Key:
    """A key under which a name meets others. ``rule`` names the likeness, ``without`` is what was left out
    of the name to come to it: of two names that meet, one is whole, or both were left the same."""

    text: str
    rule: str
    without: str = ""


@dataclass(frozen=True)
class Reading:
    """A name as it is most often written, in the language of most of its chunks."""

    name: str
    language: str | None = None
    is_proper: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words as written, the parts of compounds apart."""
        found = (_POSSESSIVE.sub("", word).strip(_EDGE) for word in _WORD.findall(normalise(self.name)))
        return tuple(word for word in found if word)

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """Its words without case, accents and the choices that spelling leaves."""
        return tuple(_spelled(word, self.language) for word in self.words)

    @cached_property
    def is_code(self) -> bool:
        """Whether it is written for a machine: every character of it counts."""
        return _CODE.search(self.name) is not None

    @cached_property
    def is_acronym(self) -> bool:
        """Whether it may be short for several words: BGP, BfK, SLAs."""
        return _ACRONYM.match(self.name) is not None

    @cached_property
    def letters(self) -> str:
        """The letters of an acronym, without the s of its plural."""
        name = self.name[:-1] if _PLURAL_ACRONYM.match(self.name) else self.name
        return "".join(character for character in name if character.isalpha()).casefold()

    @cached_property
    def initials(self) -> frozenset[str]:
        """The acronyms that its words would give, with and without the small ones."""
        words = [word.casefold() for word in self.words if word[0].isalpha()]
        if len(words) < 2 or len(words) < len(self.words) or self.is_code or is_dense(self.name):
            return frozenset()
        heavy = [word for word in words if word not in SMALL]
        return frozenset("".join(word[0] for word in some) for some in (words, heavy) if len(some) > 1)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """What numbers it: digits, and Roman numerals and single letters beside other words."""
        return tuple(mark for word in self.words for mark in self._marks(word))

    @cached_property
    def skeleton(self) -> str:
        """What is left of it without its numbers."""
        bare = (
            _DIGITS.sub("#", word) if _DIGITS.search(word) or not self._marks(word) else "#"
            for word in self.words
        )
        return " ".join(bare).casefold()

    @cached_property
    def person(self) -> tuple[str, ...]:
        """Its words as a person's, without titles, where it is written like a person's name; else nothing."""
        words = without_titles([word.strip(_EDGE) for word in _POSSESSIVE.sub("", self.name).split()])
        if not 2 <= len(words) <= 4 or self.is_code or is_dense(self.name) or _ASIDE.search(self.name):
            return ()
        if words[0].casefold() in BESIDE:
            return ()
        return words if all(map(_PERSONAL.match, words)) and len(words[-1]) > 1 else ()

    @cached_property
    def is_titled(self) -> bool:
        """Whether a person's title stands before it, or an initial with its full stop in it."""
        titled = len(self.person) < len(self.name.split())
        return bool(self.person) and (titled or _INITIAL.search(self.name) is not None)

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """The keys under which it is compared with others, each once."""
        found = self._dense_keys() if is_dense(self.name) else self._spaced_keys()
        return tuple({(key.text, key.without): key for key in found if len(key.text) > 1}.values())

    def _marks(self, word: str) -> list[str]:
        if found := _DIGITS.findall(word):
            return found
        beside = len(self.words) > 1 and not self.is_titled
        return [word.casefold()] if beside and (len(word) == 1 or _ROMAN.match(word)) else []

    def _spaced_keys(self) -> Iterator[Key]:
        yield from self._without_apparatus()
        if self.is_code or not self.words:
            yield Key("=" + form(self.name), "code")
            return
        stems = (
            stem(word, self.language) if self._bends(word, raw) else word for word, raw in self._paired()
        )
        yield Key(" ".join(stems), "inflection")
        if self.numbers or any(len(word) >= _SHORTEST_WORD for word in self.spelled):
            yield Key("=" + joined(self.spelled), "spelling")
        if len(self.words) > 1 and self.words[-1].casefold() in LEGAL and self.words[-2][0].isupper():
            yield Key("=" + joined(self.spelled[:-1]), "organisation", "legal form")
        if self.person:
            yield Key(f"{self.person[0]} … {self.person[-1]}".casefold(), "person")

    def _paired(self) -> Iterator[tuple[str, str]]:
        return zip(self.spelled, self.words, strict=True)

    @staticmethod
    def _bends(word: str, raw: str) -> bool:
        """Whether a word may stand in another case or number."""
        return word.isalpha() and len(word) > 2 and not (raw.isupper() and len(raw) < 6)

    @cached_property
    def sex(self) -> str:
        """Whose title stands before it: a man's (m), a woman's (w), or nobody's."""
        first = self.words[0].casefold() if len(self.words) > 1 else ""
        return "m" if first in MEN else "w" if first in WOMEN else ""

    def _without_apparatus(self) -> Iterator[Key]:
        """``CR4 register`` is CR4, ``river Kura`` the Kura River, ``relief valve RV-7`` RV-7."""
        parts = self.name.split()
        if not 2 <= len(parts) <= 5:
            return
        if parts[0].casefold() in BEFORE_OR_AFTER:
            yield Key("=" + joined((*self.spelled[1:], self.spelled[0])), "kind")
        last, first = _singular(parts[-1].strip(_EDGE)), _singular(parts[0])
        if _is_own(parts[:-1], last):
            yield _bare(parts[:-1], last, self.language)
        if _is_own(parts[1:], first):
            yield _bare(parts[1:], first, self.language)
        if _MIXED.match(parts[-1]) and all(part.isalpha() and part[1:].islower() for part in parts[:-1]):
            yield _bare(parts[-1:], " ".join(parts[:-1]).casefold(), self.language)

    def _dense_keys(self) -> Iterator[Key]:
        name = form(self.name)
        yield Key("=" + _LONG_VOWEL.sub("", name), "spelling")
        if match := _DENSE_CODE.match(normalise(self.name)):
            yield _bare([match["code"]], match["what"], None)
        for mark in LEGAL_DENSE:
            bare = name.removesuffix(mark).removeprefix(mark).strip()
            if bare != name and len(bare) > 1:
                yield Key("=" + _LONG_VOWEL.sub("", bare), "organisation", "legal form")
                return


def without_titles(words: Sequence[str]) -> tuple[str, ...]:
    """The words after any titles, but always one."""
    at = 0
    while at < len(words) - 1 and words[at].casefold() in TITLES:
        at += 1
    return tuple(words[at:])


def joined(words: Sequence[str]) -> str:
    """Words as one; between digits a joint stays, or 3-1 would be 31."""
    return _JOINT.sub(".", " ".join(words)).replace(" ", "")


def _singular(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if folded.endswith("s") and folded[:-1] in APPARATUS else folded


def _is_own(parts: Sequence[str], kind: str) -> bool:
    """Whether ``parts`` are what a thing of this ``kind`` is called: a code, or a name and number."""
    if kind in PROPER_APPARATUS:
        return len(parts) == 1
    if kind not in APPARATUS:
        return False
    if len(parts) > 1:
        return parts[0][0].isupper() and any(map(str.isdigit, parts[-1]))
    return bool(_CODE.search(parts[0]) or _MIXED.match(parts[0]) or _ACRONYM.match(parts[0]))


def _bare(parts: Sequence[str], kind: str, language: str | None) -> Key:
    reading = Reading(" ".join(parts), language)
    text = form(reading.name) if reading.is_code else joined(reading.spelled)
    return Key("=" + text, "kind", kind)


@lru_cache(maxsize=1 << 16)
def _spelled(word: str, language: str | None) -> str:
    if _PLURAL_ACRONYM.match(word):
        word = word[:-1]
    folded = "".join(
        c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c)
    )
    if not folded.isalpha() or (word.isupper() and len(word) < 6):
        return folded
    if language and primary(language) == "de":
        folded = _UMLAUT.sub(r"\1", folded)
    for pattern, plain in SPELLINGS:
        folded = pattern.sub(plain, folded)
    return folded
