"""Rows of the graph port as what a Neo4j node or relationship keeps of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .graph_rows import ChunkPlace, CommunityRow, EntityRow, GraphKind, MentionRow, RelationRow
from .neo4j_names import name_key, pieces

NodeRow = ChunkPlace | EntityRow | CommunityRow
TieRow = MentionRow | RelationRow
"""A row that is a relationship."""

LABELS = {"chunk": "Chunk", "entity": "Entity", "community": "Community"}
TYPES = {"mention": "MENTIONS", "relation": "RELATES"}
SOURCES = {"mention": "Chunk", "relation": "Entity"}
SOURCE, TARGET, KEY, DIGEST = range(4)
"""Places in what :func:`tie` returns; the properties of ``_HELD`` follow."""

_HELD: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "mention": {
        "document": lambda row: row.document,
        "access": lambda row: row.access,
        "names": lambda row: list(row.names),
        "forms": lambda row: list(row.forms),
        "role": lambda row: row.role,
        "count": lambda row: row.count,
        "type": lambda row: row.type,
        "description": lambda row: row.description,
    },
    "relation": {
        "type": lambda row: row.type,
        "description": lambda row: row.description,
        "weight": lambda row: len(row.evidence),
        "chunks": lambda row: [piece.chunk for piece in row.evidence],
        "documents": lambda row: [piece.document for piece in row.evidence],
        "sentences": lambda row: [piece.sentence for piece in row.evidence],
        "conditions": lambda row: [piece.condition for piece in row.evidence],
        "accesses": lambda row: [piece.access for piece in row.evidence],
    },
}


def node(row: NodeRow) -> dict[str, Any]:
    """A chunk, entity or community as a row of ``$rows``: ``id`` and ``digest``, ``held`` (its properties),
    and the pages or members that it is tied to."""
    ends: dict[str, Any] = {}
    if isinstance(row, ChunkPlace):
        ends = {"pages": list(range(row.pages[0], row.pages[1] + 1)) if row.pages else []}
    elif isinstance(row, CommunityRow):
        ends = {"members": list(row.members)}
    return {"id": row.key, "digest": row.digest, "held": _held(row), **ends}


def tie(kind: GraphKind, row: TieRow) -> list[Any]:
    """A mention or relation as a row of ``$rows``: its two ends, key, digest, and what it holds, in order.

    A list, since the names of properties in every row would be half of what is sent, and of the time.
    """
    ends = [row.chunk, row.entity] if isinstance(row, MentionRow) else [row.source, row.target]
    return [*ends, row.key, row.digest, *(value(row) for value in _HELD[kind].values())]


def places(kind: GraphKind) -> str:
    """The properties of a mention or relation in Cypher, each with its place in :func:`tie`."""
    held = {"id": KEY, "digest": DIGEST, **{name: at for at, name in enumerate(_HELD[kind], DIGEST + 1)}}
    return ", ".join(f"{name}: row[{at}]" for name, at in held.items())


def names(rows: Sequence[TieRow]) -> list[dict[str, Any]]:
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


def _held(row: NodeRow) -> dict[str, Any]:
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
