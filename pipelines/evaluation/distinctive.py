"""Whether evidence says what the gold pages say: the share of their distinctive terms that its text holds.

A summary of many pages that says nothing covers them all and holds none of their terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from ...indexer.words import words

TERMS = 50
_SHORTEST = 3
"""Characters of the shortest word that counts, but for scripts where two are a bigram."""


class DistinctiveTerms:
    """The terms that set pages apart from the rest of a corpus, by tf-idf.

    ``pages`` is place -> text of every page of the corpus, ``languages`` place -> language where known.
    """

    def __init__(self, pages: Mapping[str, str], languages: Mapping[str, str | None]) -> None:
        self._counts = {place: Counter(_terms(text, languages.get(place))) for place, text in pages.items()}
        self._languages = languages
        self._among = Counter(term for counts in self._counts.values() for term in counts)

    def of(self, places: Iterable[str]) -> list[str]:
        """The ``TERMS`` terms of highest tf-idf over these pages together, highest first."""
        together: Counter[str] = Counter()
        for place in places:
            together.update(self._counts.get(place, {}))
        total = len(self._counts)
        weights = {term: count * log(total / self._among[term]) for term, count in together.items()}
        ordered = sorted(weights, key=lambda term: (-weights[term], term))
        return [term for term in ordered[:TERMS] if weights[term] > 0]

    def held(self, evidence: str, places: Iterable[str]) -> float | None:
        """The share of the terms of these pages that ``evidence`` holds; None where they have none."""
        gold = list(places)
        wanted = self.of(gold)
        if not wanted:
            return None
        spoken = {self._languages.get(place) for place in gold} or {None}
        there = {term for language in spoken for term in _terms(evidence, language)}
        return sum(term in there for term in wanted) / len(wanted)


def _terms(text: str, language: str | None) -> list[str]:
    return [
        form
        for form in words(text, language)
        if (len(form) >= _SHORTEST or not form.isascii()) and not form.isdigit()
    ]
