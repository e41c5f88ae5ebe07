"""Erasing what no kept generation needs, and what an index has at all, in batches."""

from __future__ import annotations

from collections.abc import Sequence

from ..stretches import stretches
from .neo4j_rows import LABELS
from .neo4j_schema import DROP_OWN, NODES, ROWS, SIDES
from .neo4j_server import BATCH, Neo4jServer
from .neo4j_writes import filled

_NEEDED = "any(g IN $keep WHERE %(held)s.since <= g AND (%(held)s.until IS NULL OR g < %(held)s.until))"
_LATER = """
MATCH ()-[r:ROW {index: $index}]->(t) WHERE r.since > $last
WITH r, t LIMIT $batch WITH r, t.id AS id DELETE r RETURN count(*), collect(DISTINCT id)
"""
_REOPEN = """
MATCH ()-[r:ROW {index: $index}]->() WHERE r.until > $latest
WITH r LIMIT $batch REMOVE r.until RETURN count(*)
"""
_ENDED = f"""
MATCH ()-[r:ROW {{index: $index}}]->(t) WHERE r.until >= 0 AND NOT {_NEEDED % {"held": "r"}}
WITH r, t LIMIT $batch WITH r, t.id AS id DELETE r RETURN count(*), collect(DISTINCT id)
"""
_PAST = f"""
MATCH (p:Past {{index: $index, kind: 'KIND'}}) WHERE p.id IS NOT NULL AND NOT {_NEEDED % {"held": "p"}}
WITH p LIMIT $batch DELETE p RETURN count(*)
"""
_STATES = f"""
MATCH (n:KIND_INDEX) WHERE n.since IS NOT NULL AND NOT n:Past AND NOT {_NEEDED % {"held": "n"}}
WITH n LIMIT $batch
CALL (n) {{
  OPTIONAL MATCH (p:Past {{index: $index, kind: 'KIND', id: n.id}}) RETURN p ORDER BY p.since DESC LIMIT 1
}}
FOREACH (_ IN CASE WHEN p IS NULL THEN [1] ELSE [] END | SET n = {{index: n.index, id: n.id}})
FOREACH (q IN CASE WHEN p IS NULL THEN [] ELSE [p] END | SET n = properties(q) REMOVE n.kind DELETE q)
RETURN count(*)
"""
_REOPEN_STATES = """
MATCH (n:KIND_INDEX) WHERE n.until > $latest
WITH n LIMIT $batch REMOVE n.until RETURN count(*)
"""
_EMPTY = """
MATCH (n:KIND_INDEX) WHERE n.since IS NULL AND NOT EXISTS { (n)-[r]-() WHERE type(r) <> 'NAMED' }
WITH n LIMIT $batch DETACH DELETE n RETURN count(*)
"""
_UNNAMED = """
UNWIND $entities AS id
MATCH (e:Entity {index: $index, id: id})-[named:NAMED]->(n)
WHERE NOT EXISTS { MATCH (e)<-[m:MENTIONS]-() WHERE n.form IN m.forms }
DELETE named
"""
_ALONE = """
MATCH (n:KIND_INDEX) WHERE NOT EXISTS { (n)<-[:NAMED|ON|OF]-() }
WITH n LIMIT $batch DETACH DELETE n RETURN count(*)
"""
_BEGUN = "MATCH (n:Index {index: $index}) WHERE n.begun > $latest DELETE n"
_TITLES = """
MATCH (c:Chunk_INDEX) WHERE c.until IS NULL AND c.since IS NOT NULL
WITH c.document AS id, head(collect(c)) AS c
MATCH (d:Document {index: $index, id: id}) WHERE d.source <> c.source OR d.title <> c.title
SET d.source = c.source, d.title = c.title
"""
"""A document is called as its chunks of the newest generation say."""
_RELATIONSHIPS = "MATCH (:KIND_INDEX)-[r]->() WITH r LIMIT $batch DELETE r RETURN count(*)"
_ANY = "MATCH (n:KIND_INDEX) RETURN 1 LIMIT 1"
_NODES = "MATCH (n:KIND_INDEX) WITH n LIMIT $batch DETACH DELETE n RETURN count(*)"


def forget(server: Neo4jServer, keep: Sequence[int], newest: int | None) -> int:
    """See :meth:`GraphStore.forget`."""
    kept = sorted({g for g in keep if newest is None or g <= newest})
    last = kept[-1] if kept else -1
    given = {"keep": kept, "last": last, "latest": last if newest is None else newest}
    gone, touched = 0, set[str]()
    for kind in (*ROWS, *SIDES):
        for statement in (_LATER, _ENDED):
            for count, ends in server.repeat(filled(statement, ROW=kind), **given):
                gone += count if kind in ROWS else 0
                touched.update(ends if kind == "MENTIONS" else ())
        server.repeat(filled(_REOPEN, ROW=kind), **given)
    for label in LABELS.values():
        for statement in (_PAST, _STATES):
            gone += sum(row[0] for row in server.repeat(filled(statement, KIND=label), **given))
        server.repeat(filled(_REOPEN_STATES, KIND=label), **given)
    server.write(_BEGUN, **given)
    if gone:
        _tidy(server, sorted(touched))
    return gone


def is_empty(server: Neo4jServer) -> bool:
    """See :meth:`GraphStore.empty`."""
    return not any(server.rows(filled(_ANY, KIND=label)) for label in NODES)


def erase(server: Neo4jServer) -> None:
    """See :meth:`GraphStore.erase`. Relationships first: those of a hub do not fit one transaction."""
    for label in NODES:
        server.repeat(filled(_RELATIONSHIPS, KIND=label))
    for label in NODES:
        server.repeat(filled(_NODES, KIND=label))
    server.write(DROP_OWN)


def _tidy(server: Neo4jServer, entities: Sequence[str]) -> None:
    """Take out the names, pages, documents and empty nodes that nothing rests on any more."""
    for some in stretches(entities, BATCH):
        server.write(_UNNAMED, entities=some)
    for label in LABELS.values():
        server.repeat(filled(_EMPTY, KIND=label))
    for label in ("Name", "Page", "Document"):
        server.repeat(filled(_ALONE, KIND=label))
    server.write(_TITLES)
