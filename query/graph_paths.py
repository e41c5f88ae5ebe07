"""Paths between two things: over what is stated of them first, then over what is named together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..indexer.stores.graph_ports import Direction
from ..indexer.types import Entity, Relation
from .graph_open import ReadableGraph
from .graph_reading import Clock

FRONTIER = 200
"""Entities from which a search goes on at each hop: those that the fewest chunks name."""
EDGES = 2000
"""Relations that are looked at for each hop."""
CHUNKS = 10
"""Chunks of an entity that are looked at for what is named beside it."""
BOTH = 500
"""Chunks of an entity among which one is looked for that names another one too."""
TOGETHER = 2
"""Hops of a path over what is named together: with more of them everything is joined to everything."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A step from entity ``source`` to entity ``target``: by a relation (read forwards, or backwards where
    it leads to ``source``), or because ``chunk`` names both."""

    source: str
    target: str
    chunk: str
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """A path without a cycle: each edge begins where the one before it ends."""

    edges: tuple[Edge, ...]

    @property
    def entities(self) -> tuple[str, ...]:
        """The entities on it, in order."""
        return (self.edges[0].source, *(edge.target for edge in self.edges)) if self.edges else ()

    def evidence(self, each: int) -> list[tuple[str, Chain]]:
        """The chunks that its edges rest on, at most ``each`` for one, with the chain up to the last of
        those that a chunk is evidence of."""
        found: dict[str, Chain] = {}
        for at, edge in enumerate(self.edges, start=1):
            stated = [one.chunk for one in edge.relation.evidence] if edge.relation else []
            for chunk in list(dict.fromkeys([edge.chunk, *stated]))[:each]:
                found[chunk] = Chain(self.edges[:at])
        return list(found.items())


Neighbours = Callable[[Sequence[str]], Iterable[Edge]]


class PathFinder:
    """Finds shortest paths in what one reader may see, until ``clock`` is over."""

    def __init__(self, graph: ReadableGraph, clock: Clock) -> None:
        self._graph = graph
        self._clock = clock
        self._where = graph.access.where(None)

    def between(self, source: str, target: str, hops: int) -> Chain | None:
        """The shortest path from ``source`` to ``target`` of at most ``hops`` relations, all in its
        direction; else one against it; else one in mixed directions; else by what chunks name both. None
        where there is none. The ids are different."""
        return (
            self.stated_between(source, target, hops, ("out", "in", "both"))
            or self._side_by_side(source, target)
            or self._search(source, target, min(hops, TOGETHER), self._together)
        )

    def stated_between(
        self, source: str, target: str, hops: int, ways: Sequence[Direction] = ("out",)
    ) -> Chain | None:
        """The shortest path over relations alone, in the first of ``ways`` that has one."""
        for way in ways:
            if found := self._search(source, target, hops, partial(self.stated, direction=way)):
                return found
        return None

    def stated(self, entities: Sequence[str], direction: Direction) -> list[Edge]:
        """The relations at ``entities``, as steps away from them."""
        here = set(entities)
        edges: list[Edge] = []
        for relation in self._graph.snapshot.relations(entities, self._where, direction, EDGES):
            chunk = relation.evidence[0].chunk
            if direction != "in" and relation.source in here:
                edges.append(Edge(relation.source, relation.target, chunk, relation))
            if direction != "out" and relation.target in here:
                edges.append(Edge(relation.target, relation.source, chunk, relation))
        return edges

    def known(self, entities: Iterable[str]) -> Mapping[str, Entity]:
        """Entities by id, those that lead anywhere: not in too many chunks."""
        found = self._graph.snapshot.entities(sorted(set(entities)), self._where)
        return {entity.id: entity for entity in found if entity.mentions <= self._graph.common}

    def _side_by_side(self, source: str, target: str) -> Chain | None:
        """By the best chunk of ``source`` that names ``target`` as well."""
        chunks: dict[str, list[str]] = {source: [], target: []}
        for mention in self._graph.snapshot.mentioning([source, target], self._where, BOTH):
            chunks[mention.entity].append(mention.chunk)
        there = set(chunks[target])
        shared = next((chunk for chunk in chunks[source] if chunk in there), None)
        return None if shared is None else Chain((Edge(source, target, shared),))

    def _together(self, entities: Sequence[str]) -> list[Edge]:
        """What chunks name beside ``entities``: first those chunks that are about them."""
        snapshot = self._graph.snapshot
        places: dict[str, list[str]] = {}
        for mention in snapshot.mentioning(entities, self._where, CHUNKS):
            places.setdefault(mention.chunk, []).append(mention.entity)
        return [
            Edge(here, mention.entity, mention.chunk)
            for mention in snapshot.mentions(list(places), self._where)
            for here in places[mention.chunk]
            if here != mention.entity
        ]

    def _search(self, source: str, target: str, hops: int, neighbours: Neighbours) -> Chain | None:
        """Breadth first from ``source``: each entity is reached once, so there is no cycle."""
        reached: dict[str, Edge | None] = {source: None}
        frontier = [source]
        for _ in range(hops):
            if self._clock.over or not frontier:
                return None
            fresh: dict[str, Edge] = {}
            for edge in neighbours(frontier):
                if edge.target not in reached:
                    fresh.setdefault(edge.target, edge)
            reached |= fresh
            if target in fresh:
                return _back(reached, target)
            known = self.known(fresh)
            frontier = sorted(known, key=lambda entity: (known[entity].mentions, entity))[:FRONTIER]
        return None


def _back(reached: Mapping[str, Edge | None], target: str) -> Chain:
    edges: list[Edge] = []
    while (edge := reached[target]) is not None:
        edges.append(edge)
        target = edge.source
    return Chain(tuple(reversed(edges)))
