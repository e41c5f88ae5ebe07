"""The rows of a graph on a Neo4j server as they lie there, and what no generation needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..stretches import stretches
from ..types import Evidence
from .graph_ports import Slip
from .graph_rows import ChunkPlace, EntityRow, GraphKind, GraphRow, MentionRow, RelationRow, StoredRow
from .neo4j_cypher import live
from .neo4j_rows import LABELS, TYPES, community
from .neo4j_server import Neo4jServer
from .neo4j_writes import filled

_PAGE = 2000
_AFTER = "WHERE {live} AND {held}.id > $after"
_NODES = f"MATCH (n:KIND_INDEX) {_AFTER.format(live=live('n'), held='n')} RETURN n.digest, n.id"
_TIES = (
    f"MATCH (t:Entity_INDEX)<-[r:ROW {{index: $index}}]-(s) {_AFTER.format(live=live('r'), held='r')}"
    " RETURN r.digest, r.id, s.id, t.id"
)
_COLUMNS: dict[GraphKind, str] = {
    "chunk": "n.document, n.source, n.title, n.ordinal, n.first_page, n.last_page, n.access",
    "entity": "n.name, n.type",
    "community": f"""n.level, n.parent,
      COLLECT {{ MATCH (n)<-[i:IN]-(e) WHERE {live("i")} RETURN e.id ORDER BY i.place }},
      n.title, n.report, n.chunks, n.documents, n.classes, n.by, n.made""",
    "mention": "r.document, r.access, r.names, r.forms, r.role, r.count, r.type, r.description",
    "relation": """r.type, r.description, r.weight, r.chunks, r.documents, r.sentences, r.conditions,
      r.accesses""",
}
_UNNEEDED = """
MATCH ()-[r:ROW {index: $index}]->() WHERE r.since <= $last AND NOT any(g IN $keep WHERE
  r.since <= g AND (r.until IS NULL OR g < r.until)) RETURN count(*)
"""
_DISTRUST_NODES = "UNWIND $ids AS id MATCH (n:KIND {index: $index, id: id}) SET n.digest = ''"
_DISTRUST = "UNWIND $ids AS id MATCH ()-[r:ROW {index: $index, id: id}]->() SET r.digest = ''"


def stored(server: Neo4jServer, generation: int, kind: GraphKind) -> Iterator[StoredRow]:
    """The rows of a kind that a generation holds, whole, page by page."""
    held = "n" if kind in LABELS else "r"
    words = {"KIND": LABELS[kind]} if kind in LABELS else {"ROW": TYPES[kind]}
    statement = filled(_NODES if kind in LABELS else _TIES, **words)
    statement = f"{statement}, {_COLUMNS[kind]} ORDER BY {held}.id LIMIT $limit"
    after = ""
    while True:
        page = server.rows(statement, g=generation, after=after, limit=_PAGE)
        for row in page:
            after = row[1]
            yield StoredRow(_row(kind, row[1:]), row[0] or "")
        if len(page) < _PAGE:
            return


def unneeded(server: Neo4jServer, keep: Sequence[int]) -> Iterator[Slip]:
    """Mentions and relations that no generation in ``keep`` needs."""
    for kind, name in TYPES.items():
        given = {"last": max(keep, default=0), "keep": list(keep)}
        if count := server.rows(filled(_UNNEEDED, ROW=name), **given)[0][0]:
            yield Slip("ended", kind, f"{count} rows that no kept generation needs")


def distrust(server: Neo4jServer, slips: Sequence[Slip]) -> None:
    """Have the next writer take these rows for others than they are."""
    for kinds, statement, word in ((LABELS, _DISTRUST_NODES, "KIND"), (TYPES, _DISTRUST, "ROW")):
        for kind, name in kinds.items():
            ids = sorted({slip.key for slip in slips if slip.kind == kind})
            for some in stretches(ids, _PAGE):
                server.write(filled(statement, **{word: name}), ids=some)


def _row(kind: GraphKind, row: Sequence[Any]) -> GraphRow:
    if kind == "chunk":
        name, document, source, title, ordinal, first, last, access = row
        pages = None if first is None else (first, last)
        return ChunkPlace(name, document, source, title, ordinal, pages, access)
    if kind == "entity":
        return EntityRow(row[0], row[1], row[2])
    if kind == "community":
        return community(row)
    if kind == "mention":
        _, chunk, entity, document, access, names, forms, role, count, type_, description = row
        return MentionRow(
            entity, chunk, document, access, tuple(names), tuple(forms), role, count, type_, description
        )
    name, source, target, type_, description, _, chunks, *lists = row
    documents, sentences, conditions, accesses = lists
    pieces = zip(chunks, documents, sentences, conditions, accesses, strict=True)
    return RelationRow(name, source, target, type_, tuple(Evidence(*piece) for piece in pieces), description)
