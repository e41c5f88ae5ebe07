"""Constraints and indexes, made before the first row and awaited.

Those of nodes and relationships are the database's, shared by its indexes: every key begins with ``index``.
Full text cannot be filtered before it is searched, so each index has one of its own, over its own label.
"""

from __future__ import annotations

from .neo4j_server import Neo4jServer

NODES = ("Entity", "Chunk", "Community", "Name", "Document", "Page", "Index")
"""Each node also has a label of its index alone, as ``Entity_7b1c...``."""
ROWS = ("MENTIONS", "RELATES")
"""Relationships that are rows; the others follow from the nodes at their ends."""
SIDES = ("IN", "PART_OF", "ON", "OF")

_UNIQUE = (
    ("Entity", "n.index, n.id"),
    ("Chunk", "n.index, n.id"),
    ("Community", "n.index, n.id"),
    ("Document", "n.index, n.id"),
    ("Name", "n.index, n.key"),
    ("Page", "n.index, n.document, n.number"),
    ("Index", "n.index"),
)
SHARED = {
    **{
        f"treegraph_{label.lower()}": f"CREATE CONSTRAINT treegraph_{label.lower()} IF NOT EXISTS"
        f" FOR (n:{label}) REQUIRE ({key}) IS UNIQUE"
        for label, key in _UNIQUE
    },
    **{
        f"treegraph_{kind.lower()}": f"CREATE CONSTRAINT treegraph_{kind.lower()} IF NOT EXISTS"
        f" FOR ()-[r:{kind}]-() REQUIRE (r.index, r.id, r.since) IS UNIQUE"
        for kind in ROWS
    },
    **{
        f"treegraph_{kind.lower()}_{mark}": f"CREATE INDEX treegraph_{kind.lower()}_{mark} IF NOT EXISTS"
        f" FOR ()-[r:{kind}]-() ON (r.index, r.{mark})"
        for kind in (*ROWS, *SIDES)
        for mark in ("since", "until")
    },
    "treegraph_past": "CREATE INDEX treegraph_past IF NOT EXISTS FOR (n:Past) ON (n.index, n.kind, n.id)",
}
"""Statements by the name of the index that each makes."""
OWN = (
    "CREATE FULLTEXT INDEX treegraph_names_INDEX IF NOT EXISTS FOR (n:Name_INDEX) ON EACH [n.pieces]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}"
)
_THERE = "SHOW INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN name"
STATES = "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'treegraph_' RETURN name, state"
READY = "CALL db.awaitIndexes(300)"
DROP_OWN = "DROP INDEX treegraph_names_INDEX IF EXISTS"


def names_index(server: Neo4jServer) -> str:
    """What the index's own full-text index is called."""
    return f"treegraph_names_{server.index}"


def make_schema(server: Neo4jServer) -> None:
    """Make what is missing, and wait until it serves. Raises StoreUnreachable or StoreError."""
    there = {name for (name,) in server.rows(_THERE)}
    missing = [statement for name, statement in SHARED.items() if name not in there]
    if names_index(server) not in there:
        missing.append(OWN)
    for statement in missing:
        server.write(statement)
    if missing:
        server.rows(READY)
