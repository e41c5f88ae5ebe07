"""The sparse half of the index: texts to term weights, with no model.

The weights are BM25's term-frequency part (Robertson and Zaragoza, 2009) against a fixed average
length, so that a passage's vector depends on its own text alone; the store multiplies by IDF.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

from .function_words import content_words
from .models.ports import SparseVector
from .word_forms import index_forms, is_dense, normalise, phrase_forms, tokens

K1 = 0.9
B = 0.5
AVERAGE_LENGTH = 256.0

_CACHE_LIMIT = 1 << 17


def words(text: str, language: str | None = None) -> list[str]:
    """The word forms of ``text`` in reading order, for phrase matching.

    Stems as they are indexed, compounds as their parts in order, bigrams for unspaced scripts.
    """
    return [form for token in tokens(normalise(text)) for form in phrase_forms(token, language)]


def term_index(form: str) -> int:
    """The uint32 that stands for a word form: stable across machines, runs and versions."""
    return int.from_bytes(blake2b(form.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


class WordEncoder:
    """BM25 weights of word forms; see :mod:`.word_forms` for what counts as one.

    ``k1`` is the saturation of repeated terms, ``b`` the strength of length normalisation, ``average``
    the length in terms that counts as normal. ``idf`` is True: the store weighs terms by rarity.
    """

    idf = True

    def __init__(self, k1: float = K1, b: float = B, average: float = AVERAGE_LENGTH) -> None:
        self.name = f"words-1(k1={k1:g},b={b:g},avg={average:g})"
        self._k1 = k1
        self._b = b
        self._average = average
        self._known: dict[str | None, dict[str, tuple[int, ...]]] = {}
        self._bigrams: dict[str, int] = {}

    def encode(self, texts: Sequence[str], languages: Sequence[str | None]) -> list[SparseVector]:
        """Term weights of passages, in order; an unknown language goes by its script."""
        return [self._passage(text, language) for text, language in zip(texts, languages, strict=True)]

    def encode_question(self, question: str, languages: Sequence[str]) -> SparseVector:
        """1 for every form that a word of the question has in any of ``languages``; function words apart."""
        found = sorted(self.terms(question, languages))
        return SparseVector(tuple(found), (1.0,) * len(found))

    def terms(self, question: str, languages: Sequence[str]) -> dict[int, str]:
        """Which word form stands behind each index of the question's vector; ``*`` marks a stem."""
        asked: list[str | None] = [None, *languages]
        found = content_words(tokens(normalise(question)), languages)
        forms = (form for token in found for language in asked for form in index_forms(token, language))
        return {term_index(form): form for form in forms}

    def _passage(self, text: str, language: str | None) -> SparseVector:
        found: list[int] = []
        for token, times in Counter(tokens(normalise(text))).items():
            found += self._indices(token, language) * times
        norm = self._k1 * (1 - self._b + self._b * len(found) / self._average)
        counts = sorted(Counter(found).items())
        weights = {n: n * (self._k1 + 1) / (n + norm) for n in {count for _, count in counts}}
        return SparseVector(tuple([i for i, _ in counts]), tuple([weights[n] for _, n in counts]))

    def _indices(self, token: str, language: str | None) -> tuple[int, ...]:
        if is_dense(token):  # whole clauses: hardly one comes twice
            find = self._bigrams.get
            return tuple([find(form) or self._bigram(form) for form in index_forms(token, language)])
        known = self._known.setdefault(language, {})
        indices = known.get(token)
        if indices is None:
            if len(known) >= _CACHE_LIMIT:
                known.clear()
            indices = tuple([term_index(form) for form in index_forms(token, language)])
            known[token] = indices
        return indices

    def _bigram(self, form: str) -> int:
        if len(self._bigrams) >= _CACHE_LIMIT:
            self._bigrams.clear()
        index = self._bigrams[form] = term_index(form)
        return index
