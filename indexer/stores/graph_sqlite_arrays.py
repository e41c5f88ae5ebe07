"""Parts of the graph as arrays, and all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .graph_answers import subgraph_of
from .graph_ports import Subgraph
from .graph_sqlite_file import listed
from .graph_sqlite_names import best_chunks, chunk_counts
from .graph_sqlite_relations import edges_at
from .graph_sqlite_view import View

_Named = tuple[str, str, int, int]
"""A mention: chunk, entity, count, whether it is what the chunk is about."""
_Joined = tuple[str, str, int]
"""A relation: source, target, weight."""


def subgraph(view: View, entities: Sequence[str], chunks: Sequence[str], limit: int, total: int) -> Subgraph:
    """What is around these: the chunks asked for and those of the entities' mentions; those entities, those
    at the other ends of their relations, and those that the chunks name; all mentions of the chunks, and the
    relations with both ends among the entities.

    Of an entity's mentions, of the relations from it and of those to it, ``limit`` are looked at, the best.
    """
    held, asked, cut = _chunks(view, entities, chunks, limit)
    edges, more = edges_at(view, asked, limit)
    named = _mentions(view, held)
    found = {row[1] for row in named}.union(asked)
    for edge in edges:
        found.update((edge.source, edge.target))
    others, many = edges_at(view, found.difference(asked), limit, inside=found)
    counts = chunk_counts(view, found)
    # One relation may be found from both of its ends.
    joined = {
        edge.n: (edge.source, edge.target, edge.weight)
        for edge in (*edges, *others)
        if edge.source in counts and edge.target in counts
    }
    whole = not (cut or more or many) and len(held) == total
    return subgraph_of(counts, held, named, list(joined.values()), total, whole)


def whole(view: View) -> Subgraph:
    """Everything that the reader may read."""
    places = f"SELECT c.chunk FROM chunks c WHERE {view.seen('c')}"
    chunks = {chunk for (chunk,) in view.rows(places)}
    sql = "SELECT m.chunk, m.entity, m.count, m.subject FROM mentions m INDEXED BY mentions_entity "
    sql += f"WHERE {view.seen('m')}"
    named = view.rows(sql)
    counts: dict[str, int] = {}
    for row in named:
        counts[row[1]] = counts.get(row[1], 0) + 1
    joined = [row for row in _relations(view) if row[0] in counts and row[1] in counts]
    return subgraph_of(counts, chunks, named, joined, len(chunks), True)


def _chunks(
    view: View, entities: Sequence[str], chunks: Sequence[str], limit: int
) -> tuple[set[str], set[str], bool]:
    """The chunks of a neighbourhood, those of the asked entities that are there, and whether one of them has
    more mentions than ``limit``."""
    sql = f"""
        SELECT c.chunk FROM json_each(?3) each CROSS JOIN chunks c ON c.chunk = each.value
        WHERE {view.seen("c")}"""
    held = {chunk for (chunk,) in view.rows(sql, listed(chunks))}
    asked: set[str] = set()
    cut = False
    for entity in dict.fromkeys(entities):
        best = best_chunks(view, entity, limit + 1)
        cut = cut or len(best) > limit
        held.update(best[:limit])
        if best:
            asked.add(entity)
    return held, asked, cut


def _mentions(view: View, chunks: Iterable[str]) -> list[_Named]:
    sql = f"""
        SELECT m.chunk, m.entity, m.count, m.subject FROM json_each(?3) each
        CROSS JOIN mentions m ON m.chunk = each.value WHERE {view.seen("m")}"""
    return view.rows(sql, listed(chunks))


def _relations(view: View) -> list[_Joined]:
    if view.access.all:
        sql = f"SELECT r.source, r.target, r.weight FROM relations r WHERE r.weight > 0 AND {view.seen('r')}"
        return view.rows(sql)
    sql = f"""
        SELECT r.source, r.target, v.weight FROM (
          SELECT v.relation, count(*) AS weight FROM evidence v WHERE {view.open("v")} GROUP BY v.relation) v
        CROSS JOIN relations r ON r.n = v.relation WHERE {view.live("r")}"""
    return view.rows(sql)
