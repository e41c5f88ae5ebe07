"""What stands in a passage of a question's words: single, as neighbours, and as a heading.

Two words that are neighbours in the question and in the passage say far more than the two apart, and
three in a row more still; pairs and threes weigh as much as their words' IDF, so that "of the" counts for
nothing. A figure (a year, an amount, a model's number) is a condition that no synonym can meet. And a
short line, or a section's title, that speaks of what the question speaks of and of little else marks the
place that is about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from ..indexer.word_forms import bigrams, is_dense, runs, stem

_WORD = re.compile(r"[^\W_]+")
_LINES = re.compile(r"[\n|]")
_PARTED = bytes(c if chr(c).isalnum() else ord("\n" if chr(c) in "\n|" else " ") for c in range(128)).ljust(
    256
)
"""For ASCII: what stands between words becomes a space, what ends a line or a table's cell a line break."""
_LINE = 90
"""Characters of the longest line that may be a heading, a caption, a label or an entry of a list."""
_PREFIX = 2
"""Stemmers leave the first letters alone: a word with another beginning is none of the question's."""


def question_forms(question: str, language: str | None) -> list[str]:
    """The word forms of a question in order: stems, or bigrams of scripts written without spaces."""
    forms: list[str] = []
    for word in _words(_folded(question)):
        for run in runs(word) if is_dense(word) else (word,):
            forms += bigrams(run) if is_dense(run) else [stem(run, language)]
    return forms


@dataclass(frozen=True, slots=True)
class Match:
    """How much of a question stands in a passage, in 0..1.

    ``terms``, ``pairs`` and ``threes`` are the shares, by IDF, of its words, of its pairs of neighbours
    and of its runs of three; ``figures`` is that of its words with a digit in them. ``heading`` is that
    of the best line: the share of the question's words in it, by IDF, times the share of the question's
    words among its words. ``found`` are the forms that stand there.
    """

    terms: float
    pairs: float
    heading: float
    found: frozenset[str]
    threes: float = 0.0
    figures: float = 0.0


NOTHING = Match(0.0, 0.0, 0.0, frozenset())


