"""The graph that communities are found in: which entities are related, and which are named together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log1p, log2

import numpy as np
from numpy.typing import NDArray

from ..stores.graph_rows import ChunkPlace, MentionRow
from .assembly import Assembled
from .resolution_evidence import FEWEST_OF_A_HUB, HUB_SHARE

_ANCHORS = 8
"""Names of a chunk that are joined with each other; its other names hang on the first two of them."""
_STRONGEST = 16
"""Edges that an entity keeps at least, its strongest."""
_RELATED = 2.0
"""The weight of a relation over that of a common chunk."""

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Entities in the order in which they are first named, each with the document and the place in it, and
    the edges between them: ``low[i] < high[i]``, sorted, each once."""

    entities: list[str]
    first: list[tuple[str, int]]
    low: Numbers
    high: Numbers
    weight: Weights

    def modularity(self, part: Numbers) -> float:
        """Newman's modularity of a partition: ``part[i]`` is that of entity i. 0 without an edge."""
        total = float(self.weight.sum())
        if total == 0:
            return 0.0
        inside = float(self.weight[part[self.low] == part[self.high]].sum())
        ends = np.bincount(part[self.low], self.weight, part.max() + 1)
        ends += np.bincount(part[self.high], self.weight, part.max() + 1)
        return inside / total - float(((ends / (2 * total)) ** 2).sum())


def entity_graph(assembled: Assembled, places: Sequence[ChunkPlace]) -> EntityGraph:
    """The graph of all entities but local ones.

    An edge weighs the logarithm of how often its ends are related and named together, a chunk of many
    names counting less. A name in more than a twentieth of all chunks is joined by its relations alone.
    """
    order = {place.chunk: (place.document, place.ordinal, place.chunk) for place in places}
    mentions = [row for row in assembled.mentions if row.entity not in assembled.local]
    mentions.sort(key=lambda row: (order[row.chunk], row.entity))
    number: dict[str, int] = {}
    first: list[tuple[str, int]] = []
    for row in mentions:
        if row.entity not in number:
            number[row.entity] = len(number)
            first.append(order[row.chunk][:2])
    total: Counter[tuple[int, int]] = Counter()
    _add_together(total, mentions, number, len(order))
    for relation in assembled.relations:
        ends = number.get(relation.source), number.get(relation.target)
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            low, high = sorted((ends[0], ends[1]))
            total[low, high] += _RELATED * len(relation.evidence)  # type: ignore[assignment]  # floats too
    return EntityGraph(list(number), first, *_strongest(total, len(number)))


def _add_together(
    total: Counter[tuple[int, int]], mentions: Sequence[MentionRow], number: dict[str, int], chunks: int
) -> None:
    """Add the pairs that a chunk names together; ``mentions`` are sorted by chunk."""
    counts = Counter(row.entity for row in mentions)
    limit = max(HUB_SHARE * chunks, FEWEST_OF_A_HUB)
    at = 0
    while at < len(mentions):
        end = at
        while end < len(mentions) and mentions[end].chunk == mentions[at].chunk:
            end += 1
        rows = [row for row in mentions[at:end] if counts[row.entity] <= limit]
        at = end
        # Names that stand elsewhere too say how chunks hang together; the rarest of them say most.
        rows.sort(
            key=lambda row: (counts[row.entity] == 1, row.role != "subject", counts[row.entity], row.entity)
        )
        named = [number[row.entity] for row in rows]
        if len(named) > 1:
            share = 1 / log2(1 + len(named))
            pairs = [*combinations(named[:_ANCHORS], 2)]
            pairs += [(anchor, name) for name in named[_ANCHORS:] for anchor in named[:2]]
            for one, other in pairs:
                total[min(one, other), max(one, other)] += share  # type: ignore[assignment]  # floats too


def _strongest(total: Counter[tuple[int, int]], count: int) -> tuple[Numbers, Numbers, Weights]:
    """The edges that are among the strongest of one of their ends, as sorted arrays."""
    pairs = sorted(total)
    low = np.array([pair[0] for pair in pairs], dtype=np.int64)
    high = np.array([pair[1] for pair in pairs], dtype=np.int64)
    weight = np.array([log1p(total[pair]) for pair in pairs], dtype=np.float64)
    kept = np.zeros(len(pairs), dtype=bool)
    ends = np.concatenate([low, high])
    row = np.tile(np.arange(len(pairs)), 2)
    order = np.lexsort((row, -weight[row], ends))
    starts = np.searchsorted(ends[order], np.arange(count))
    rank = np.arange(len(order)) - starts[ends[order]] if len(order) else order
    kept[row[order[rank < _STRONGEST]]] = True
    return low[kept], high[kept], weight[kept]
