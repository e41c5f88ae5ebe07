"""What was read of a page against its text layer: whether it is this page, and whose values are right.

A model that reads a page well still misreads a digit now and then; the text layer does not. So a number, an
identifier or a name that the layer does not hold, where the layer has another between the same words, is
put right. What stands in a picture alone has no such place, and stays.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..checks.codes import Sources
from ..pages import DESCRIBED
from .words import Word, folded, telling, whole, words

UNCOMPARED = 0.5
"""How sure a reading is that nothing can be held against."""
LEAST_HELD = 0.6
"""The share of the layer's telling words that the reading of its page holds at least."""
_ALIKE = 0.6
"""How like a misread value is to the right one, at least."""
_SHORTEST = 3
"""Signs of a value that can be told by words on one side of it alone."""
_MOST_CANDIDATES, _LONGEST = 8, 64
"""Words of the layer in one place, and signs of a word, up to which they are compared."""
_MOST_WORK = 5_000_000
"""Signs that are looked at in all to settle the values of a page, as 400 values against 12,000 signs: a page
that is made to take more keeps its other values as they were read."""
_A_MATCH = 50
"""Signs that comparing two words counts for, beside the product of their lengths."""
_FEWEST_LEFT = 4
"""Telling words of a stretch that is worth keeping: a page's number and the scraps of a drawing are not."""
_EDGE, _FEWEST_AT_EDGE = 3, 10
"""Lines at either end of a text layer that may be a running header or footer, and the telling words of what
is none there."""
_SENTENCE_ENDS = (".", "!", "?", "。", ":", ";")
_DIVIDED = re.compile(r"[-\u2010]\s*\n")
_FIGURES = re.compile(rf"^>[ \t]*{re.escape(DESCRIBED)}.*(?:\n>.*)*$", re.MULTILINE)

_Places = defaultdict[tuple[str, str], set[str]]
"""What stands where, by the two words that tell the place."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """``held``: the share of the layer's telling words that the reading holds; ``borne``: the share of the
    reading's, figures left out, that the layer holds."""

    held: float
    borne: float

    @property
    def confidence(self) -> float:
        """How sure the reading is: what the layer bears out as it agrees with it, the rest by half."""
        return round(self.held * (self.borne + (1 - self.borne) * UNCOMPARED), 2)


@dataclass(frozen=True, slots=True)
class Settled:
    """A reading whose values are settled: how many were ``kept`` from the layer in place of the model's, and
    how many are the model's ``alone``."""

    markdown: str
    kept: int
    alone: int


def compare(markdown: str, layer: str) -> Agreement:
    """How far a reading and a text layer (that can be compared with) agree."""
    wanted, said = telling(layer), telling(markdown)
    body = telling(_FIGURES.sub("", markdown))
    held = len(wanted & said) / len(wanted) if wanted else 1.0
    return Agreement(held, len(body & wanted) / len(body) if body else 1.0)


def left_out(markdown: str, layer: str) -> list[str]:
    """The stretches of the layer that a reading leaves out, a paragraph each: lines in a row of whose telling
    words it holds less than half; but for running headers and footers, which are to be left out."""
    said = telling(markdown)
    lines = [line.strip() for line in layer.splitlines() if line.strip()]
    found: list[str] = []
    for start, end in _missing(lines, said):
        text = whole("\n".join(lines[start:end])).replace("\n", " ")
        edge = end <= _EDGE or start >= len(lines) - _EDGE
        running = edge and len(telling(text)) < _FEWEST_AT_EDGE and not text.endswith(_SENTENCE_ENDS)
        if len(telling(text)) >= _FEWEST_LEFT and not running:
            found.append(text)
    return found


