"""A graph of entities and chunks as arrays, and the walk over it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..indexer.stores.graph_ports import Subgraph

Numbers = NDArray[np.int32]
Values = NDArray[np.float64]
ALWAYS = 10
"""An entity in no more chunks than this is never too common, however few chunks there are."""
SETTLED = 1e-3
"""The walk has settled once a step moves less than this share of its weight."""


class WalkGraph:
    """Entities and chunks, the places of both in one row: entities first, then chunks.

    An edge joins each chunk to what it names, both ways, of weight log(1 + N / df), with N the chunks there
    are and df those that name the entity (HippoRAG 2, arXiv 2502.14802, joins them alike); and each relation
    joins its ends both ways, with the lesser of their weights times log(1 + evidence). Entities that more
    than the share ``common`` of all chunks name have no edges. Immutable, so safe from several threads.
    """

    def __init__(self, graph: Subgraph, common: float) -> None:
        self.entities, self.chunks = graph.entities, graph.chunks
        self.place: Mapping[str, int] = {name: at for at, name in enumerate((*graph.entities, *graph.chunks))}
        self.count = graph.chunk_count
        self.rare = graph.chunk_count <= max(ALWAYS, common * graph.total)
        self._weigh(graph)
        self._by_chunk = _Rows(graph.mention_chunk, len(graph.chunks))
        self._by_entity = _Rows(graph.mention_entity, len(graph.entities))
        self._mentions = graph

    @property
    def size(self) -> int:
        """How many entities and chunks there are."""
        return len(self.entities) + len(self.chunks)

    def name(self, place: int) -> str:
        """The id of the entity or chunk at a place."""
        return self.entities[place] if place < len(self.entities) else self.chunks[place - len(self.entities)]

    def is_chunk(self, place: int) -> bool:
        """Whether a chunk is at this place."""
        return place >= len(self.entities)

    def named_in(self, chunk: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """The places of the entities that the chunk at a place names, and which of them it is about."""
        rows = self._by_chunk.of(chunk - len(self.entities))
        return self._mentions.mention_entity[rows], self._mentions.mention_subject[rows]

    def naming(self, entity: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """The places of the chunks that name the entity at a place, and which of them are about it."""
        rows = self._by_entity.of(entity)
        return self._mentions.mention_chunk[rows] + len(self.entities), self._mentions.mention_subject[rows]

    def walk(self, seeds: Values, restart: float, steps: int) -> Values:
        """Personalised PageRank: where a walk is that follows an edge or, with the probability ``restart``,
        begins anew at one of ``seeds`` (weights by place, which sum to 1)."""
        now = seeds
        for _ in range(steps):
            moved = np.bincount(self._to, weights=self._share * now[self._from], minlength=self.size)
            after = restart * seeds + (1 - restart) * moved
            settled = np.abs(after - now).sum() < SETTLED
            now = after
            if settled:
                break
        return now

    def came_from(self, place: int, now: Values) -> tuple[Numbers, Values]:
        """The places from which a walk comes to this one, and how much of ``now`` each passes on."""
        begin, end = self._starts[place : place + 2]
        sources = self._from[begin:end]
        return sources, self._share[begin:end] * now[sources]

    def _weigh(self, graph: Subgraph) -> None:
        """The edges, by where they lead to; ``_share`` is each one's part of what leaves its source."""
        worth = np.log1p(graph.total / np.maximum(graph.chunk_count, 1))
        kept = self.rare[graph.mention_entity]
        entity = graph.mention_entity[kept]
        chunk = graph.mention_chunk[kept] + len(graph.entities)
        joined = self.rare[graph.relation_source] & self.rare[graph.relation_target]
        source, target = graph.relation_source[joined], graph.relation_target[joined]
        stated = np.minimum(worth[source], worth[target]) * np.log1p(graph.relation_weight[joined])
        origin = np.concatenate([entity, chunk, source, target])
        towards = np.concatenate([chunk, entity, target, source])
        weight = np.concatenate([worth[entity], worth[entity], stated, stated])
        order = np.argsort(towards, kind="stable")
        self._from, self._to, weight = origin[order], towards[order], weight[order]
        leaving = np.bincount(self._from, weights=weight, minlength=self.size)
        self._share: Values = weight / leaving[self._from]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self._to, minlength=self.size))])


class _Rows:
    """Which rows hold each number of a column."""

    def __init__(self, column: Numbers, size: int) -> None:
        self._order = np.argsort(column, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=size))])

    def of(self, number: int) -> NDArray[np.int64]:
        begin, end = self._starts[number : number + 2]
        return self._order[begin:end]
