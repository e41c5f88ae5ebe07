"""What a reader is answered, made of what a store found: the same whatever store it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..types import Community, Entity
from .graph_ports import Subgraph
from .graph_rows import CommunityRow


def entity_of(
    entity: str, mentions: int, names: Mapping[str, int], types: Mapping[str, int], description: str
) -> Entity:
    """An entity by what its readable mentions call it: ``names`` and ``types`` with how many of them do."""
    name = _commonest(names)
    aliases = tuple(sorted(names.keys() - {name}))
    return Entity(entity, name, _commonest(types), aliases, description, mentions)


def community_of(row: CommunityRow) -> Community:
    """A community as readers get it."""
    return Community(
        id=row.id,
        level=row.level,
        parent=row.parent,
        members=row.members,
        title=row.title,
        report=row.report,
        chunks=row.chunks,
        documents=row.documents,
    )


def subgraph_of(
    counts: Mapping[str, int],
    chunks: Iterable[str],
    mentions: Sequence[Sequence[Any]],
    relations: Sequence[Sequence[Any]],
    total: int,
    whole: bool,
) -> Subgraph:
    """The arrays of these entities, each with its ``chunk_count``, and chunks. A mention is chunk, entity,
    count, whether it is what the chunk is about; a relation is source, target, weight. They are sorted by
    their ends, and relations of the same ends by weight, the heaviest first."""
    entities, places = sorted(counts), sorted(chunks)
    entity_at = {entity: at for at, entity in enumerate(entities)}
    chunk_at = {chunk: at for at, chunk in enumerate(places)}
    mention_chunk = np.array([chunk_at[row[0]] for row in mentions], dtype=np.int32)
    mention_entity = np.array([entity_at[row[1]] for row in mentions], dtype=np.int32)
    named = np.lexsort((mention_entity, mention_chunk))
    source = np.array([entity_at[row[0]] for row in relations], dtype=np.int32)
    target = np.array([entity_at[row[1]] for row in relations], dtype=np.int32)
    weight = np.array([row[2] for row in relations], dtype=np.float64)
    joined = np.lexsort((-weight, target, source))
    return Subgraph(
        entities=tuple(entities),
        chunks=tuple(places),
        mention_chunk=mention_chunk[named],
        mention_entity=mention_entity[named],
        mention_count=np.array([row[2] for row in mentions], dtype=np.int32)[named],
        mention_subject=np.array([row[3] for row in mentions], dtype=np.bool_)[named],
        relation_source=source[joined],
        relation_target=target[joined],
        relation_weight=weight[joined],
        chunk_count=np.array([counts[entity] for entity in entities], dtype=np.int32),
        total=total,
        whole=whole,
    )


def _commonest(counted: Mapping[str, int]) -> str:
    """The most frequent, of those the shortest, of those the first in the alphabet; empty where there is
    none."""
    return min(counted, key=lambda each: (-counted[each], len(each), each), default="")
