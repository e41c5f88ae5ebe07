"""What passages speak of, in their own words: their terms, weighed, and those that are worth naming."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from ..checks.plain_words import is_plain_han, is_plain_kanji, plain_words, without_particle
from ..standalone import key_terms_of
from ..word_forms import fold, is_dense, normalise, phrase_forms, tokens
from .summarizer import Passage

HEAVY = 60
"""So many terms of a request count in full, those that come most often."""
LIGHT = 0.1
"""The weight of an occurrence of any other term."""
SHORTEST = 3
"""Characters of the shortest form that counts, but for scripts where two are a bigram."""

_SURFACE = re.compile(
    r"(?:(?<![\w-])-{1,2}(?=[A-Za-z])|\\(?=[A-Za-z]))?[^\W_]\w*(?:[.:/-][:>]?\w+)*(?:\(\))?"
)
_KANA = re.compile(r"[\u3041-\u30fa]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{2,}")
_RUN = re.compile(r"[\u4e00-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{3,}")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]{2,}")
_LONGEST_HAN = 7
_LONGEST_RUN = 12
_PART_OF = 0.7
"""The share of a stretch's occurrences within one longer stretch from which on it is but a part of it."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase as the passages write it most often, and the word forms that it holds."""

    text: str
    forms: frozenset[str]


def forms_of(text: str, language: str | None) -> list[str]:
    """The word forms of ``text`` that count, in reading order: no plain words, no bare numbers."""
    return [form for token in tokens(normalise(text)) for form in _forms(token, language)]


def weigh(passages: Sequence[Passage], language: str | None) -> dict[str, float]:
    """How much each word form of the passages counts: how often it comes, in a passage that stands for
    many chunks more; the ``HEAVY`` heaviest in full, the others little."""
    counts: Counter[str] = Counter()
    for passage in passages:
        share = log2(1 + passage.leaves)
        for form, times in Counter(forms_of(passage.text, language)).items():
            counts[form] += times * share  # type: ignore[assignment]  # a Counter adds floats as well
        for term in key_terms_of(passage.text):
            for form in forms_of(term, language):
                counts[form] += share  # type: ignore[assignment]
    ordered = sorted(counts, key=lambda form: (-counts[form], form))
    return {form: counts[form] * (1 if rank < HEAVY else LIGHT) for rank, form in enumerate(ordered)}


def key_terms(passages: Sequence[Passage], weights: Mapping[str, float], language: str | None) -> list[Term]:
    """The words and two-word phrases that the passages use more than once, or name as key terms."""
    counts: Counter[str] = Counter()
    grams: Counter[str] = Counter()
    kana = any(_KANA.search(passage.text) for passage in passages)
    for passage in passages:
        text = normalise(passage.text)
        counts.update(_surfaces(text, language))
        if not text.isascii():
            counts.update(_dense_surfaces(text, kana))
            if not kana:
                grams.update(gram for run in _HAN_RUN.findall(text) for gram in _grams(run))
        counts.update(key_terms_of(text))
    counts.update(_whole_grams(grams))
    best: dict[frozenset[str], str] = {}
    for surface, times in counts.items():
        if times < 2:
            continue
        forms = frozenset(form for form in forms_of(surface, language) if form in weights)
        if forms and (forms not in best or (times, surface) > (counts[best[forms]], best[forms])):
            best[forms] = surface
    return [Term(text, forms) for forms, text in best.items()]


@lru_cache(maxsize=1 << 16)
def _forms(token: str, language: str | None) -> tuple[str, ...]:
    if fold(token) in plain_words(language):
        return ()
    return tuple(
        form
        for form in phrase_forms(token, language)
        if (len(form) >= SHORTEST or not form.isascii()) and not form.isdigit()
    )


def _surfaces(text: str, language: str | None) -> Iterator[str]:
    """Every spaced word that could be named, and every two of them that stand side by side."""
    plain = plain_words(language)
    before, end = "", -2
    for match in _SURFACE.finditer(text):
        word = match[0]
        if len(word) < SHORTEST or word.lower() in plain or word.isdigit():
            before = ""
        elif word.isascii() or not is_dense(word):
            start = match.start()
            yield word
            if before and start == end + 1 and text[end] == " ":
                yield f"{before} {word}"
            before, end = word, match.end()


def _dense_surfaces(text: str, kana: bool) -> Iterator[str]:
    """Korean words without their particles, and the runs of kanji and of katakana in Japanese."""
    for word in _HANGUL.findall(text):
        if len(word) <= _LONGEST_RUN:
            yield without_particle(word)
    if kana:
        for run in _RUN.findall(text):
            if len(run) <= _LONGEST_RUN and not is_plain_kanji(run):
                yield run


def _grams(run: str) -> Iterator[str]:
    """Every stretch of a run of Han characters: with no spaces, only repetition tells which are words."""
    for size in range(2, min(len(run), _LONGEST_HAN) + 1):
        for start in range(len(run) - size + 1):
            yield run[start : start + size]


def _whole_grams(grams: Mapping[str, int]) -> dict[str, int]:
    """The repeated stretches that are no part of a longer one in most of the places where they stand."""
    kept = {gram: times for gram, times in grams.items() if times > 1}
    parts = {
        part
        for gram, times in kept.items()
        for part in (gram[:-1], gram[1:])
        if times >= _PART_OF * kept.get(part, times + 1) and len(part) > 1
    }
    return {
        gram: times
        for gram, times in kept.items()
        if gram not in parts and len(gram) < _LONGEST_HAN and not is_plain_han(gram)
    }
