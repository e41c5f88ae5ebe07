"""Rows of a small graph by readable names, and how a build writes them into a store."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treegraph.indexer.stores.graph_ports import GraphStore
from treegraph.indexer.stores.graph_rows import (
    KINDS,
    ChunkPlace,
    CommunityRow,
    EntityRow,
    GraphKind,
    GraphRow,
    MentionRow,
    RelationRow,
)
from treegraph.indexer.types import Evidence

_SPACE = uuid.UUID("5f3d1f52-4a35-4a8e-b6f0-0c7a5c1d9a10")


def uid(name: str) -> str:
    """The id of whatever is called so."""
    return str(uuid.uuid5(_SPACE, repr(name)))


def uids(*names: str) -> list[str]:
    """Several of :func:`uid`."""
    return [uid(name) for name in names]


@dataclass
class Graph:
    """What a generation is to hold. Chunks, documents and entities are called by readable names; what is
    called so has :func:`uid` of it as its id."""

    rows: dict[GraphKind, dict[str, GraphRow]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def chunk(self, name: str, document: str = "d1", access: str = "public", ordinal: int = 0) -> Graph:
        """A chunk of ``document`` that readers of class ``access`` may read."""
        place = ChunkPlace(
            uid(name), uid(document), f"manuals/{document}.pdf", document, ordinal, (1, 2), access
        )
        return self._add("chunk", place)

    def says(self, chunk: str, entity: str, *names: str, **held: Any) -> Graph:
        """``chunk`` names ``entity``, by ``names`` or as it is called. ``held`` are fields of the mention."""
        place = self.place(chunk)
        names = names or (entity,)
        forms = tuple(dict.fromkeys(name.casefold() for name in names))
        given: dict[str, Any] = {"forms": forms, "role": "mention", "count": len(names), **held}
        row = MentionRow(uid(entity), place.chunk, place.document, place.access, names, **given)
        if uid(entity) not in self.rows["entity"]:
            self._add("entity", EntityRow(uid(entity), entity, ""))
        return self._add("mention", row)

    def relates(
        self, source: str, verb: str, target: str, *evidence: tuple[str, str] | str, description: str = ""
    ) -> Graph:
        """A relation with its evidence: chunks, each alone or with the condition that it states."""
        pieces = tuple(self._piece(f"{source} {verb} {target}", each) for each in evidence)
        name = f"{source} {verb} {target}"
        return self._add(
            "relation", RelationRow(uid(name), uid(source), uid(target), verb, pieces, description)
        )

    def community(
        self, name: str, members: Iterable[str], chunks: Iterable[str], level: int = 0, parent: str = ""
    ) -> Graph:
        """A community of these entities whose report rests on these chunks."""
        places = [self.place(chunk) for chunk in chunks]
        row = CommunityRow(
            id=uid(name),
            level=level,
            parent=uid(parent) if parent else None,
            members=tuple(sorted(uid(member) for member in members)),
            title=name,
            report=f"Report of {name}.",
            chunks=tuple(place.chunk for place in places),
            documents=tuple(sorted({place.document for place in places})),
            classes=tuple(sorted({place.access for place in places})),
            by="extractive",
            made="m",
        )
        return self._add("community", row)

    def without(self, *chunks: str) -> Graph:
        """This graph once these chunks are gone, with all that rested on them alone."""
        gone = {uid(chunk) for chunk in chunks}
        held: list[Any] = [row for kind in KINDS for row in self.rows[kind].values()]
        left = Graph()
        for row in held:
            if isinstance(row, ChunkPlace | MentionRow) and row.chunk not in gone:
                left._add("chunk" if isinstance(row, ChunkPlace) else "mention", row)
            if isinstance(row, RelationRow):
                kept = tuple(piece for piece in row.evidence if piece.chunk not in gone)
                if kept:
                    left._add("relation", _with_evidence(row, kept))
            if isinstance(row, CommunityRow) and not gone & set(row.chunks):
                left._add("community", row)
        named = {row.entity for row in left.mentions()}
        for row in held:
            if isinstance(row, EntityRow) and row.id in named:
                left._add("entity", row)
        return left

    def copy(self) -> Graph:
        """The same, to be changed by itself."""
        return Graph({kind: dict(rows) for kind, rows in self.rows.items()})

    def counts(self) -> dict[GraphKind, int]:
        """How many rows of each kind."""
        return {kind: len(rows) for kind, rows in self.rows.items()}

    def place(self, chunk: str) -> ChunkPlace:
        """Where the chunk that is called so stands."""
        found = self.rows["chunk"][uid(chunk)]
        assert isinstance(found, ChunkPlace)
        return found

    def places(self) -> list[ChunkPlace]:
        """All chunks."""
        return [row for row in self.rows["chunk"].values() if isinstance(row, ChunkPlace)]

    def mentions(self) -> list[MentionRow]:
        """All mentions."""
        return [row for row in self.rows["mention"].values() if isinstance(row, MentionRow)]

    def relations(self) -> list[RelationRow]:
        """All relations."""
        return [row for row in self.rows["relation"].values() if isinstance(row, RelationRow)]

    def communities(self) -> list[CommunityRow]:
        """All communities."""
        return [row for row in self.rows["community"].values() if isinstance(row, CommunityRow)]

    def digests(self, kind: GraphKind) -> Mapping[str, str]:
        """What a writer's ``live(kind)`` says when it holds this."""
        return {key: row.digest for key, row in self.rows[kind].items()}

    def _piece(self, stated: str, evidence: tuple[str, str] | str) -> Evidence:
        chunk, condition = (evidence, "") if isinstance(evidence, str) else evidence
        place = self.place(chunk)
        sentence = f"{stated} ({chunk}) {condition}".strip()
        return Evidence(place.chunk, place.document, sentence, condition, place.access)

    def _add(self, kind: GraphKind, row: GraphRow) -> Graph:
        self.rows[kind][row.key] = row
        return self


