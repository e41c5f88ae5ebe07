"""What a graph store is to answer, worked out from the rows in the plainest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from graph_rows import Graph
from treegraph.indexer.stores.graph_ports import Direction, Mention, Subgraph
from treegraph.indexer.stores.graph_rows import GraphKind, MentionRow, RelationRow
from treegraph.indexer.stores.ports import Filter
from treegraph.indexer.types import Community, Entity, Relation


@dataclass(frozen=True)
class Arrays:
    """A subgraph as values that can be compared, by id."""

    entities: dict[str, int]
    """Each with how many readable chunks name it."""
    chunks: list[str]
    mentions: list[tuple[str, str, int, bool]]
    relations: list[tuple[str, str, float]]
    total: int
    whole: bool


def arrays(found: Subgraph) -> Arrays:
    """What the store returned, once its shapes and types have been looked at."""
    assert found.entities == tuple(sorted(set(found.entities)))
    assert found.chunks == tuple(sorted(set(found.chunks)))
    for name in ("mention_chunk", "mention_entity", "mention_count", "relation_source", "chunk_count"):
        assert getattr(found, name).dtype == np.int32, name
    assert found.relation_target.dtype == np.int32
    assert found.mention_subject.dtype == np.bool_
    assert found.relation_weight.dtype == np.float64
    mentions = zip(
        [found.chunks[at] for at in found.mention_chunk],
        [found.entities[at] for at in found.mention_entity],
        found.mention_count.tolist(),
        found.mention_subject.tolist(),
        strict=True,
    )
    relations = zip(
        [found.entities[at] for at in found.relation_source],
        [found.entities[at] for at in found.relation_target],
        found.relation_weight.tolist(),
        strict=True,
    )
    counts = dict(zip(found.entities, found.chunk_count.tolist(), strict=True))
    return Arrays(counts, list(found.chunks), list(mentions), list(relations), found.total, found.whole)


class Reading:
    """A graph as one reader may see it."""

    def __init__(self, graph: Graph, where: Filter) -> None:
        self._where = where
        self.places = [p for p in graph.places() if self._open(p.document, p.access)]
        self.rows = [m for m in graph.mentions() if self._open(m.document, m.access)]
        self.related = [r for each in graph.relations() if (r := self._relation(each)) is not None]
        self.grouped = [
            Community(c.id, c.level, c.parent, c.members, c.title, c.report, c.chunks, c.documents)
            for c in graph.communities()
            if all(self._document(d) for d in c.documents) and all(self._class(a) for a in c.classes)
        ]
        self.named_by: dict[str, list[MentionRow]] = {}
        for row in self.rows:
            self.named_by.setdefault(row.entity, []).append(row)

    def counts(self) -> dict[GraphKind, int]:
        return {
            "chunk": len(self.places),
            "entity": len(self.named_by),
            "mention": len(self.rows),
            "relation": len(self.related),
            "community": len(self.grouped),
        }

    def entities(self, ids: Iterable[str]) -> list[Entity]:
        return [self._entity(i, self.named_by[i]) for i in ids if i in self.named_by]

    def named(self, forms: Sequence[str]) -> dict[str, list[str]]:
        found = {form: {m.entity for m in self.rows if form in m.forms} for form in forms}
        by_mentions = {
            form: sorted(ids, key=lambda i: (-len(self.named_by[i]), i)) for form, ids in found.items()
        }
        return {form: ids for form, ids in by_mentions.items() if ids}

    def forms(self) -> set[str]:
        return {form for row in self.rows for form in row.forms}

    def mentions(self, chunks: Iterable[str]) -> list[Mention]:
        asked = set(chunks)
        held = sorted((m for m in self.rows if m.chunk in asked), key=lambda m: (m.chunk, m.entity))
        return [_mention(m) for m in held]

    def mentioning(self, entities: Iterable[str], limit: int) -> list[Mention]:
        return [_mention(m) for i in dict.fromkeys(entities) for m in self._best(i)[:limit]]

    def relations(self, entities: Iterable[str], direction: Direction, limit: int) -> list[Relation]:
        asked = set(entities)
        found = [
            r
            for r in self.related
            if (direction != "in" and r.source in asked) or (direction != "out" and r.target in asked)
        ]
        return _heaviest(found)[:limit]

    def between(self, sources: Iterable[str], targets: Iterable[str]) -> list[Relation]:
        ends = set(sources), set(targets)
        return _heaviest(r for r in self.related if r.source in ends[0] and r.target in ends[1])

    def communities(
        self, ids: Sequence[str] | None, entities: Sequence[str] | None, level: int | None, limit: int
    ) -> list[Community]:
        found = [
            c
            for c in self.grouped
            if (ids is None or c.id in ids)
            and (entities is None or set(entities) & set(c.members))
            and (level is None or c.level == level)
        ]
        return sorted(found, key=lambda c: (c.level, -len(c.members), c.id))[:limit]

    def subgraph(self, entities: Iterable[str], chunks: Iterable[str], limit: int) -> Arrays:
        """Chunks: those asked and those of the asked entities' mentions. Entities: those asked, those at
        the other ends of their relations, and those that the chunks name. Of an entity's mentions, of its
        relations as source and of those as target, ``limit`` are looked at, the best."""
        asked = {i for i in entities if i in self.named_by}
        given = set(chunks)
        held = {p.chunk for p in self.places if p.chunk in given}
        held |= {m.chunk for i in asked for m in self._best(i)[:limit]}
        seen = asked | {m.entity for m in self.rows if m.chunk in held}
        for entity in asked:
            for relation in self._at(entity, limit):
                seen |= {relation.source, relation.target}
        related = {r.id: r for i in seen for r in self._at(i, limit)}
        inside = [r for r in related.values() if r.source in seen and r.target in seen]
        cut = any(len(self._best(i)) > limit for i in asked)
        cut |= any(len(side) > limit for i in seen for side in self._sides(i))
        return self._arrays(seen, held, inside, not cut and len(held) == len(self.places))

    def whole(self) -> Arrays:
        return self._arrays(set(self.named_by), {p.chunk for p in self.places}, self.related, True)

    def _arrays(
        self, entities: set[str], chunks: set[str], relations: Iterable[Relation], whole: bool
    ) -> Arrays:
        held = sorted((m for m in self.rows if m.chunk in chunks), key=lambda m: (m.chunk, m.entity))
        return Arrays(
            entities={i: len(self.named_by[i]) for i in sorted(entities)},
            chunks=sorted(chunks),
            mentions=[(m.chunk, m.entity, m.count, m.role == "subject") for m in held],
            relations=sorted(
                ((r.source, r.target, r.weight) for r in relations), key=lambda r: (r[0], r[1], -r[2])
            ),
            total=len(self.places),
            whole=whole,
        )

    def _sides(self, entity: str) -> tuple[list[Relation], list[Relation]]:
        out = _heaviest(r for r in self.related if r.source == entity)
        return out, _heaviest(r for r in self.related if r.target == entity)

    def _at(self, entity: str, limit: int) -> list[Relation]:
        return [r for side in self._sides(entity) for r in side[:limit]]

    def _best(self, entity: str) -> list[MentionRow]:
        rows = self.named_by.get(entity, [])
        return sorted(rows, key=lambda m: (m.role != "subject", -m.count, m.chunk))

    def _entity(self, entity: str, rows: Sequence[MentionRow]) -> Entity:
        names = Counter(name for row in rows for name in set(row.names))
        types = Counter(row.type for row in rows if row.type)
        descriptions = [row.description for row in self._best(entity) if row.description]
        name = _commonest(names)
        return Entity(
            id=entity,
            name=name,
            type=_commonest(types),
            aliases=tuple(sorted(set(names) - {name})),
            description=descriptions[0] if descriptions else "",
            mentions=len(rows),
        )

    def _relation(self, row: RelationRow) -> Relation | None:
        seen = tuple(e for e in row.evidence if self._open(e.document, e.access))
        said = row.description if len(seen) == len(row.evidence) else ""
        found = Relation(row.id, row.source, row.target, row.type, float(len(seen)), seen, said)
        return found if seen else None

    def _open(self, document: str, access: str) -> bool:
        return self._document(document) and self._class(access)

    def _document(self, document: str) -> bool:
        allowed, barred = self._where.documents, self._where.not_documents
        return (allowed is None or document in allowed) and not (barred and document in barred)

    def _class(self, access: str) -> bool:
        return self._where.classes is None or access in self._where.classes


def _commonest(counted: Counter[str]) -> str:
    """The most frequent, of those the shortest, of those the first; empty where there is none."""
    return min(counted, key=lambda each: (-counted[each], len(each), each), default="")


def _heaviest(relations: Iterable[Relation]) -> list[Relation]:
    return sorted(relations, key=lambda r: (-r.weight, r.id))


def _mention(row: MentionRow) -> Mention:
    return Mention(row.entity, row.chunk, row.document, row.names, row.role, row.count)
