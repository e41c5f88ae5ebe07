"""The IDF of a question's terms, as the store counts it for this reader.

The store keeps no table of them. A query of one term scores its best row IDF x that row's value, and
the row's vector tells the value: so one small query a term, all of a question's asked together, and
remembered for the generation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from math import log

from ..indexer.models.ports import SparseVector
from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.word_forms import STEM
from .question import Question

REMEMBERED = 50_000
"""Weights kept in memory before the table is emptied."""


class TermWeights:
    """Looks up what one unit of a term is worth. Safe from several threads."""

    def __init__(self, snapshot: VectorSnapshot) -> None:
        self._snapshot = snapshot
        self._rarest: dict[tuple[str, ...] | None, float] = {}
        self._known: dict[tuple[tuple[str, ...] | None, int], float] = {}
        self._lock = threading.Lock()

    def __call__(self, indices: Sequence[int], corpus: Filter) -> Mapping[int, float]:
        """The IDF of every index over ``corpus``; that of a term in no row is the highest there is."""
        classes = None if corpus.classes is None else tuple(corpus.classes)
        with self._lock:
            known = {i: self._known[classes, i] for i in indices if (classes, i) in self._known}
        missing = [i for i in indices if i not in known]
        if not missing:
            return known
        asked = self._ask(missing, corpus)
        with self._lock:
            if len(self._known) + len(asked) > REMEMBERED:
                self._known.clear()
            self._known.update({(classes, i): weight for i, weight in asked.items()})
        return {**known, **asked}

    def _ask(self, indices: Sequence[int], corpus: Filter) -> dict[int, float]:
        terms = [SparseVector((index,), (1.0,)) for index in indices]
        found = self._snapshot.sparse_each(terms, corpus, corpus, limit=1)
        best = {i: (hits[0].key, hits[0].score) for i, hits in zip(indices, found, strict=True) if hits}
        values = self._values({index: key for index, (key, _) in best.items()})
        absent = self._absent(corpus) if len(values) < len(indices) else 0.0
        return {i: best[i][1] / values[i] if values.get(i) else absent for i in indices}

    def _absent(self, corpus: Filter) -> float:
        """The IDF of a term in no row, by the store's formula: ln((N - n + .5) / (n + .5) + 1)."""
        classes = None if corpus.classes is None else tuple(corpus.classes)
        with self._lock:
            known = self._rarest.get(classes)
        if known is None:
            known = log((self._snapshot.count(corpus) + 0.5) / 0.5 + 1)
            with self._lock:
                self._rarest[classes] = known
        return known

    def _values(self, rows: Mapping[int, str]) -> dict[int, float]:
        """What the named row of each term holds of it."""
        if not rows:
            return {}
        where = Filter(keys=sorted(set(rows.values())))
        vectors = {
            row.key: dict(zip(row.sparse.indices, row.sparse.values, strict=True))
            for row in self._snapshot.fetch(where, vectors=True, payload=False)
            if row.sparse is not None
        }
        return {index: vectors.get(key, {}).get(index, 0.0) for index, key in rows.items()}


def word_weights(
    question: Question, forms: Collection[str], idf: Callable[[Sequence[int]], Mapping[int, float]]
) -> dict[str, float]:
    """What each of the question's word ``forms`` weighs: the IDF of its stem, 0 for a function word.

    Where the sparse terms are not words (a learned encoder's pieces), every form weighs 1.
    """
    index_of = {term: index for index, term in question.terms.items()}
    chosen = {form: index_of.get(form + STEM, index_of.get(form)) for form in forms}
    indices = sorted({index for index in chosen.values() if index is not None})
    if not question.idf or not indices:
        return dict.fromkeys(sorted(forms), 1.0)
    known = idf(indices)
    return {form: 0.0 if index is None else known[index] for form, index in sorted(chosen.items())}
