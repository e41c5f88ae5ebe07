"""What was read of a page against its text layer: whether it is this page, and whose values are right.

A model that reads a page well still misreads a digit now and then; the text layer does not. So a number, an
identifier or a name that the layer does not hold, where the layer has another between the same words, is
put right. What stands in a picture alone has no such place, and stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..checks.codes import Sources
from ..pages import DESCRIBED
from .words import Word, folded, telling, whole, words

UNCOMPARED = 0.5
"""How sure a reading is that nothing can be held against."""
LEAST_HELD = 0.5
"""The share of the layer's telling words that the reading of its page holds at least."""
_ALIKE = 0.6
"""How like a misread name is to the right one, at least."""
_FIGURES = re.compile(rf"^>[ \t]*{re.escape(DESCRIBED)}.*(?:\n>.*)*$", re.MULTILINE)


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


def settle(markdown: str, layer: str, language: str | None = None) -> Settled:
    """The reading with the layer's values where the model's are none of the layer's, figures left alone."""
    there = _Layer(whole(layer), language)
    barred = [found.span() for found in _FIGURES.finditer(markdown)]
    said = [word for word in words(markdown) if not any(a <= word.start < b for a, b in barred)]
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
    """Whether a word is a number, an identifier, or capitalised as a name is."""
    written = text[word.start : word.end]
    return word.figured or written[:1].isupper() or "_" in text[word.end : word.end + 1]


class _Layer:
    """The words of a text layer, and what stands between which."""

    def __init__(self, text: str, language: str | None) -> None:
        found = words(text)
        self._forms = {word.form for word in found}
        self._sources = Sources([text], language)
        self._between: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._after: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._before: dict[tuple[str, str], set[str]] = defaultdict(set)
        shown = [text[word.start : word.end] for word in found]
        forms = [word.form for word in found]
        for index, written in enumerate(shown):
            if 0 < index < len(shown) - 1:
                self._between[forms[index - 1], forms[index + 1]].add(written)
            if index > 1:
                self._after[forms[index - 2], forms[index - 1]].add(written)
            if index < len(shown) - 2:
                self._before[forms[index + 1], forms[index + 2]].add(written)

    def holds(self, written: str, word: Word) -> bool:
        return word.form in self._forms or self._sources.hold_code(written)

    def instead(self, said: Sequence[Word], index: int, written: str) -> str | None:
        """What the layer has where the reading has a word that it does not hold; None where that is not
        plain."""
        for place, key in self._places(said, index):
            fitting = {other for other in place.get(key, ()) if _could_be(written, other)}
            if len(fitting) == 1:
                return fitting.pop()
        return None

    def _places(
        self, said: Sequence[Word], index: int
    ) -> Iterator[tuple[Mapping[tuple[str, str], set[str]], tuple[str, str]]]:
        forms = [word.form for word in said[max(0, index - 2) : index + 3]]
        at = min(index, 2)
        if 0 < at < len(forms) - 1:
            yield self._between, (forms[at - 1], forms[at + 1])
        if at > 1:
            yield self._after, (forms[at - 2], forms[at - 1])
        if at < len(forms) - 2:
            yield self._before, (forms[at + 1], forms[at + 2])


def _could_be(written: str, other: str) -> bool:
    """Whether a word of the layer is what a word of the model was to be: both with digits, or much alike."""
    one, two = folded(written), folded(other)
    digits = [any(map(str.isdigit, each)) for each in (one, two)]
    if all(digits):
        return len(one) == len(two) or SequenceMatcher(None, one, two).ratio() >= _ALIKE
    return not any(digits) and SequenceMatcher(None, one, two).ratio() >= _ALIKE
