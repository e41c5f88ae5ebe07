"""Communities that a reader may read: all that they rest on has to be open."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..types import Community
from .graph_answers import community_of
from .graph_rows import CommunityRow
from .graph_sqlite_file import GraphFile, listed
from .ports import Filter

_OPEN = """
    c.since <= ?1 AND c.until > ?1
    AND (?2 IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(c.classes) WHERE value NOT IN (SELECT value FROM json_each(?2))))
    AND (?3 IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(c.documents) WHERE value NOT IN (SELECT value FROM json_each(?3))))
    AND (?4 IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(c.documents) WHERE value IN (SELECT value FROM json_each(?4))))"""
_COLUMNS = "c.id, c.level, c.members, c.documents, c.classes, c.body"
_COUNT = f"SELECT count(*) FROM communities c WHERE {_OPEN}"
_READ = f"""
    SELECT {_COLUMNS} FROM communities c WHERE {_OPEN}
    AND (?5 IS NULL OR c.id IN (SELECT value FROM json_each(?5)))
    AND (?6 IS NULL OR c.n IN (
      SELECT m.community FROM json_each(?6) each CROSS JOIN members m ON m.entity = each.value))
    AND (?7 IS NULL OR c.level = ?7)
    ORDER BY c.level, c.size DESC, c.id LIMIT ?8"""
_ROWS = f"SELECT {_COLUMNS} FROM communities c WHERE c.since <= ?1 AND c.until > ?1 ORDER BY c.id"


def count(file: GraphFile, generation: int, where: Filter) -> int:
    """How many communities there are for this reader."""
    return int(file.rows(_COUNT, generation, *_access(where))[0][0])


def communities(
    file: GraphFile,
    generation: int,
    where: Filter,
    ids: Sequence[str] | None,
    entities: Sequence[str] | None,
    level: int | None,
    limit: int,
) -> list[Community]:
    """Those that meet all given conditions: by level, then size descending, then id."""
    asked = (_listed(ids), _listed(entities), level, limit)
    found = file.rows(_READ, generation, *_access(where), *asked)
    return [community_of(_row(*row)) for row in found]


def stored_communities(file: GraphFile, generation: int) -> list[CommunityRow]:
    """All communities as they were put, by id."""
    return [_row(*row) for row in file.rows(_ROWS, generation)]


def _access(where: Filter) -> tuple[str | None, str | None, str | None]:
    return _listed(where.classes), _listed(where.documents), _listed(where.not_documents or None)


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else listed(values)


def _row(community: str, level: int, members: str, documents: str, classes: str, body: str) -> CommunityRow:
    parent, title, report, chunks, by, made = json.loads(body)
    return CommunityRow(
        id=community,
        level=level,
        parent=parent,
        members=tuple(json.loads(members)),
        title=title,
        report=report,
        chunks=tuple(chunks),
        documents=tuple(json.loads(documents)),
        classes=tuple(json.loads(classes)),
        by=by,
        made=made,
    )
