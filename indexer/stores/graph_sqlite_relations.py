"""Relations with the evidence that a reader may read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from ..types import Evidence, Relation
from .graph_ports import Direction
from .graph_sqlite_file import listed
from .graph_sqlite_view import View


class Edge(NamedTuple):
    """A relation's row and ends; ``weight`` is how much of its evidence is readable."""

    n: int
    id: str
    source: str
    target: str
    weight: int


_Side = Literal["out", "in"]
_OWN: Mapping[_Side, str] = {"out": "source", "in": "target"}
_OTHER: Mapping[_Side, str] = {"out": "target", "in": "source"}


def relations(view: View, ids: Iterable[str], direction: Direction, limit: int) -> list[Relation]:
    """Relations from, to or at these entities: by weight, then id."""
    edges, _ = edges_at(view, ids, limit, direction)
    return _read(view, edges, limit)


def relation_count(view: View, entity: str) -> int:
    """How many relations there are at an entity."""
    sql = f"""
        SELECT count(*) FROM relations r WHERE r.n IN (
          SELECT n FROM relations INDEXED BY relations_out
          WHERE source IN (SELECT value FROM json_each(?3))
          UNION SELECT n FROM relations INDEXED BY relations_in
          WHERE target IN (SELECT value FROM json_each(?3)))
        AND {view.live("r")} AND {_weight(view)} > 0"""
    return int(view.rows(sql, listed([entity]))[0][0])


def between(view: View, sources: Iterable[str], targets: Iterable[str]) -> list[Relation]:
    """Relations from one of ``sources`` to one of ``targets``: by weight, then id."""
    edges = _few(view, "out", listed(sources), listed(targets))
    return _read(view, edges, len(edges))


def edges_at(
    view: View,
    ids: Iterable[str],
    limit: int,
    direction: Direction = "both",
    inside: Collection[str] | None = None,
) -> tuple[list[Edge], bool]:
    """The ``limit`` heaviest relations from and to each of these entities (then by id), each relation once,
    and whether there were more. With ``inside``, those of them whose other ends are in it."""
    sides: list[_Side] = [side for side in _OWN if direction in (side, "both")]
    ends = None if inside is None else listed(inside)
    degrees = _degrees(view, ids)
    found: dict[int, Edge] = {}
    cut = False
    for side in sides:
        hubs = [entity for entity, degree in degrees.items() if degree[side] > limit]
        others = listed(degrees.keys() - hubs)
        found.update((edge.n, edge) for edge in _few(view, side, others, ends))
        for hub in hubs:
            best = _heaviest(view, side, hub, limit + 1)
            cut = cut or len(best) > limit
            other = itemgetter(Edge._fields.index(_OTHER[side]))
            found.update((e.n, e) for e in best[:limit] if inside is None or other(e) in inside)
    return list(found.values()), cut


def _degrees(view: View, ids: Iterable[str]) -> dict[str, dict[_Side, int]]:
    """How many relations these entities have, readable or not; those without any may be left out."""
    if view.tallied:
        sql = f"""
            SELECT t.entity, t.outgoing, t.incoming FROM json_each(?3) each
            CROSS JOIN tallies t ON t.entity = each.value
            WHERE {view.live("t")}"""
    else:
        out, into = (
            f"""(SELECT count(*) FROM relations r INDEXED BY relations_{side}
                 WHERE r.{end} = each.value AND {view.live("r")})"""
            for side, end in _OWN.items()
        )
        sql = f"SELECT each.value, {out}, {into} FROM json_each(?3) each"
    return {entity: {"out": out, "in": into} for entity, out, into in view.rows(sql, listed(ids))}


def _few(view: View, side: _Side, ids: str, others: str | None) -> list[Edge]:
    """All relations on one side of these entities, or those of them with the other end in ``others``."""
    sql = f"""
        SELECT r.n, r.id, r.source, r.target, {_weight(view)} AS readable FROM json_each(?3) each
        CROSS JOIN relations r INDEXED BY relations_{side} ON r.{_OWN[side]} = each.value
        WHERE {view.live("r")} AND readable > 0
        AND (?4 IS NULL OR r.{_OTHER[side]} IN (SELECT value FROM json_each(?4)))"""
    return [Edge(*row) for row in view.rows(sql, ids, others)]


def _heaviest(view: View, side: _Side, hub: str, limit: int) -> list[Edge]:
    """The heaviest relations on one side of an entity that has many. The index gives them to a reader of
    everything at once; for others every weight is counted, once."""
    sql = f"""
        SELECT r.n, r.id, r.source, r.target, {_weight(view)} AS readable
        FROM relations r INDEXED BY relations_{side} WHERE r.{_OWN[side]} = ?3
        AND {view.live("r")} AND readable > 0
        ORDER BY {"r.weight" if view.access.all else "readable"} DESC, r.id LIMIT ?4"""
    key = ("heaviest", view.access, side, hub, limit)
    return view.remembered(key, lambda: [Edge(*row) for row in view.rows(sql, hub, limit)])


def _weight(view: View) -> str:
    if view.access.all:
        return "r.weight"
    return f"(SELECT count(*) FROM evidence v WHERE v.relation = r.n AND {view.open('v')})"


def _read(view: View, edges: Sequence[Edge], limit: int) -> list[Relation]:
    """The ``limit`` heaviest of the edges as relations."""
    best = sorted(edges, key=lambda edge: (-edge.weight, edge.id))[:limit]
    numbers = listed(edge.n for edge in best)
    evidence = _evidence(view, numbers)
    sql = "SELECT r.n, r.weight, r.body FROM json_each(?1) each CROSS JOIN relations r ON r.n = each.value"
    held = {n: (pieces, body) for n, pieces, body in view.file.rows(sql, numbers)}
    return [_relation(edge, evidence[edge.n], *held[edge.n]) for edge in best]


def _relation(edge: Edge, evidence: Sequence[Evidence], pieces: int, body: str) -> Relation:
    """A relation's description may rest on any of its evidence, so whoever may not read all of it gets
    none."""
    verb, said = json.loads(body)
    description = said if len(evidence) == pieces else ""
    return Relation(
        edge.id, edge.source, edge.target, verb, float(len(evidence)), tuple(evidence), description
    )


def _evidence(view: View, numbers: str) -> dict[int, list[Evidence]]:
    sql = f"""
        SELECT v.relation, v.body, g.document, g.class FROM json_each(?3) each
        CROSS JOIN evidence v ON v.relation = each.value JOIN grounds g ON g.n = v.ground
        WHERE {view.open("v")} ORDER BY v.relation, v.place"""
    found: dict[int, list[Evidence]] = {}
    for relation, body, document, access in view.rows(sql, numbers):
        chunk, sentence, condition = json.loads(body)
        found.setdefault(relation, []).append(Evidence(chunk, document, sentence, condition, access))
    return found
