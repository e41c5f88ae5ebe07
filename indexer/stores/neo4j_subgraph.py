"""What is around some entities and chunks, and everything, as arrays (:class:`.graph_ports.Subgraph`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import neo4j_cypher as cypher
from .graph_answers import subgraph_of
from .graph_ports import Subgraph
from .neo4j_server import Neo4jServer, Run

Parameters = Mapping[str, Any]
Weighed = tuple[str, str, int, str]
"""A relation: source, target, how much evidence is readable, and its id, which tells it from others."""


def around(
    server: Neo4jServer,
    entities: Sequence[str],
    chunks: Sequence[str],
    given: Parameters,
    limit: int,
    total: int,
) -> Subgraph:
    """See :meth:`GraphSnapshot.subgraph`: ten statements in one transaction at most, whatever is asked."""
    return server.reading(lambda run: _around(run, entities, chunks, given, limit, total))


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


def _around(
    run: Run, entities: Sequence[str], chunks: Sequence[str], given: Parameters, limit: int, total: int
) -> Subgraph:
    limits = {**given, "limit": limit}
    best = run(cypher.BEST_CHUNKS, {**limits, "entities": entities}) if entities else []
    asked = [entity for entity, _ in best]
    cut = any(len(found) > limit for _, found in best)
    held = {chunk for _, found in best for chunk in found[:limit]}
    if chunks:
        held.update(chunk for (chunk,) in run(cypher.READABLE_CHUNKS, {**given, "chunks": chunks}))
    mentions = run(cypher.CHUNK_MENTIONS, {**given, "chunks": sorted(held)}) if held else []
    related, more = _heaviest(run, asked, asked, limits)
    seen = sorted({*asked, *(row[1] for row in mentions), *(end for row in related for end in row[:2])})
    degrees = run(cypher.DEGREES, {**given, "entities": seen}) if seen else []
    inside, still_more = _inside(run, degrees, limits)
    whole = not (cut or more or still_more) and len(held) == total
    return subgraph_of({row[0]: row[1] for row in degrees}, held, mentions, inside, total, whole)


def _inside(run: Run, degrees: Sequence[Sequence[Any]], limits: Parameters) -> tuple[list[Weighed], bool]:
    """The relations among these entities, and whether one has more than the limit on a side.

    Who has fewer gives all of its relations. Of two that have more the heaviest of either are taken, and
    these alone are looked for among the many.
    """
    limit, seen = limits["limit"], {row[0] for row in degrees}
    sources = [row[0] for row in degrees if row[2] > limit]
    targets = [row[0] for row in degrees if row[3] > limit]
    few = {"out": seen.difference(sources), "in": seen.difference(targets)}
    others = {"out": seen, "in": set(sources)}
    found = set[Weighed]()
    for side, statement in cypher.INSIDE.items():
        ends = {"entities": sorted(few[side]), "others": sorted(others[side])}
        if ends["entities"] and ends["others"]:
            found.update(_directed(side, row) for row in run(statement, {**limits, **ends}))
    heaviest, more = _heaviest(run, sources, targets, limits)
    found.update(row for row in heaviest if row[0] in seen and row[1] in seen)
    return list(found), more


def _heaviest(
    run: Run, sources: Sequence[str], targets: Sequence[str], limits: Parameters
) -> tuple[list[Weighed], bool]:
    """The heaviest relations from each source and to each target, and whether one had more than the limit."""
    found: list[Weighed] = []
    more = False
    for side, entities in (("out", sources), ("in", targets)):
        taken: dict[str, int] = {}
        for row in run(cypher.SIDES[side], {**limits, "entities": entities}) if entities else ():
            taken[row[0]] = taken.get(row[0], 0) + 1
            if taken[row[0]] > limits["limit"]:
                more = True
            else:
                found.append(_directed(side, row))
    return found, more


def _directed(side: str, row: Sequence[Any]) -> Weighed:
    """A relation that one of its ends was asked for."""
    entity, other, weight, relation = row
    return (entity, other, weight, relation) if side == "out" else (other, entity, weight, relation)