def _missing(lines: Sequence[str], said: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where lines in a row begin and end of whose telling words most are not ``said``; a line without any
    goes along."""
    start: int | None = None
    for at, line in enumerate(lines):
        wanted = telling(line)
        missing = len(wanted & said) * 2 < len(wanted)
        if missing and start is None:
            start = at
        elif start is not None and wanted and not missing:
            yield start, at
            start = None
    if start is not None:
        yield start, len(lines)


def settle(markdown: str, layer: str, language: str | None = None) -> Settled:
    """The reading with the layer's values where the model's are none of the layer's: those that it lacks and
    that stand there between the same words. Figures are left alone."""
    barred = [found.span() for found in _FIGURES.finditer(markdown)]
    said = [word for word in words(markdown) if not any(a <= word.start < b for a, b in barred)]
    there = _Layer(whole(layer), language, Counter(word.form for word in said))
    parts: list[str] = []
    at = kept = alone = 0
    for index, word in enumerate(said):
        written = markdown[word.start : word.end]
        if not _is_value(markdown, word) or there.holds(written, word):
            continue
        right = there.instead(said, index, written)
        if right is None:
            alone += word.figured
            continue
        parts += [markdown[at : word.start], right]
        at, kept = word.end, kept + 1
    return Settled("".join([*parts, markdown[at:]]), kept, alone)


def _is_value(text: str, word: Word) -> bool:
    """Whether a word is a number, an identifier, or capitalised as a name is; not where it is divided."""
    if _DIVIDED.match(text, word.end):
        return False
    written = text[word.start : word.end]
    return word.figured or written[:1].isupper() or text[word.end : word.end + 1] == "_"


class _Layer:
    """The words of a text layer, and what stands between which; ``said`` counts the words of the reading."""

    def __init__(self, text: str, language: str | None, said: Counter[str]) -> None:
        found = words(text)
        forms = [word.form for word in found]
        self._sources = Sources([text], language)
        self._size = len(text)
        self._work = 0
        self._lacking = Counter(forms) - said
        self._forms = frozenset(forms)
        self._between: _Places = defaultdict(set)
        self._after: _Places = defaultdict(set)
        self._before: _Places = defaultdict(set)
        for index, word in enumerate(found):
            if word.form not in self._lacking or len(word.form) > _LONGEST:
                continue
            written = text[word.start : word.end]
            if 0 < index < len(forms) - 1:
                self._between[forms[index - 1], forms[index + 1]].add(written)
            if index > 1:
                self._after[forms[index - 2], forms[index - 1]].add(written)
            if index < len(forms) - 2:
                self._before[forms[index + 1], forms[index + 2]].add(written)

    def holds(self, written: str, word: Word) -> bool:
        """Whether a word of the reading stands in the layer, in whichever notation."""
        return word.form in self._forms or (self._may(self._size) and self._sources.hold_code(written))

    def instead(self, said: Sequence[Word], index: int, written: str) -> str | None:
        """What the layer has where the reading has a word that it does not hold; None where that is not
        plain. Each of its words stands for one of the reading's at most."""
        for place, key in self._places(said, index):
            there = place.get(key, ())
            if len(there) > _MOST_CANDIDATES or len(written) > _LONGEST:
                continue
            fitting = {other for other in there if self._could_be(written, other, place)}
            if self._spent:
                return None  # not all of them were compared
            if len(fitting) == 1:
                right = fitting.pop()
                self._lacking[folded(right)] -= 1
                return right
        return None

    def _places(self, said: Sequence[Word], index: int) -> Iterator[tuple[_Places, tuple[str, str]]]:
        """Where to look for a word of the reading: between its neighbours, after two of them, before two."""
        forms = [word.form for word in said[max(0, index - 2) : index + 3]]
        at = min(index, 2)
        if 0 < at < len(forms) - 1:
            yield self._between, (forms[at - 1], forms[at + 1])
        if at > 1:
            yield self._after, (forms[at - 2], forms[at - 1])
        if at < len(forms) - 2:
            yield self._before, (forms[at + 1], forms[at + 2])

    def _could_be(self, written: str, other: str, place: _Places) -> bool:
        """Whether a word that the reading lacks is what a word of it was to be: much like it; between the
        same words, another number as long is enough."""
        one, two = folded(written), folded(other)
        figured = [any(map(str.isdigit, each)) for each in (one, two)]
        if self._lacking[two] <= 0 or figured[0] != figured[1]:
            return False
        if place is self._between and figured[0] and len(one) == len(two):
            return True
        long = len(one) >= _SHORTEST or place is self._between
        if not long or not self._may(_A_MATCH + len(one) * len(two)):
            return False
        return SequenceMatcher(None, one, two).ratio() >= _ALIKE

    def _may(self, signs: int) -> bool:
        """Whether so many signs may still be looked at; they count as looked at."""
        self._work += signs
        return not self._spent

    @property
    def _spent(self) -> bool:
        return self._work > _MOST_WORK
