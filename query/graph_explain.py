"""The paths of hits: how each was come by, in steps that a person can check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from ..indexer.types import Entity, Relation
from .graph_arrays import Values, WalkGraph
from .graph_lift import Lift
from .graph_link import Link
from .graph_paths import Chain
from .graph_reading import GraphRead
from .graph_second import Second
from .graph_walked import Walked
from .question import Candidate
from .result import page_list

Step = Mapping[str, Any]
LONGEST = 6
"""Entities and chunks of the longest path."""


class Explainer:
    """Says of each chunk what brought it up: statements, else the more of a chunk before it and the walk."""

    def __init__(
        self,
        read: GraphRead,
        links: Sequence[Link],
        walk: Walked,
        second: Mapping[str, Second],
        lifted: Mapping[str, Lift],
    ) -> None:
        self._read = read
        self._said = {link.entity.id: link.said for link in links}
        self._walk = walk
        self._second = second
        self._lifted = lifted

    def paths(self, candidates: Sequence[Candidate]) -> list[tuple[Step, ...]]:
        """The path of each of ``candidates``, which are chunks. Its last step is the chunk."""
        routes = [self._route(candidate.payload["id"]) for candidate in candidates]
        graph, where = self._read.graph.snapshot, self._read.graph.access.where(None)
        names = {name for route in routes for name in route if isinstance(name, str)}
        steps = Steps(self._read, {entity.id: entity for entity in graph.entities(sorted(names), where)})
        joined = {pair for route in routes for pair in map(frozenset, pairwise(route)) if pair <= steps.names}
        ends = sorted({name for pair in joined for name in pair if isinstance(name, str)})
        for relation in graph.between(ends, ends, where) if ends else ():
            if {relation.source, relation.target} in joined:
                steps.relate(relation)
        steps.cite(relation for route in routes for relation in route if isinstance(relation, Relation))
        return [steps.draw(route, self._said) for route in routes]

    def _route(self, chunk: str) -> list[str | Relation]:
        """The ids of entities and chunks, and relations, on the way to ``chunk``."""
        walk = self._walk.scores.get(chunk, 0.0)
        lift, second = self._lifted.get(chunk), self._second.get(chunk)
        if lift is not None:
            route = [*along(lift.chain), chunk]
            return route[: route.index(chunk) + 1]
        if second is not None and second.gain > walk and second.first != chunk:
            before = self._traced(second.first)
            return [*(before if chunk not in before else [second.first]), second.by, chunk]
        return list(self._traced(chunk))

    def _traced(self, chunk: str) -> list[str]:
        graph = self._walk.graph
        if (place := graph.place.get(chunk)) is None:
            return [chunk]
        restart = self._read.graph.settings.restart
        places = trace(graph, place, self._walk.now, self._walk.seeds, restart)
        return [graph.name(place) for place in places]


def along(path: Chain) -> list[str | Relation]:
    """The ids and relations on a chain, from its first entity to its last."""
    route: list[str | Relation] = [path.edges[0].source]
    for edge in path.edges:
        route += [edge.relation or edge.chunk, edge.target]
    return route


def trace(graph: WalkGraph, place: int, now: Values, seeds: Values, restart: float) -> list[int]:
    """The places through which most of the walk ``now`` came to ``place``, from the one where it began.

    It began where more of the weight is the seed's own than came over any one edge, or at an entity of the
    question; a chunk that names one is always told from there. No place comes twice.
    """
    steps = [place]
    while len(steps) < LONGEST:
        sources, passed = graph.came_from(steps[-1], now)
        fresh = [
            (not graph.is_chunk(source) and seeds[source] > 0, share, -source)
            for source, share in zip(sources.tolist(), passed.tolist(), strict=True)
            if source not in steps and share > 0
        ]
        if not fresh:
            break
        named, share, negative = max(fresh)
        own = restart * float(seeds[steps[-1]])
        if own >= (1 - restart) * share and not (named and len(steps) == 1):
            break
        steps.append(-negative)
        if named:
            break
    return steps[::-1]


class Steps:
    """Draws routes as steps: entities, relations with their evidence, chunks."""

    def __init__(self, read: GraphRead, entities: Mapping[str, Entity]) -> None:
        self._read = read
        self._entities = entities
        self._relations: dict[frozenset[str | Relation], Relation] = {}
        self._pages: dict[str, list[int] | None] = {}

    @property
    def names(self) -> frozenset[str]:
        """The ids of the entities that are at hand."""
        return frozenset(self._entities)

    def relate(self, relation: Relation) -> None:
        """Have a relation at hand, for where its two ends follow each other."""
        self._relations.setdefault(frozenset((relation.source, relation.target)), relation)

    def cite(self, relations: Iterable[Relation]) -> None:
        """Look up the pages of the first evidence of ``relations`` and of those at hand."""
        wanted = {relation.evidence[0].chunk for relation in chain(relations, self._relations.values())}
        known = {name: one.payload for name, one in self._read.chunks.items() if name in wanted}
        rows = self._read.near(wanted)
        known |= {name: row.payload for name, row in rows.items()}
        for name, payload in known.items():
            pages = page_list(payload)
            self._pages[name] = None if pages is None else list(pages)

    def draw(self, route: Sequence[str | Relation], said: Mapping[str, str]) -> tuple[Step, ...]:
        """The steps of one route; ``said`` is how the question calls entities."""
        steps: list[Step] = []
        for at, here in enumerate(route):
            if isinstance(here, Relation):
                steps.append(self._relation(here))
                continue
            if joined := self._relations.get(frozenset((here, route[at - 1]))) if at else None:
                steps.append(self._relation(joined))
            steps.append(self._place(here, said))
        return tuple(steps)

    def _place(self, name: str, said: Mapping[str, str]) -> Step:
        entity = self._entities.get(name)
        if entity is None:
            return {"kind": "chunk", "id": name}
        step = {"kind": "entity", "id": name, "name": entity.name, "type": entity.type}
        return {**step, "said": said[name]} if name in said else step

    def _name(self, entity: str) -> str:
        return self._entities[entity].name if entity in self._entities else ""

    def _relation(self, relation: Relation) -> Step:
        first = relation.evidence[0]
        return {
            "kind": "relation",
            "id": relation.id,
            "type": relation.type,
            "source": self._name(relation.source),
            "target": self._name(relation.target),
            "source_id": relation.source,
            "target_id": relation.target,
            "sentence": first.sentence,
            "condition": first.condition,
            "chunk": first.chunk,
            "document": first.document,
            "pages": self._pages.get(first.chunk),
        }
