"""Rows of the graph port as what a Neo4j node or relationship keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph_ports import ChunkPlace, CommunityRow, EntityRow, GraphRow, MentionRow, RelationRow
from .neo4j_names import name_key, pieces

LABELS = {"chunk": "Chunk", "entity": "Entity", "community": "Community"}
TYPES = {"mention": "MENTIONS", "relation": "RELATES"}
SOURCES = {"mention": "Chunk", "relation": "Entity"}


def parameters(row: GraphRow) -> dict[str, Any]:
    """A row of ``$rows``: ``id`` and ``digest``, ``held`` (its properties), and the ends it is tied to."""
    if isinstance(row, ChunkPlace):
        ends: dict[str, Any] = {"pages": list(range(row.pages[0], row.pages[1] + 1)) if row.pages else []}
    elif isinstance(row, EntityRow):
        ends = {}
    elif isinstance(row, MentionRow):
        ends = {"source": row.chunk, "target": row.entity}
    elif isinstance(row, RelationRow):
        ends = {"source": row.source, "target": row.target}
    else:
        ends = {"members": list(row.members)}
    return {"id": row.key, "digest": row.digest, "held": _held(row), **ends}


def names(rows: Sequence[GraphRow]) -> list[dict[str, Any]]:
    """The names in mentions, each with the entities that it is a name of."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if isinstance(row, MentionRow):
            for form in row.forms:
                found.setdefault(form, {})[row.entity] = None
    return [
        {"key": name_key(form), "form": form, "pieces": " ".join(pieces(form)), "entities": list(entities)}
        for form, entities in found.items()
    ]


def community(row: Sequence[Any]) -> CommunityRow:
    """The row of a community, as ``neo4j_cypher.COMMUNITIES`` returns it."""
    key, level, parent, members, title, report, chunks, documents, classes, by, made = row
    return CommunityRow(
        key, level, parent, tuple(members), title, report, tuple(chunks), tuple(documents), tuple(classes),
        by, made,
    )  # fmt: skip


def _held(row: GraphRow) -> dict[str, Any]:
    if isinstance(row, ChunkPlace):
        first, last = row.pages or (None, None)
        return {
            "document": row.document,
            "source": row.source,
            "title": row.title,
            "ordinal": row.ordinal,
            "first_page": first,
            "last_page": last,
            "access": row.access,
        }
    if isinstance(row, EntityRow):
        return {"name": row.name, "type": row.type}
    if isinstance(row, MentionRow):
        return {
            "document": row.document,
            "access": row.access,
            "names": list(row.names),
            "forms": list(row.forms),
            "role": row.role,
            "count": row.count,
            "type": row.type,
            "description": row.description,
        }
    if isinstance(row, RelationRow):
        return {
            "type": row.type,
            "description": row.description,
            "weight": len(row.evidence),
            "chunks": [piece.chunk for piece in row.evidence],
            "documents": [piece.document for piece in row.evidence],
            "sentences": [piece.sentence for piece in row.evidence],
            "conditions": [piece.condition for piece in row.evidence],
            "accesses": [piece.access for piece in row.evidence],
        }
    return {
        "level": row.level,
        "parent": row.parent,
        "size": len(row.members),
        "title": row.title,
        "report": row.report,
        "chunks": list(row.chunks),
        "documents": list(row.documents),
        "classes": list(row.classes),
        "by": row.by,
        "made": row.made,
    }