class Matcher:
    """Compares passages of one language with one question. For one thread.

    ``forms`` are :func:`question_forms` in that language, ``weights`` their IDFs; a form that is not
    among them weighs nothing.
    """

    def __init__(self, forms: Sequence[str], weights: Mapping[str, float], language: str | None) -> None:
        self._terms = {form: weights.get(form, 0.0) for form in forms}
        self._pairs = {pair: self._weight(pair) for pair in pairwise(forms)}
        self._figures = {form for form in forms if any(map(str.isdigit, form))}
        self._bigrams = any(is_dense(form) for form in self._terms)
        # Three bigrams in a row are but four characters: no more than a pair of words.
        threes = () if self._bigrams else _threes(forms)
        self._threes = {three: self._weight(three) for three in threes}
        self._forms = _Forms(frozenset(self._terms), language)
        self._all_terms = sum(self._terms.values()) or 1.0
        self._all_pairs = sum(self._pairs.values()) or 1.0
        self._all_threes = sum(self._threes.values()) or 1.0
        self._all_figures = self._weight(self._figures) or 1.0

    def match(self, text: str, context: str = "", heading: str = "") -> Match:
        """What stands of the question in ``text``, which ``context`` situates under ``heading``."""
        body = self._sight(_folded(text))
        found = body.found | self._found(_folded(context))
        return Match(
            terms=self._weight(found) / self._all_terms,
            pairs=sum(self._pairs[pair] for pair in body.pairs) / self._all_pairs,
            heading=max(body.heading, self._heading(_folded(heading))),
            found=frozenset(found),
            threes=sum(self._threes[three] for three in body.threes) / self._all_threes,
            figures=self._weight(found & self._figures) / self._all_figures,
        )

    def match_chunk(self, payload: Mapping[str, Any]) -> Match:
        """What stands of the question in a stored chunk, under its section or its context's first line."""
        context, section = payload.get("context") or "", payload.get("section")
        return self.match(payload["text"], context, section[-1] if section else context.partition("\n")[0])

    def _sight(self, text: str) -> _Sight:
        """The question's words, pairs, threes and best line in a folded text."""
        sequence, lines = self._read(text)
        found = self._terms.keys() & set(sequence)
        if not found:
            return _UNSEEN
        pairs = self._pairs.keys() & set(pairwise(sequence))
        threes = self._threes.keys() & set(_threes(sequence)) if self._threes and len(pairs) > 1 else set()
        return _Sight(found, pairs, threes, self._best(sequence, lines))

    def _found(self, text: str) -> set[str]:
        """The question's words in a folded text."""
        return self._terms.keys() & set(self._read(text)[0])

    def _heading(self, text: str) -> float:
        """The best line of a folded text."""
        return self._best(*self._read(text))

    def _read(self, text: str) -> tuple[list[str], list[tuple[int, int]]]:
        """The form of every word of a folded text, and where its lines that may be headings begin and end."""
        sequence: list[str] = []
        lines: list[tuple[int, int]] = []
        form, begin = self._forms.__getitem__, 0
        plain = text.isascii()
        for line in _parted(text).split("\n") if plain else _LINES.split(text):
            sequence.extend(map(form, line.split() if plain else self._units(line)))
            end = len(sequence)
            if begin < end and len(line) <= _LINE:
                lines.append((begin, end))
            begin = end
        return sequence, lines

    def _units(self, line: str) -> list[str]:
        """The words of a line, those within unspaced runs as well; where the question has bigrams, these
        runs as bigrams."""
        words = _words(line)
        if line.isascii():
            return words
        parts = [part for word in words for part in (runs(word) if is_dense(word) else (word,))]
        if not self._bigrams:
            return parts
        return [unit for part in parts for unit in (bigrams(part) if is_dense(part) else (part,))]

    def _best(self, sequence: Sequence[str], lines: Iterable[tuple[int, int]]) -> float:
        """How much the best line is about what the question is about, times how little else it says."""
        best = 0.0
        for begin, end in lines:
            forms = sequence[begin:end]
            others = forms.count("")
            if others == len(forms) or 1 - others / len(forms) < best:  # at most: were all of it there
                continue
            found = set(forms) - _NO_FORM
            share = self._weight(found) / self._all_terms
            best = max(best, share * len(found) / (len(found) + others))
        return best

    def _weight(self, forms: Iterable[str]) -> float:
        return sum(self._terms[form] for form in forms)


class _Sight(NamedTuple):
    """What was seen in one text."""

    found: set[str]
    pairs: set[tuple[str, str]]
    threes: set[tuple[str, str, str]]
    heading: float


_UNSEEN = _Sight(set(), set(), set(), 0.0)
_NO_FORM = {""}


def _threes(forms: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    return zip(forms, forms[1:], forms[2:], strict=False)


class _Forms(dict[str, str]):
    """The question's form that a word is, or the empty string; each word is looked at once."""

    def __init__(self, forms: frozenset[str], language: str | None) -> None:
        super().__init__()
        self._wanted = forms
        self._prefixes = frozenset(form[:_PREFIX] for form in forms)
        self._language = language

    def __missing__(self, word: str) -> str:
        start = word[:_PREFIX]
        if start.isascii() and start not in self._prefixes:  # a stem may begin without its word's accent
            form = ""
        else:
            form = word if is_dense(word) else stem(word, self._language)
        form = self[word] = form if form in self._wanted else ""
        return form


def _folded(text: str) -> str:
    """NFKC and case-folded, soft hyphens gone."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("\u00ad", "")
    return text.casefold()


def _words(text: str) -> list[str]:
    """The words of a folded text. Plain ASCII is ten times as common and three times as fast to split."""
    return _parted(text).split() if text.isascii() else _WORD.findall(text)


def _parted(text: str) -> str:
    """An ASCII text of the same length with nothing but words, spaces and line breaks. By way of bytes,
    whose tables are five times as fast."""
    return text.encode("ascii").translate(_PARTED).decode("ascii")
