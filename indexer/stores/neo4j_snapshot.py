"""A published generation of a graph on a Neo4j server, open for reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..types import Community, Entity, Evidence, Relation
from . import neo4j_cypher as cypher
from . import neo4j_soundness as soundness
from .graph_answers import community_of, entity_of
from .graph_ports import Direction, Mention, Slip, Subgraph
from .graph_rows import GraphKind, StoredRow
from .neo4j_names import most_alike, name_key, pieces
from .neo4j_rows import community
from .neo4j_schema import names_index
from .neo4j_server import Neo4jServer
from .neo4j_subgraph import Degrees, around, everything
from .ports import Filter

_CANDIDATES = 40
"""Names that full text proposes, for each one wanted."""
_REMEMBERED = 32
_NONE = ("",)
"""No id and no class, where there are none: an empty list is a type of its own, and planned for anew."""


class Neo4jSnapshot:
    """Reads one generation. Safe from several threads. Lists keep what :class:`GraphSnapshot` says."""

    def __init__(self, server: Neo4jServer, generation: int) -> None:
        self.generation = generation
        self._server = server
        self._known: dict[object, tuple[int, Degrees]] = {}

    def counts(self, where: Filter) -> dict[GraphKind, int]:
        """See :class:`GraphSnapshot`."""
        given = self._given(where)
        chunks, mentions, relations, communities = self._server.read(
            (cypher.COUNT_CHUNKS, given),
            (cypher.COUNT_MENTIONS, given),
            (cypher.COUNT_RELATIONS, given),
            (cypher.COUNT_COMMUNITIES, given),
        )
        return {
            "chunk": chunks[0][0],
            "entity": mentions[0][1],
            "mention": mentions[0][0],
            "relation": relations[0][0],
            "community": communities[0][0],
        }

    def entities(self, ids: Sequence[str], where: Filter) -> list[Entity]:
        """See :class:`GraphSnapshot`."""
        rows = self._rows(cypher.ENTITIES, where, ids=_usable(ids)) if ids else []
        found = {row[0]: _entity(*row) for row in rows}
        return [found[each] for each in ids if each in found]

    def named(self, forms: Sequence[str], where: Filter) -> dict[str, list[str]]:
        """See :class:`GraphSnapshot`."""
        asked = [{"form": form, "key": name_key(form)} for form in dict.fromkeys(forms)]
        found: dict[str, list[str]] = {}
        for form, entity, _ in self._rows(cypher.NAMED, where, forms=asked) if asked else []:
            found.setdefault(form, []).append(entity)
        return found

    def alike(self, form: str, where: Filter, limit: int) -> list[str]:
        """See :class:`GraphSnapshot`. Full text proposes by shared pieces, Dice's coefficient decides."""
        asked = pieces(form)
        if not asked or limit < 1:
            return []
        given = {"names": names_index(self._server), "query": " ".join(asked), "limit": limit * _CANDIDATES}
        return most_alike(form, (row[0] for row in self._rows(cypher.ALIKE, where, **given)), limit)

    def mentions(self, chunks: Sequence[str], where: Filter) -> list[Mention]:
        """See :class:`GraphSnapshot`."""
        rows = self._rows(cypher.MENTIONS, where, chunks=_usable(chunks)) if chunks else []
        return [_mention(*row) for row in rows]

    def mentioning(self, entities: Sequence[str], where: Filter, limit: int) -> list[Mention]:
        """See :class:`GraphSnapshot`."""
        asked = _usable(entities)
        rows = self._rows(cypher.MENTIONING, where, entities=asked, limit=limit) if asked else []
        found = [_mention(*row) for row in rows]
        place = {entity: at for at, entity in enumerate(asked)}
        return sorted(found, key=lambda m: (place[m.entity], m.role != "subject", -m.count, m.chunk))

    def relations(
        self, entities: Sequence[str], where: Filter, direction: Direction = "both", limit: int = 1000
    ) -> list[Relation]:
        """See :class:`GraphSnapshot`."""
        asked = _usable(entities)
        statement = cypher.RELATIONS[direction]
        rows = self._rows(statement, where, entities=asked, limit=limit) if asked else []
        return [_relation(*row) for row in rows]

    def relation_count(self, entity: str, where: Filter) -> int:
        """See :class:`GraphSnapshot`."""
        asked = _usable([entity])
        return int(self._rows(cypher.RELATION_COUNT, where, entities=asked)[0][0]) if asked else 0

    def between(self, sources: Sequence[str], targets: Sequence[str], where: Filter) -> list[Relation]:
        """See :class:`GraphSnapshot`."""
        asked, ends = _usable(sources), _usable(targets)
        rows = self._rows(cypher.BETWEEN, where, entities=asked, targets=ends) if asked and ends else []
        return [_relation(*row) for row in rows]

    def subgraph(self, entities: Sequence[str], chunks: Sequence[str], where: Filter, limit: int) -> Subgraph:
        """See :class:`GraphSnapshot`."""
        total, degrees = self._reader(where)
        given = self._given(where)
        starts = _usable(entities) or _NONE, _usable(chunks) or _NONE
        return around(self._server, degrees, *starts, given, limit, total)

    def whole(self, where: Filter) -> Subgraph:
        """See :class:`GraphSnapshot`."""
        return everything(self._server, self._given(where))

    def communities(
        self,
        where: Filter,
        ids: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        level: int | None = None,
        limit: int = 1000,
    ) -> list[Community]:
        """See :class:`GraphSnapshot`."""
        named = None if ids is None else _usable(ids)
        members = None if entities is None else _usable(entities)
        if named == [] or members == []:
            return []
        statement = cypher.COMMUNITIES if named is None else cypher.COMMUNITIES_BY_ID
        if members is not None:
            statement = cypher.COMMUNITIES_OF
        given: dict[str, Any] = {"ids": named or _NONE, "any_id": named is None}
        given |= {"entities": members or _NONE}
        given |= {"level": -1 if level is None else level, "limit": limit}
        return [community_of(community(row)) for row in self._rows(statement, where, **given)]

    def stored(self, kind: GraphKind) -> Iterator[StoredRow]:
        """See :class:`GraphSnapshot`."""
        return soundness.stored(self._server, self.generation, kind)

    def slips(self) -> Iterator[Slip]:
        """See :class:`GraphSnapshot`. Constraints hold what the embedded store counts."""
        return iter(())

    def close(self) -> None:
        """Nothing to let go of: the connection is the store's."""

    def _given(self, where: Filter) -> dict[str, Any]:
        return {
            "g": self.generation,
            "open": where.classes is None and where.documents is None and not where.not_documents,
            "any_class": where.classes is None,
            "classes": list(where.classes or _NONE),
            "any_document": where.documents is None,
            "documents": list(where.documents or _NONE),
            "barred": list(where.not_documents or _NONE),
        }

    def _rows(self, statement: str, where: Filter, **parameters: Any) -> list[list[Any]]:
        return self._server.rows(statement, **self._given(where), **parameters)

    def _reader(self, where: Filter) -> tuple[int, Degrees]:
        """How many chunks this reader has, and the degrees of entities: found out once, since a generation
        does not change."""
        conditions = (where.classes, where.documents, where.not_documents)
        key = tuple(None if each is None else frozenset(each) for each in conditions)
        known = self._known.get(key)  # one look: another thread may drop it after any
        if known is None:
            if len(self._known) >= _REMEMBERED:
                for oldest in list(self._known)[:1]:
                    self._known.pop(oldest, None)
            known = self._known[key] = (self._rows(cypher.COUNT_CHUNKS, where)[0][0], Degrees())
        return known


def _usable(ids: Sequence[str]) -> list[str]:
    """Ids, each once, but for what is too long to be one (and to be looked up)."""
    return [each for each in dict.fromkeys(ids) if len(each) <= 256]


def _entity(
    key: str, mentions: int, description: str | None, names: list[list[Any]], types: list[list[Any]]
) -> Entity:
    return entity_of(key, mentions, _counted(names), _counted(types), description or "")


def _counted(pairs: list[list[Any]]) -> dict[str, int]:
    return {said: times for said, times in pairs}  # noqa: C416 - pairs are lists, which dict() takes alike


def _mention(entity: str, chunk: str, document: str, names: list[str], role: Any, count: int) -> Mention:
    return Mention(entity, chunk, document, tuple(names), role, count)


def _relation(
    key: str, source: str, target: str, kind: str, description: str, evidence: list[list[str]]
) -> Relation:
    pieces = tuple(Evidence(*each) for each in evidence)
    return Relation(key, source, target, kind, float(len(pieces)), pieces, description)
