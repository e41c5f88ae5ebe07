"""The rows of a graph store: chunks, entities, mentions, relations and communities.

A row is what one generation after the other says under one ``key``; a row that changes is ended and written
anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..digests import digest
from ..graph.extraction import Role
from ..types import Evidence

GraphKind = Literal["chunk", "entity", "mention", "relation", "community"]
KINDS: tuple[GraphKind, ...] = ("chunk", "entity", "mention", "relation", "community")
"""In the order in which they are written: each stands on those before it."""


@dataclass(frozen=True)
class ChunkPlace:
    """A chunk in the graph, and the document and pages that it is on. ``ordinal`` is its place there."""

    chunk: str
    document: str
    source: str
    title: str
    ordinal: int
    pages: tuple[int, int] | None
    access: str

    @property
    def key(self) -> str:
        """What it is stored under."""
        return self.chunk

    @cached_property
    def digest(self) -> str:
        """Of everything stored with it."""
        place = [self.document, self.source, self.title, self.ordinal, self.pages, self.access]
        return digest(["chunk", self.chunk, place])


@dataclass(frozen=True)
class EntityRow:
    """An entity. Its id follows from its canonical name, so it never changes; ``name`` and ``type`` are the
    most frequent over all mentions, for people who look into the store: readers get theirs from mentions."""

    id: str
    name: str
    type: str

    @property
    def key(self) -> str:
        """What it is stored under."""
        return self.id

    @cached_property
    def digest(self) -> str:
        """Of everything stored with it."""
        return digest(["entity", self.id, self.name, self.type])


@dataclass(frozen=True)
class MentionRow:
    """That a chunk names an entity: ``names`` are the forms that stand there, most frequent first, and
    ``forms`` those normalised, by which they are looked up."""

    entity: str
    chunk: str
    document: str
    access: str
    names: tuple[str, ...]
    forms: tuple[str, ...]
    role: Role
    count: int
    type: str = ""
    description: str = ""

    @property
    def key(self) -> str:
        """What it is stored under."""
        return f"{self.entity} {self.chunk}"

    @cached_property
    def digest(self) -> str:
        """Of everything stored with it."""
        said = [self.names, self.forms, self.role, self.count, self.type, self.description]
        return digest(["mention", self.key, self.document, self.access, said])


@dataclass(frozen=True)
class RelationRow:
    """A directed relation between two entities, with all of its evidence, by chunk and place in it."""

    id: str
    source: str
    target: str
    type: str
    evidence: tuple[Evidence, ...]
    description: str = ""

    @property
    def key(self) -> str:
        """What it is stored under."""
        return self.id

    @cached_property
    def digest(self) -> str:
        """Of everything stored with it."""
        held = [[e.chunk, e.document, e.sentence, e.condition, e.access] for e in self.evidence]
        ends = [self.source, self.target, self.type, self.description]
        return digest(["relation", self.id, ends, held])


@dataclass(frozen=True)
class CommunityRow:
    """A community. ``classes`` and ``documents`` are all that its members and its report rest on."""

    id: str
    level: int
    parent: str | None
    members: tuple[str, ...]
    title: str
    report: str
    chunks: tuple[str, ...]
    documents: tuple[str, ...]
    classes: tuple[str, ...]
    by: str = ""
    made: str = ""

    @property
    def key(self) -> str:
        """What it is stored under."""
        return self.id

    @cached_property
    def digest(self) -> str:
        """Of everything stored with it."""
        held = [self.level, self.parent, self.members, self.title, self.report, self.chunks]
        return digest(["community", self.id, held, self.documents, self.classes, self.by, self.made])


GraphRow = ChunkPlace | EntityRow | MentionRow | RelationRow | CommunityRow


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as it lies in a store, and the digest that was kept with it."""

    row: GraphRow
    digest: str
