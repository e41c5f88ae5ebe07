"""A graph and the chunks beneath it, over real stores: texts with what they name and state."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hash_embedder import FakeHashEmbedder
from hash_question import hash_question
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.extraction import Extraction, Named, Stated
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.graph_ports import GraphSnapshot
from treegraph.indexer.stores.graph_rows import ChunkPlace, CommunityRow
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.ports import Row, VectorSnapshot
from treegraph.indexer.types import PUBLIC, Document
from treegraph.indexer.words import WordEncoder
from treegraph.query.access import Access
from treegraph.query.graph import GraphFound, GraphRetriever
from treegraph.query.graph_settings import GraphReadSettings
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.question import Question
from treegraph.query.settings import SearchSettings

EMBEDDER, WORDS = FakeHashEmbedder(64), WordEncoder()
INDEX = "8bf39b9d-420a-4dc1-a9cc-e19f2cfd35b4"


@dataclass(frozen=True)
class Said:
    """A chunk: its text, what it is about, what else it names, and what it states (source, type, target,
    condition), the whole text being the evidence."""

    text: str
    about: str = ""
    names: Sequence[str] = ()
    states: Sequence[tuple[str, str, str, str]] = ()
    document: str = "manual"
    aliases: Sequence[str] = ()

    def extraction(self) -> Extraction:
        named = {name: Named(name) for pair in self.states for name in (pair[0], pair[2])}
        named |= {name: Named(name) for name in self.names}
        if self.about:
            named[self.about] = Named(self.about, role="subject", aliases=tuple(self.aliases))
        stated = [Stated(one, to, kind, self.text, condition) for one, kind, to, condition in self.states]
        return Extraction(tuple(named.values()), tuple(stated), "by hand")


@dataclass(frozen=True)
class SmallGraph:
    """Both snapshots, and the ids of chunks in the order of their texts."""

    vectors: VectorSnapshot
    graph: GraphSnapshot
    documents: dict[str, Document]
    assembled: Assembled
    chunks: Sequence[str]

    def retriever(self, **settings: float) -> GraphRetriever:
        hybrid = HybridRetriever(self.vectors, SearchSettings())
        return GraphRetriever(self.vectors, self.graph, hybrid, GraphReadSettings(**settings))  # type: ignore[arg-type]

    def ask(self, text: str, access: Access | None = None, limit: int = 10, **settings: float) -> GraphFound:
        return self.retriever(**settings)(question(text), access or Access(), limit)

    def entity(self, name: str) -> str:
        """The id of the entity of this name."""
        return next(row.id for row in self.assembled.entities if row.name == name)

    def close(self) -> None:
        self.vectors.close()
        self.graph.close()


def question(text: str) -> Question:
    return hash_question(text, EMBEDDER)


def build(
    home: Path,
    said: Sequence[Said],
    classes: dict[str, str] | None = None,
    reports: Sequence[CommunityRow] = (),
) -> SmallGraph:
    """Stores at ``home`` that hold ``said``, one page a chunk; ``classes`` has the access classes of
    documents that are not public."""
    access = classes or {}
    chunks = [str(uuid.uuid5(uuid.NAMESPACE_OID, f"{at} {one.text}")) for at, one in enumerate(said)]
    rows, extracted = [], []
    for at, (chunk, one) in enumerate(zip(chunks, said, strict=True)):
        held = access.get(one.document, PUBLIC)
        payload = {
            "id": chunk, "kind": "chunk", "level": 0, "document": one.document, "class": held, "ordinal": at,
            "text": one.text, "context": one.about, "section": [], "language": "en", "token_count": 9,
            "first_page": at + 1, "last_page": at + 1,
        }  # fmt: skip
        text = f"{one.about}\n{one.text}"
        rows.append(Row(chunk, payload, EMBEDDER.embed_question(text), WORDS.encode([text], ["en"])[0]))
        place = ChunkPlace(
            chunk, one.document, f"{one.document}.pdf", one.document, at, (at + 1, at + 1), held
        )
        extracted.append(ExtractedChunk(place, one.extraction(), "en"))
    assembled = assemble(extracted, INDEX)
    vectors = EdgeVectorStore(home / "vectors")
    writer = vectors.write(1, None, EMBEDDER.dimension, idf=True)
    writer.upsert(rows)
    writer.commit()
    writer.seal(len(rows))
    graph = SqliteGraphStore(home / "graph.db")
    _write(graph, [one.place for one in extracted], assembled, reports)
    documents = {one.document: Document(one.document, f"{one.document}.pdf", one.document) for one in said}
    return SmallGraph(vectors.read(1), graph.read(1), documents, assembled, chunks)


def _write(
    store: SqliteGraphStore,
    places: Sequence[ChunkPlace],
    assembled: Assembled,
    reports: Sequence[CommunityRow],
) -> None:
    writer = store.write(1, None)
    writer.put("chunk", places)
    writer.put("entity", assembled.entities)
    writer.put("mention", assembled.mentions)
    writer.put("relation", assembled.relations)
    writer.put("community", reports)
    writer.seal(
        {
            "chunk": len(places),
            "entity": len(assembled.entities),
            "mention": len(assembled.mentions),
            "relation": len(assembled.relations),
            "community": len(reports),
        }
    )
    writer.close()
