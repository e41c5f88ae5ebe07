"""The collapsed tree: nodes and chunks of all levels side by side, each by its own text.

As in RAPTOR (Sarthi et al., arXiv 2401.18059, section 3), with the words beside the vectors: both lists are
fused as those of the hybrid route are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..indexer.stores.ports import Filter, Scored
from .fusion import dense_weight, fuse
from .pool import Pool, gather
from .question import Candidate
from .settings import SearchSettings
from .tree_read import TreeRead


def collapsed(read: TreeRead, search: SearchSettings, limit: int) -> list[Candidate]:
    """The ``limit`` nodes and chunks of highest fused score."""
    pool = _pool(read, max(limit, search.prefetch))
    if not pool.keys:
        return []
    weight = dense_weight(pool.dense, pool.sparse) if search.weight is None else search.weight
    scores = fuse(pool.dense, pool.sparse, weight)
    order = sorted(range(len(pool.keys)), key=lambda i: (-scores[i], pool.keys[i]))[:limit]
    rows = read.snapshot.fetch(Filter(keys=[pool.keys[i] for i in order]))
    payloads = {row.key: row.payload for row in rows}
    sparse = dict(zip(pool.keys, pool.sparse.tolist(), strict=True))
    found = [
        (Scored(pool.keys[i], float(pool.dense[i]), payloads[pool.keys[i]]), float(scores[i])) for i in order
    ]
    return read.ranked(read.candidate(row, score, sparse) for row, score in found)


def _pool(read: TreeRead, limit: int) -> Pool:
    """The best chunks and the best nodes of each list. The IDF is over chunks: what a word is worth does
    not depend on how often summaries repeat it."""
    corpus = read.access.corpus()
    chunks = gather(read.snapshot, read.question, read.access.where(), corpus, limit)
    if not read.readable:
        return chunks
    everything = len(read.readable) == len(read.tree.nodes)
    ids = None if everything else sorted(read.readable)
    nodes = gather(read.snapshot, read.question, read.access.nodes(ids), corpus, limit)
    return Pool(
        keys=[*chunks.keys, *nodes.keys],
        dense=np.concatenate([chunks.dense, nodes.dense]),
        sparse=np.concatenate([chunks.sparse, nodes.sparse]),
        dense_ranks=_ranks([*chunks.keys, *nodes.keys], [*chunks.dense, *nodes.dense]),
        sparse_ranks=_ranks([*chunks.keys, *nodes.keys], [*chunks.sparse, *nodes.sparse]),
    )


def _ranks(keys: Sequence[str], scores: Sequence[float]) -> dict[str, int]:
    order = sorted((-score, key) for key, score in zip(keys, scores, strict=True) if score > 0)
    return {key: rank for rank, (_, key) in enumerate(order, start=1)}
