"""What is around some entities and chunks, and everything, as arrays (:class:`.graph_ports.Subgraph`).

Half of what a neighbourhood takes is reading the answers here, so they come with as few values as say it: a
list a chunk or entity and not a row a mention or relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from . import neo4j_cypher as cypher
from .graph_answers import subgraph_of
from .graph_ports import Subgraph
from .neo4j_server import Neo4jServer, Run

Parameters = Mapping[str, Any]
Degree = tuple[int, int, int]
"""Of an entity: readable mentions, and at most so many relations from and to it."""
Weighed = tuple[str, str, int]
"""A relation: source, target, how much evidence is readable."""


class Degrees:
    """Degrees that one reader of one generation was told. Counting the mentions of entities that many chunks
    name is dear, and such entities are around everything."""

    def __init__(self, most: int = 20_000) -> None:
        self._known: dict[str, Degree] = {}
        self._most = most

    def of(self, run: Run, entities: Sequence[str], given: Parameters) -> dict[str, Degree]:
        """The degrees of these entities; those that have none for the reader are left out."""
        known = self._known
        found = {entity: known[entity] for entity in entities if entity in known}
        if missing := [entity for entity in entities if entity not in found]:
            rows = run(cypher.DEGREES, {**given, "entities": missing})
            told: dict[str, Degree] = {entity: (named, out, back) for entity, named, out, back in rows}
            if len(known) + len(told) > self._most:
                known = self._known = {}
            known.update(told)
            found.update(told)
        return found


def around(
    server: Neo4jServer,
    degrees: Degrees,
    entities: Sequence[str],
    chunks: Sequence[str],
    given: Parameters,
    limit: int,
    total: int,
) -> Subgraph:
    """See :meth:`GraphSnapshot.subgraph`: seven statements in one transaction at most, whatever is asked."""
    limits = {**given, "limit": limit}

    def work(run: Run) -> Subgraph:
        (best, readable, out, back), *_ = run(cypher.NEAR, {**limits, "entities": entities, "chunks": chunks})
        held = {*readable, *chain.from_iterable(named[:limit] for _, named in best)}
        mentions = _mentions(run, held, given)
        related, more = _first(limit, {entity for entity, _ in best}, out, back)
        seen = {*related, *(entity for entity, _ in best), *(row[1] for row in mentions)}
        known = degrees.of(run, sorted(seen), given)
        inside, still_more = _inside(run, known, limits)
        cut = any(len(named) > limit for _, named in best)
        whole = not (cut or more or still_more) and len(held) == total
        counts = {entity: degree[0] for entity, degree in known.items()}
        return subgraph_of(counts, held, mentions, inside, total, whole)

    return server.reading(work)


def everything(server: Neo4jServer, given: Parameters) -> Subgraph:
    """See :meth:`GraphSnapshot.whole`."""
    places, mentions, relations = server.read(
        (cypher.ALL_CHUNKS, given), (cypher.ALL_MENTIONS, given), (cypher.ALL_RELATIONS, given)
    )
    counts: dict[str, int] = {}
    for _, entity, _, _ in mentions:
        counts[entity] = counts.get(entity, 0) + 1
    chunks = [chunk for (chunk,) in places]
    return subgraph_of(counts, chunks, mentions, relations, len(chunks), True)


def _mentions(run: Run, chunks: Iterable[str], given: Parameters) -> list[tuple[str, str, int, bool]]:
    """Chunk, entity, count, and whether the chunk is about it."""
    asked = sorted(chunks)
    rows = run(cypher.CHUNK_MENTIONS, {**given, "chunks": asked}) if asked else []
    return [
        (chunk, entity, said // 2, said % 2 == 1)
        for chunk, entities, counts in rows
        for entity, said in zip(entities, counts, strict=True)
    ]


def _first(limit: int, asked: set[str], *sides: Sequence[tuple[str, Sequence[str]]]) -> tuple[set[str], bool]:
    """The ends of the relations at the entities asked for, and whether one has more than the limit."""
    found, more = set[str](), False
    for entity, ends in chain.from_iterable(sides):
        if entity in asked:
            found.update(ends[:limit])
            more = more or len(ends) > limit
    return found, more


def _inside(run: Run, degrees: Mapping[str, Degree], limits: Parameters) -> tuple[list[Weighed], bool]:
    """The relations among these entities, and whether one has more than the limit on a side.

    Who has fewer gives all of its relations. Of two that have more the heaviest of either are taken, and
    these alone are looked for among the many. No relation is found by two of the statements but those of
    ``SIDES``, which say which it is.
    """
    limit = limits["limit"]
    sources = {entity for entity, degree in degrees.items() if degree[1] > limit}
    targets = {entity for entity, degree in degrees.items() if degree[2] > limit}
    found: list[Weighed] = []
    few = sorted(degrees.keys() - sources)
    for entity, others, weights in _asked(run, cypher.INSIDE["out"], few, sorted(degrees), limits):
        found += ((entity, other, weight) for other, weight in zip(others, weights, strict=True))
    few = sorted(degrees.keys() - targets)
    for entity, others, weights in _asked(run, cypher.INSIDE["in"], few, sorted(sources), limits):
        found += ((other, entity, weight) for other, weight in zip(others, weights, strict=True))
    heaviest, more = _heaviest(run, sources, targets, limits)
    return [*found, *heaviest], more


def _asked(
    run: Run, statement: str, entities: Sequence[str], others: Sequence[str], limits: Parameters
) -> list[list[Any]]:
    """The rows of a statement of ``INSIDE``."""
    return run(statement, {**limits, "entities": entities, "others": others}) if entities and others else []


def _heaviest(
    run: Run, sources: set[str], targets: set[str], limits: Parameters
) -> tuple[list[Weighed], bool]:
    """Of the relations from ``sources`` to ``targets``, who have many, the heaviest from each and to each;
    and whether one of either has more than the limit, wherever they lead."""
    limit, more = limits["limit"], False
    found: dict[str, Weighed] = {}
    for side, entities, far in (("out", sources, targets), ("in", targets, sources)):
        rows = run(cypher.SIDES[side], {**limits, "entities": sorted(entities)}) if entities else []
        for entity, others, weights, relations in rows:
            more = more or len(others) > limit
            for other, weight, relation in list(zip(others, weights, relations, strict=True))[:limit]:
                if other in far:
                    found[relation] = (entity, other, weight) if side == "out" else (other, entity, weight)
    return list(found.values()), more
