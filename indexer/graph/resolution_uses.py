"""What is resolved: the use of one name in one document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..names import LONGEST_NAME, form
from ..word_forms import stem
from .extraction import Extraction, Named
from .resolution_reading import Reading

_MANY = 8
"""Times from which on the case of a word says that it is a proper name."""

_Where = tuple[str, str, bool]
"""A form, a document, and whether the name is local there."""

BAD_NAME = "dropped: no name"


@dataclass(frozen=True, slots=True)
class Said:
    """What one chunk says, as resolution sees it. ``place`` orders chunks: they are given sorted by it."""

    document: str
    extraction: Extraction
    language: str | None


@dataclass(frozen=True, slots=True)
class Use:
    """A name in one document. ``name`` is its number among all names; ``chunks`` are those that give it,
    ascending. A local one is another thing in every document. ``lower`` is the share in which it is written
    without a capital letter."""

    name: int
    form: str
    document: str
    local: bool
    chunks: tuple[int, ...]
    type: str
    lower: float


@dataclass(frozen=True, slots=True)
class Uses:
    """All uses, sorted by (form, document, local), with what is known of names and chunks. ``aliases`` are
    pairs of uses that a chunk gives as one thing, with how many chunks do; ``names_of`` the numbers of the
    names of each chunk, local ones left out; ``languages`` what each chunk is written in; ``lowered`` the
    stems of words that stand without a capital letter somewhere."""

    uses: list[Use]
    readings: list[Reading]
    aliases: dict[tuple[int, int], int]
    names_of: list[tuple[int, ...]]
    languages: list[str | None]
    lowered: frozenset[str]
    counts: Counter[str]


@lru_cache(maxsize=1 << 17)
def name_form(name: object) -> str:
    """The form of a name; empty for what is none: no text, too long, nothing left of it."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return ""
    return form(storable(name))


def storable(name: str) -> str:
    """A name without halves of surrogate pairs, which no store takes."""
    return name if name.isascii() else name.encode("utf-8", "replace").decode("utf-8")


def gather(said: Sequence[Said]) -> Uses:
    """All uses of names in ``said``, sorted by document and place there."""
    gathering = _Gathering()
    for chunk, one in enumerate(said):
        for named in one.extraction.names:
            gathering.take(chunk, one, named)
        for stated in one.extraction.statements:
            gathering.read(stated.sentence)
    return gathering.done([one.language for one in said])


class _Gathering:
    def __init__(self) -> None:
        self._chunks: defaultdict[_Where, list[int]] = defaultdict(list)
        self._types: dict[_Where, dict[str, int]] = {}
        self._written: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._cases: dict[_Where, list[int]] = {}
        self._languages: defaultdict[str, dict[str | None, int]] = defaultdict(dict)
        self._aliases: Counter[tuple[_Where, _Where]] = Counter()
        self._lowered: set[str] = set()
        self._counts: Counter[str] = Counter()

    def take(self, chunk: int, said: Said, named: Named) -> None:
        found = name_form(named.name)
        if not found:
            self._counts[BAD_NAME] += 1
            return
        key = (found, said.document, named.local)
        self._note(key, chunk, named.name, max(named.count, 1), said.language)
        if named.type:
            types = self._types.setdefault(key, {})
            types[named.type] = types.get(named.type, 0) + 1
        for alias in named.aliases:
            other = name_form(alias)
            if other and other != found:
                beside = (other, said.document, named.local)
                self._note(beside, chunk, alias, 1, said.language)
                self._aliases[min(key, beside), max(key, beside)] += 1

    def read(self, text: str) -> None:
        """Take note of the words that stand in ``text`` without a capital letter."""
        self._lowered.update(word for word in text.split() if word.isalpha() and word.islower())

    def _note(self, key: _Where, chunk: int, written: str, count: int, language: str | None) -> None:
        chunks = self._chunks[key]
        if not chunks or chunks[-1] != chunk:
            chunks.append(chunk)
        times = self._written[key[0]]
        if written not in times:
            self.read(written)
        times[written] = times.get(written, 0) + count
        self._cases.setdefault(key, [0, 0])[written.islower()] += count
        languages = self._languages[key[0]]
        languages[language] = languages.get(language, 0) + 1

    def done(self, languages: list[str | None]) -> Uses:
        names = {name: number for number, name in enumerate(sorted(self._written))}
        ordered = sorted(self._chunks)
        at = {key: use for use, key in enumerate(ordered)}
        uses = [
            Use(
                names[key[0]],
                *key,
                tuple(self._chunks[key]),
                most_common(self._types.get(key, {})),
                self._cases[key][True] / sum(self._cases[key]),
            )
            for key in ordered
        ]
        readings = [
            Reading(
                most_common(self._written[name]),
                most_common_language(self._languages[name]),
                is_proper(self._written[name]),
            )
            for name in names
        ]
        names_of: list[list[int]] = [[] for _ in languages]
        for use in uses:
            if not use.local:
                for chunk in use.chunks:
                    names_of[chunk].append(use.name)
        aliases = {(at[a], at[b]): times for (a, b), times in sorted(self._aliases.items())}
        lowered = frozenset(stem(word, None) for word in self._lowered)
        return Uses(uses, readings, aliases, list(map(tuple, names_of)), languages, lowered, self._counts)


def most_common(counts: Mapping[str, int]) -> str:
    """What is counted most often, the first in the alphabet of equals; empty where nothing is."""
    if len(counts) == 1:
        return next(iter(counts))
    return min(counts, key=lambda text: (-counts[text], text), default="")


def is_proper(written: Mapping[str, int]) -> bool:
    """Whether a name is hardly ever written without a capital letter, among many times."""
    times = sum(written.values())
    return times >= _MANY and sum(count for name, count in written.items() if name.islower()) * 10 < times


def most_common_language(counts: Mapping[str | None, int]) -> str | None:
    """As :func:`most_common`, where the language may be unknown."""
    if len(counts) == 1:
        return next(iter(counts))
    return min(counts, key=lambda code: (-counts[code], code or ""), default=None)
