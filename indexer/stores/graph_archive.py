"""Rows of the graph as values of JSON, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from ..types import Evidence
from .graph_rows import ChunkPlace, CommunityRow, EntityRow, GraphKind, GraphRow, MentionRow, RelationRow

_ROWS: Mapping[GraphKind, type[Any]] = {
    "chunk": ChunkPlace,
    "entity": EntityRow,
    "mention": MentionRow,
    "relation": RelationRow,
    "community": CommunityRow,
}


def row_to_json(row: GraphRow) -> dict[str, Any]:
    """A row by its fields."""
    return asdict(row)


def row_from_json(kind: GraphKind, value: Mapping[str, Any]) -> GraphRow:
    """The row of a kind that :func:`row_to_json` gave. Raises KeyError, TypeError."""
    made = {field.name: _tuple(value[field.name]) for field in fields(_ROWS[kind])}
    if kind == "relation":
        made["evidence"] = tuple(Evidence(**each) for each in value["evidence"])
    row: GraphRow = _ROWS[kind](**made)
    return row


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