def _with_evidence(row: RelationRow, evidence: tuple[Evidence, ...]) -> RelationRow:
    return RelationRow(row.id, row.source, row.target, row.type, evidence, row.description)


def write(store: GraphStore, generation: int, base: int | None, graph: Graph, batch: int = 1000) -> None:
    """Have ``generation`` hold exactly ``graph``, without the seal: what differs is put, the rest ended."""
    writer = store.write(generation, base)
    try:
        for kind in KINDS:
            live = writer.live(kind)
            rows = [row for key, row in graph.rows[kind].items() if live.get(key) != row.digest]
            for at in range(0, len(rows), batch):
                writer.put(kind, rows[at : at + batch])
        for kind in reversed(KINDS):
            writer.end(kind, [key for key in writer.live(kind) if key not in graph.rows[kind]])
    finally:
        writer.close()


def publish(store: GraphStore, generation: int, base: int | None, graph: Graph) -> None:
    """:func:`write`, and the seal."""
    write(store, generation, base, graph)
    writer = store.write(generation, base)
    try:
        writer.seal(graph.counts())
    finally:
        writer.close()


def manual() -> Graph:
    """What the tests look at most: two manuals, one of them with secret parts."""
    graph = Graph()
    graph.chunk("c1").chunk("c2", ordinal=1).chunk("c3", "d2").chunk("s1", "d2", "secret", 1)
    graph.chunk("s2", "d3", "secret").chunk("silent", "d3")
    graph.says("c1", "ADDPS", role="subject", type="instruction")
    graph.says("c1", "SSE", "SSE", "Streaming SIMD Extensions", count=3, description="SIMD on floats.")
    graph.says("c2", "SSE", type="feature").says("c2", "CR4.OSFXSR", type="bit")
    graph.says("c3", "SSE").says("c3", "CR0.EM", type="bit", count=2)
    graph.says("s1", "SSE", "Katmai", "SSE", type="project", count=9, description="Code name Katmai.")
    graph.says("s1", "ADDPS").says("s1", "CR4.OSFXSR").says("s2", "Katmai-2", role="subject", count=7)
    graph.relates("ADDPS", "requires", "SSE", "c1", "s1", description="Both manuals say so.")
    graph.relates("SSE", "requires", "CR4.OSFXSR", ("c2", "only if CR4.OSFXSR = 1"))
    graph.relates("CR4.OSFXSR", "enables", "SSE", "s1", description="Known to few.")
    graph.relates("CR0.EM", "disables", "SSE", "c3")
    graph.community("Vectors", ["ADDPS", "SSE", "CR4.OSFXSR"], ["c1", "c2"], parent="All")
    graph.community("Emulation", ["CR0.EM"], ["c3"], parent="All")
    graph.community("Hidden", ["Katmai-2"], ["s2"], parent="All")
    return graph.community(
        "All", ["ADDPS", "SSE", "CR4.OSFXSR", "CR0.EM", "Katmai-2"], ["c1", "c2", "c3", "s2"], level=1
    )


def relation_ids(*statements: Sequence[str]) -> list[str]:
    """Ids of relations, each given as source, verb, target."""
    return [uid(" ".join(each)) for each in statements]
