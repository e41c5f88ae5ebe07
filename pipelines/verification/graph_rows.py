"""The graph held against its chunks: rows against their digests, links, evidence, coverage."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from ...indexer.errors import StoreError, StoreUnreachable
from ...indexer.graph.assembly import relation_id
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.graph_ports import GraphSnapshot, Slip
from ...indexer.stores.graph_rows import (
    KINDS,
    ChunkPlace,
    CommunityRow,
    EntityRow,
    GraphKind,
    MentionRow,
    RelationRow,
)
from ...indexer.stores.ledger_rows import DocumentRow
from ...indexer.stores.ports import Filter, VectorSnapshot
from ...indexer.stretches import stretches
from ...indexer.types import Evidence
from ..events import Event, Listener
from .damage import Damage
from .holdings import Holdings
from .ledger_rows import build_of

_FETCH = 256
_NO_PARENT, _NOT_PART = "has a parent that is not there", "is not part of its parent"
HIERARCHY = frozenset({_NO_PARENT, _NOT_PART})
"""Faults with which communities cannot be gone on with."""


@dataclass(slots=True)
class _Seen:
    """What the graph of a generation was seen to hold."""

    chunks: dict[str, ChunkPlace] = field(default_factory=dict)
    entities: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    grounds: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)
    communities: dict[str, CommunityRow] = field(default_factory=dict)
    evidence: dict[str, list[tuple[str, Evidence]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


class GraphCheck:
    """Looks at the graph of one generation. ``vectors`` gives the texts that evidence is held against."""

    def __init__(
        self,
        folder: IndexFolder,
        held: Holdings,
        damage: Damage,
        vectors: VectorSnapshot | None,
        listen: Listener,
    ) -> None:
        self._folder = folder
        self._held = held
        self._damage = damage
        self._vectors = vectors
        self._listen = listen
        self._index_id = uuid.UUID(folder.manifest().index_id)
        self._ids = {marked.row.id for marked in held.chunks.values()}
        self._seen = _Seen()

    def run(self) -> dict[str, int]:
        """Look at every row; returns how many of each kind. Raises StoreUnreachable."""
        if "graph" not in self._held.entry.structures:
            return {}
        try:
            with (
                closing(self._folder.graph()) as store,
                closing(store.read(self._held.generation)) as snapshot,
            ):
                for kind in KINDS:
                    self._kind(snapshot, kind)
                for slip in snapshot.slips():
                    self._slip(slip)
        except StoreUnreachable:
            raise
        except (StoreError, ValueError) as error:
            self._damage.add("graph unreadable", "graph", str(self._held.generation), str(error), "graph")
            self._damage.graph_lost = True
            return {}
        self._links()
        self._evidence()
        self._coverage()
        self._counts()
        return self._seen.counts

    def _kind(self, snapshot: GraphSnapshot, kind: GraphKind) -> None:
        done = 0
        for stored in snapshot.stored(kind):
            if stored.row.digest != stored.digest:
                self._bad(kind, stored.row.key, "is not what was written", "row altered")
            getattr(self, f"_{kind}")(stored.row)
            done += 1
            if done % _FETCH == 0:
                self._listen(Event("verify graph", done, None, f"{kind} rows"))
        self._seen.counts[kind] = done

    def _slip(self, slip: Slip) -> None:
        key = f"{slip.kind or 'file'} {slip.key}"
        if slip.kind is None:
            self._damage.graph_lost = True
        self._damage.add("graph bookkeeping", "graph", key, f"{slip.kind or 'file'}: {slip.what}", "graph")
        self._damage.graph.append(slip)

    def _bad(self, kind: str, key: str, what: str, called: str = "link", chunk: str = "") -> None:
        place = self._held.places.get(chunk)
        source = self._held.source(place.document) if place else ""
        name = f"{kind} {key}"
        self._damage.add(
            called, "graph", name, f"{kind} {what}", "graph", source, place.pages if place else None
        )
        self._damage.graph.append(Slip(kind, key, what))

    def _chunk(self, row: ChunkPlace) -> None:
        self._seen.chunks[row.chunk] = row
        place = self._held.places.get(row.chunk)
        if place is None:
            if row.chunk not in self._ids:  # else its row is reported as lost or altered
                self._bad("chunk", row.key, "is of a chunk that the generation does not hold")
            return
        document = self._held.documents.get(place.document)
        told = (row.document, row.access, row.ordinal, row.pages)
        if told != (place.document, place.access, place.ordinal, place.pages):
            what = "is not where its chunk is, or open to others"
            self._bad("chunk", row.key, what, "access" if row.access != place.access else "link", row.chunk)
        elif document is not None and (row.source, row.title) != _named(document):
            what = "has another source or title than its document"
            if self._held.whole("graph"):
                self._bad("chunk", row.key, what, chunk=row.chunk)

    def _entity(self, row: EntityRow) -> None:
        self._seen.entities.add(row.id)

    def _mention(self, row: MentionRow) -> None:
        self._seen.named.add(row.entity)
        documents, classes = self._seen.grounds.setdefault(row.entity, (set(), set()))
        documents.add(row.document)
        classes.add(row.access)
        place = self._seen.chunks.get(row.chunk)
        if row.entity not in self._seen.entities:
            self._bad("mention", row.key, "is of an entity that is not there", chunk=row.chunk)
        elif place is None:
            self._bad("mention", row.key, "is in a chunk that the graph does not hold")
        elif (row.document, row.access) != (place.document, place.access):
            called = "access" if row.access != place.access else "link"
            self._bad("mention", row.key, "is of another document or class than its chunk", called, row.chunk)

    def _relation(self, row: RelationRow) -> None:
        for end in (row.source, row.target):
            if end not in self._seen.entities:
                self._bad("relation", row.key, f"has an end {end} that is not there")
        if relation_id(self._index_id, row.source, row.type, row.target) != row.id:
            self._bad("relation", row.key, "joins other entities than its id says")
        if not row.evidence:
            self._bad("relation", row.key, "has no evidence")
        for piece in row.evidence:
            place = self._seen.chunks.get(piece.chunk)
            if place is None:
                self._bad("relation", row.key, "rests on a chunk that the graph does not hold")
            elif (piece.document, piece.access) != (place.document, place.access):
                what = "rests on evidence of another document or class than its chunk"
                self._bad("relation", row.key, what, "access", piece.chunk)
            self._seen.evidence.setdefault(piece.chunk, []).append((row.key, piece))

    def _community(self, row: CommunityRow) -> None:
        self._seen.communities[row.id] = row

    def _links(self) -> None:
        """Entities to their mentions, communities to their members, parents and chunks."""
        for entity in sorted(self._seen.entities - self._seen.named):
            self._bad("entity", entity, "is mentioned nowhere")
        for row in self._seen.communities.values():
            for what in self._community_faults(row):
                self._bad("community", row.id, what, "access" if "rests on" in what else "link")

    def _community_faults(self, row: CommunityRow) -> Iterator[str]:
        if not row.members or not set(row.members) <= self._seen.entities:
            yield "has members that are not there"
        parent = self._seen.communities.get(row.parent or "")
        if row.parent is not None and parent is None:
            yield _NO_PARENT
        elif parent is not None and (
            parent.level <= row.level or not set(row.members) <= set(parent.members)
        ):
            yield _NOT_PART
        if not set(row.chunks) <= self._seen.chunks.keys():
            yield "has a report on chunks that are not there"
        grounds = [self._seen.grounds.get(member, (set(), set())) for member in row.members]
        documents = {document for each, _ in grounds for document in each}
        classes = {access for _, each in grounds for access in each}
        if (set(row.documents), set(row.classes)) != (documents, classes):
            yield "rests on other documents or classes than its members"

    def _evidence(self) -> None:
        """Every sentence that a relation rests on stands in its chunk."""
        if self._vectors is None:
            return
        asked = sorted(self._seen.evidence.keys() & self._held.places.keys())
        for batch in stretches(asked, _FETCH):
            for row in self._vectors.fetch(Filter(ids=batch, kinds=["chunk"])):
                self._stated(str(row.payload["id"]), str(row.payload["text"]))

    def _stated(self, chunk: str, text: str) -> None:
        whole = _letters(text)
        for key, piece in self._seen.evidence[chunk]:
            if _letters(piece.sentence) not in whole:
                self._bad(
                    "relation", key, "rests on a sentence that its chunk does not hold", "evidence", chunk
                )

    def _coverage(self) -> None:
        """Every chunk was read for the graph, where that is whole."""
        if not self._held.whole("graph"):
            return
        for chunk in sorted(self._held.places.keys() - self._seen.chunks.keys()):
            self._bad("chunk", chunk, "is not in the graph", "row lost", chunk)

    def _counts(self) -> None:
        build = build_of(self._folder, self._held.generation)
        if build is None or build.report is None or not self._held.whole("graph"):
            return
        named = {"entities": "entity", "relations": "relation", "communities": "community"}
        for name, kind in named.items():
            told, count = build.report.get(name), self._seen.counts[kind]
            if told not in (None, 0, count):
                what = f"the build said {told} {name}, and {count} are there"
                self._damage.add("counter", "ledger", f"{self._held.generation} {name}", what, "graph")
                counts = dict(self._damage.counts.get(self._held.generation, {}))
                self._damage.counts[self._held.generation] = {**counts, name: count}
                self._damage.graph.append(Slip("count", name, what))


def _named(row: DocumentRow) -> tuple[str, str]:
    return row.document.source, row.document.title


def _letters(text: str) -> str:
    return "".join(text.split())
