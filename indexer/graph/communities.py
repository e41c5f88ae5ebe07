"""Communities of entities: hierarchical Leiden (Traag, Waltman, van Eck 2019, arXiv 1810.08473).

The communities at the top are those of highest modularity; one that is too large falls into smaller ones by
the modularity of its own edges, until the finest are small enough to read. Entities that are joined to at
most one other stand together with those of the same stretch of their document. Local entities (figures,
sections) are in none: that two things stand in section 4.2 says less than the chunks that do already.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..digests import digest
from ..stores.graph_rows import ChunkPlace
from .assembly import Assembled
from .communities_division import Division, Part
from .communities_edges import EntityGraph, Numbers, entity_graph
from .communities_mending import Before

LOST = 0.03
"""How much modularity mended communities may lack."""
_STRETCH = 32
"""Chunks of a document whose lonely entities stand together."""


@dataclass(frozen=True, slots=True)
class CommunitySettings:
    """``members``: how many entities a community of level 0 has at most."""

    members: int = 40


_DEFAULT = CommunitySettings()


class Known(Protocol):
    """A community of the generation before: a Community or a CommunityRow."""

    @property
    def id(self) -> str: ...
    @property
    def level(self) -> int: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def members(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Group:
    """A community without its report. ``members`` are entity ids, sorted. Level 0 is the finest: those
    together hold every entity once. ``level`` is one more than that of its highest part; ``parent`` is the
    community that holds it, None at the top."""

    id: str
    level: int
    parent: str | None
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Detected:
    """Communities, by level, then id. ``modularity`` is that of the top ones; ``kept`` is how many are as
    they were."""

    groups: list[Group]
    modularity: float
    kept: int = 0


def detect(
    assembled: Assembled,
    places: Sequence[ChunkPlace],
    index_id: str,
    settings: CommunitySettings = _DEFAULT,
    before: Sequence[Known] = (),
    changed: Set[str] = frozenset(),
) -> Detected:
    """The communities of all entities but local ones, the same on any order of input. Ids are UUIDv5 of
    the index, the level and the members.

    With ``before`` (all communities of the generation before, detected with the same settings) and
    ``changed`` (ids of entities with a mention or relation that was put or ended since; new and removed ones
    are found here) only the communities that hold one of those or a neighbour of one are detected again, and
    of large ones that hardly changed only the members that did move. What is mended is kept as long as its
    modularity, at the top and at level 0, is at most ``LOST`` below that of a fresh detection.
    """
    most = settings.members
    graph = entity_graph(assembled, places)
    parts = _parts(graph, most, None)
    if before:
        mended = _parts(graph, most, _before(graph, before, changed))
        if all(
            graph.modularity(_numbered(graph, of(mended)))
            >= graph.modularity(_numbered(graph, of(parts))) - LOST
            for of in (list, _finest)
        ):
            parts = mended
    index = uuid.UUID(index_id)
    groups = [group for part in parts for group in _groups(part, None, graph.entities, index)]
    groups.sort(key=lambda group: (group.level, group.id))
    known = {known.id for known in before}
    kept = sum(1 for group in groups if group.id in known)
    return Detected(groups, graph.modularity(_numbered(graph, parts)), kept)


def _parts(graph: EntityGraph, most: int, before: Before | None) -> list[Part]:
    parts = Division(graph, most, before).top()
    return parts + _lonely(graph, {member for part in parts for member in part.members}, most)


def _finest(parts: Sequence[Part]) -> list[Part]:
    return [low for part in parts for low in (_finest(part.parts) if part.parts else [part])]


def _numbered(graph: EntityGraph, parts: Sequence[Part]) -> Numbers:
    """The number of its part for every entity."""
    part_of = np.zeros(len(graph.entities), dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[list(part.members)] = number
    return part_of


def _groups(part: Part, parent: str | None, entities: Sequence[str], index: uuid.UUID) -> Iterator[Group]:
    members = tuple(sorted(entities[member] for member in part.members))
    level = _height(part)
    key = str(uuid.uuid5(index, f"community\n{level}\n{digest(members)}"))
    yield Group(key, level, parent, members)
    for below in part.parts:
        yield from _groups(below, key, entities, index)


def _height(part: Part) -> int:
    return 1 + max(map(_height, part.parts)) if part.parts else 0


def _lonely(graph: EntityGraph, held: Set[int], most: int) -> list[Part]:
    """Communities of the entities that are in none: by the stretch of the document that first names them."""
    stretches: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for member, (document, ordinal) in enumerate(graph.first):
        if member not in held:
            stretches[document, ordinal // _STRETCH].append(member)
    return [
        Part(tuple(members[at : at + most]))
        for members in stretches.values()
        for at in range(0, len(members), most)
    ]


def _before(graph: EntityGraph, before: Sequence[Known], changed: Set[str]) -> Before:
    number = {entity: member for member, entity in enumerate(graph.entities)}
    parents: Mapping[str, str | None] = {known.id: known.parent for known in before}
    paths: dict[int, list[str]] = {}
    for known in before:
        if known.level == 0:
            path = [known.id]
            while (above := parents[path[-1]]) is not None:
                path.append(above)
            for entity in known.members:
                if entity in number:
                    paths[number[entity]] = path[::-1]
    new = {member for member in number.values() if member not in paths}
    size = {known.id: len(known.members) for known in before}
    return Before(paths, size, new | {number[entity] for entity in changed if entity in number})
