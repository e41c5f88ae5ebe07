"""The hybrid route: dense and sparse retrieval, fused, then lifted by phrases.

:mod:`.pool` gathers the candidates of both lists, :mod:`.fusion` makes one order of them, and
:mod:`.phrases` lifts those of the first that hold the question's word pairs or stand under a heading
like it; a chunk whose neighbours are found as well stands in a passage about the question, and gains a
little. Ties go by key, so that equal indexes answer alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Kind
from .access import Access
from .fusion import Scores, dense_weight, fuse, reciprocal_ranks
from .phrases import Matcher, question_forms
from .pool import Pool, gather
from .question import Candidate, Found, Judged, Judging, Question
from .relevance import relevance
from .settings import SearchSettings
from .term_weights import TermWeights, word_weights

Payloads = Mapping[str, Mapping[str, Any]]
REACH = 2
"""Chunks this far before and after one are its neighbours."""


class HybridRetriever:
    """The hybrid route over one generation's snapshot; a Retriever."""

    def __init__(self, snapshot: VectorSnapshot, settings: SearchSettings) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._idf = TermWeights(snapshot)
        self._kinds = _needed_kinds(snapshot)

    def __call__(self, question: Question, access: Access, limit: int) -> Found:
        """The ``limit`` best chunks that ``access`` shows."""
        if access.empty:
            return Found(())
        where, corpus = access.where(self._kinds), access.corpus(self._kinds)
        pool = gather(self._snapshot, question, where, corpus, max(limit, self._settings.prefetch))
        if not pool.keys:
            return Found(())
        settings = replace(self._settings, weight=0.0) if question.by_words else self._settings
        blended, weight = _blended(pool, settings)
        order = sorted(range(len(pool.keys)), key=lambda i: (-blended[i], pool.keys[i]))
        order = order[: max(limit, self._settings.phrase_window)]
        rows = self._snapshot.fetch(Filter(keys=[pool.keys[i] for i in order]))
        payloads = {row.key: row.payload for row in rows}
        words = self._words(question, corpus, payloads)
        candidates = _ranked(pool, blended, order, payloads, words, self._settings)
        return Found(candidates[:limit], weight, words.weights)

    def _words(self, question: Question, corpus: Filter, payloads: Payloads) -> _Words:
        languages = {payload.get("language") for payload in payloads.values()}
        forms = {language: question_forms(question.text, language) for language in languages}
        needed = {form for found in forms.values() for form in found}
        weights = word_weights(question, needed, lambda terms: self._idf(terms, corpus))
        matchers = {language: Matcher(found, weights, language) for language, found in forms.items()}
        return _Words(weights, matchers)


def _blended(pool: Pool, settings: SearchSettings) -> tuple[Scores, float]:
    """The fused score of each candidate, and the share of the dense list in it."""
    weight = settings.weight
    if settings.fusion == "rrf":
        weight = 0.5 if weight is None else weight
        dense, sparse = (
            reciprocal_ranks(pool.keys, ranks) for ranks in (pool.dense_ranks, pool.sparse_ranks)
        )
        return weight * dense + (1 - weight) * sparse, weight
    if weight is None:
        weight = dense_weight(pool.dense, pool.sparse)
    return fuse(pool.dense, pool.sparse, weight, settings.fusion), weight


def _needed_kinds(snapshot: VectorSnapshot) -> tuple[Kind, ...] | None:
    """The kinds to filter by; None where all rows are chunks, since a filter that lets everything through
    doubles the time of a sparse query."""
    return None if snapshot.count(Filter()) == snapshot.count(Filter(kinds=("chunk",))) else ("chunk",)


@dataclass(frozen=True, slots=True)
class _Words:
    """The question's words with their weights, and a matcher for each language of the candidates."""

    weights: Mapping[str, float]
    matchers: Mapping[str | None, Matcher]

    def judged(self, payload: Mapping[str, Any], cosine: float) -> Judged:
        match = self.matchers[payload.get("language")].match_chunk(payload)
        return Judged(match, relevance(cosine, match))


def _ranked(
    pool: Pool,
    blended: Scores,
    order: Sequence[int],
    payloads: Payloads,
    words: _Words,
    settings: SearchSettings,
) -> list[Candidate]:
    """The rows in ``order``, those within the phrase window lifted, in their final order."""
    scores = [float(blended[i]) for i in order]
    window = min(settings.phrase_window, len(order))
    judged = [Judging(partial(words.judged, payloads[pool.keys[i]], float(pool.dense[i]))) for i in order]
    matches = [each().match for each in judged[:window]]
    around = _around([payloads[pool.keys[i]] for i in order[:window]], scores[:window])
    for place in range(window):
        scores[place] += settings.phrase_bonus * matches[place].pairs
        scores[place] += settings.run_bonus * matches[place].threes
        scores[place] += settings.figure_bonus * matches[place].figures
        scores[place] += settings.heading_bonus * matches[place].heading
        scores[place] += settings.neighbour_bonus * around[place]
    final = sorted(range(len(order)), key=lambda place: (-scores[place], place))
    return [
        _candidate(pool, order[place], payloads, judged[place], scores[place], (place + 1, rank))
        for rank, place in enumerate(final, start=1)
    ]


def _around(payloads: Sequence[Mapping[str, Any]], scores: Sequence[float]) -> list[float]:
    """For each chunk the mean score of its neighbours up to ``REACH`` away; one not among these has 0."""
    places = [(payload["document"], payload["ordinal"]) for payload in payloads]
    score_of = dict(zip(places, scores, strict=True))
    offsets = [offset for offset in range(-REACH, REACH + 1) if offset]
    return [
        sum(score_of.get((document, ordinal + offset), 0.0) for offset in offsets) / len(offsets)
        for document, ordinal in places
    ]


def _candidate(
    pool: Pool, i: int, payloads: Payloads, judged: Judging, score: float, ranks: tuple[int, int]
) -> Candidate:
    key = pool.keys[i]
    return Candidate(
        key=key,
        payload=payloads[key],
        score=score,
        fused=score,
        dense=float(pool.dense[i]),
        sparse=float(pool.sparse[i]),
        judged=judged,
        ranks={
            "dense": pool.dense_ranks.get(key),
            "sparse": pool.sparse_ranks.get(key),
            "blended": ranks[0],
            "fused": ranks[1],
        },
    )
