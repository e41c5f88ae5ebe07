"""The candidates of both lists, each scored in both: an absent score is not 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..indexer.stores.ports import Filter, Scored, VectorSnapshot
from .fusion import Scores
from .question import Question


@dataclass(frozen=True, slots=True)
class Pool:
    """The union of both lists, by key: scores side by side, and each list's 1-based ranks."""

    keys: Sequence[str]
    dense: Scores
    sparse: Scores
    dense_ranks: Mapping[str, int]
    sparse_ranks: Mapping[str, int]


def gather(snapshot: VectorSnapshot, question: Question, where: Filter, corpus: Filter, limit: int) -> Pool:
    """The ``limit`` first of each list among the rows of ``where``, IDF over those of ``corpus``."""
    dense: list[Scored] = []
    if not question.by_words:
        dense = list(snapshot.dense(question.dense, where, limit, payload=False))
    sparse: list[Scored] = []
    if question.sparse.indices:  # none where the question is all function words
        sparse = snapshot.sparse(question.sparse, where, corpus, limit, payload=False)
    cosine, weight = _scores(dense), _scores(sparse)
    only_dense, only_sparse = sorted(cosine.keys() - weight.keys()), sorted(weight.keys() - cosine.keys())
    if only_sparse and not question.by_words:
        rest = Filter(keys=only_sparse)
        cosine |= _scores(snapshot.dense(question.dense, rest, len(only_sparse), payload=False))
    if only_dense and len(sparse) == limit:  # a list that is not full holds all that score above 0
        rest = Filter(keys=only_dense)
        weight |= _scores(snapshot.sparse(question.sparse, rest, corpus, len(only_dense), payload=False))
    keys = sorted(cosine.keys() | weight.keys())
    return Pool(
        keys=keys,
        dense=np.array([cosine.get(key, 0.0) for key in keys], dtype=np.float64),
        sparse=np.array([weight.get(key, 0.0) for key in keys], dtype=np.float64),
        dense_ranks=_ranks(dense),
        sparse_ranks=_ranks(sparse),
    )


def _scores(hits: Sequence[Scored]) -> dict[str, float]:
    return {hit.key: hit.score for hit in hits}


def _ranks(hits: Sequence[Scored]) -> dict[str, int]:
    return {hit.key: rank for rank, hit in enumerate(hits, start=1)}
