"""An index as a folder: its manifest, ledger, leases and stores, opened together."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from ..errors import ConfigurationError, GenerationGone, IndexNotFound, StoreError, WorkError
from ..types import Document, access_class
from .authorities import NEO4J_CA, QDRANT_CA, authority
from .graph_ports import GraphStore
from .images import IMAGES, ImageFolder
from .ledger import Ledger
from .ledger_runs import RunLog
from .locks import Lease, leased_generations, take_lease
from .manifest import Generation, Manifest, read_manifest, write_manifest
from .ports import VectorStore

log = logging.getLogger(__name__)

KEPT = 2
"""Generations kept: the published one and those before it, up to this many."""
API_KEY = "TREEGRAPH_QDRANT_API_KEY"
NEO4J_PASSWORD = "TREEGRAPH_NEO4J_PASSWORD"
NEO4J_USER = "TREEGRAPH_NEO4J_USER"
GRAPH_FILE = "graph.db"
INDEX_ID = "index id"
"""The note of the ledger that says which index it is of."""
_GRAPH_WRITTEN = "graph written"
_OWN_NAMES = ("writer.lock", "ledger.db", ".index.toml", "leases", "vectors", GRAPH_FILE, IMAGES)
"""What a creation that was cut short may have left behind."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The documents of one generation and what follows from them, held in memory by a reader.

    ``classes`` maps each access class to its labels; ``languages`` are those of the documents.
    """

    generation: int
    documents: Mapping[str, Document]
    classes: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...]
    structures: Mapping[str, int]


class IndexFolder:
    """The parts of one index, by their places in its folder."""

    def __init__(self, path: Path, ledger: Ledger) -> None:
        self.path = path
        self.ledger = ledger

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing index. Raises IndexNotFound or IndexIncompatible."""
        read_manifest(path)
        return cls(path, Ledger(path))

    @classmethod
    def create(cls, path: Path, index_id: str | None = None, stores: Mapping[str, str] | None = None) -> Self:
        """Make an empty index in ``path``, which may exist but must hold nothing else.

        Raises ConfigurationError for an ``index_id`` that is no UUID.
        """
        index_id = index_id or str(uuid.uuid4())
        try:
            uuid.UUID(index_id)
        except ValueError as error:
            raise ConfigurationError(
                f"the index id {index_id} is no UUID; leave it out to get one"
            ) from error
        if path.is_dir() and not all(entry.name.startswith(_OWN_NAMES) for entry in path.iterdir()):
            raise IndexNotFound(f"{path} is not an index and not empty; name another folder with --index")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkError(f"cannot make {path}: {error.strerror}") from error
        ledger = Ledger(path, create=True)
        ledger.set_note(INDEX_ID, index_id)
        write_manifest(path, Manifest(index_id, stores=stores or {"vectors": "edge"}))
        return cls(path, ledger)

    @property
    def images(self) -> ImageFolder:
        """Where the pictures of documents are kept."""
        return ImageFolder(self.path / IMAGES)

    def manifest(self) -> Manifest:
        """The manifest as it is now."""
        return read_manifest(self.path)

    def lease(self) -> Lease:
        """Claim the published generation. Raises GenerationGone where nothing is published yet."""
        while True:
            published = self.manifest().published
            if published is None:
                raise GenerationGone(f"{self.path} holds no published generation yet; build it first")
            lease = take_lease(self.path, published)
            if published in self.manifest().generations:
                return lease
            lease.release()

    def catalogue(self, generation: int) -> Catalogue:
        """The documents of a published generation."""
        entry = self.manifest().generations.get(generation)
        if entry is None:
            raise GenerationGone(f"generation {generation} is not kept any more in {self.path}")
        documents = {row.document.id: row.document for row in self.ledger.documents(generation)}
        return Catalogue(
            generation=generation,
            documents=documents,
            classes={access_class(d.labels): d.labels for d in documents.values()},
            languages=tuple(sorted({d.language for d in documents.values() if d.language})),
            structures=entry.structures,
        )

    def vectors(self) -> VectorStore:
        """The vector store that the manifest names."""
        manifest = self.manifest()
        if manifest.stores.get("vectors", "edge") == "edge":
            from .edge import EdgeVectorStore

            return EdgeVectorStore(self.path / "vectors")
        return vector_store(manifest.stores["qdrant_url"], manifest.index_id)

    def graph(self) -> GraphStore:
        """The graph store that the manifest names."""
        manifest = self.manifest()
        url = manifest.stores.get("neo4j_url")
        if url is None:
            from .graph_sqlite import SqliteGraphStore

            return SqliteGraphStore(self.path / GRAPH_FILE)
        return graph_store(url, manifest.index_id)

    @property
    def may_hold_graph(self) -> bool:
        """Whether there may be something of this folder's in the graph store. What another folder of the same
        index has on a server is not: that is there only if this one ever wrote a graph there."""
        return bool(self.ledger.note(_GRAPH_WRITTEN)) or (self.path / GRAPH_FILE).exists()

    def note_graph(self, written: bool) -> None:
        """Note whether this folder's graph store was written to since it was last erased."""
        if bool(self.ledger.note(_GRAPH_WRITTEN)) != written:
            self.ledger.set_note(_GRAPH_WRITTEN, "yes" if written else "")

    def forget_structure(self, name: str) -> None:
        """Have no generation of the manifest hold this structure."""
        manifest = self.manifest()
        if any(name in entry.structures for entry in manifest.generations.values()):
            generations = {
                number: replace(entry, structures={n: g for n, g in entry.structures.items() if n != name})
                for number, entry in manifest.generations.items()
            }
            write_manifest(self.path, replace(manifest, generations=generations))

    def publish(self, number: int, generation: Generation) -> None:
        """Make ``number`` the generation that readers see: one atomic step."""
        manifest = self.manifest()
        generations = {**manifest.generations, number: generation}
        newest = max(manifest.newest, number)
        self.ledger.settle()
        write_manifest(self.path, replace(manifest, published=number, newest=newest, generations=generations))

    def drop_generations_after(self, published: int) -> None:
        """Forget the manifest's entries of generations that were rolled back."""
        manifest = self.manifest()
        kept = {number: entry for number, entry in manifest.generations.items() if number <= published}
        if kept != manifest.generations:
            write_manifest(self.path, replace(manifest, generations=kept))

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()


def vector_store(url: str, index_id: str) -> VectorStore:
    """An index's vectors on the Qdrant server at ``url``; its key comes from the environment."""
    from .qdrant import connect

    return connect(url, os.environ.get(API_KEY), index_id, authority(QDRANT_CA))


def graph_store(url: str, index_id: str) -> GraphStore:
    """An index's graph on the Neo4j server at ``url``; user and password come from the environment."""
    from .neo4j import connect

    user = os.environ.get(NEO4J_USER) or "neo4j"
    return connect(url, user, os.environ.get(NEO4J_PASSWORD), index_id, ca=authority(NEO4J_CA))


def collect_garbage(folder: IndexFolder) -> dict[str, int]:
    """Drop what only generations outside the kept ones need: the published, the one before, leased ones,
    and one that a build began and did not finish.

    Returns counts: ``generations``, ``rows`` and ``images`` dropped. The caller holds the writer's lock.
    """
    manifest = folder.manifest()
    if manifest.published is None:
        return {"generations": 0, "rows": 0, "images": 0}
    lineage = _lineage(manifest)[:KEPT]
    leased = (g for g in leased_generations(folder.path) if g in manifest.generations)
    keep = sorted({*lineage, *leased})
    running = RunLog(folder.ledger).running()
    unfinished = [running.generation] if running else []
    dropped = [number for number in manifest.generations if number not in keep]
    if dropped:
        kept = {number: entry for number, entry in manifest.generations.items() if number in keep}
        write_manifest(folder.path, replace(manifest, generations=kept))
    vectors = folder.vectors()
    try:
        rows = vectors.forget([*keep, *unfinished], None)
    finally:
        vectors.close()
    rows += _forget_graph(folder, keep, unfinished)
    rows += folder.ledger.forget_ended(keep[0])
    images = folder.images.forget(folder.ledger.pictures()) if folder.images else 0
    return {"generations": len(dropped), "rows": rows, "images": images}


def _forget_graph(folder: IndexFolder, keep: Sequence[int], unfinished: Sequence[int]) -> int:
    """Drop the graph's ended rows, or all that is left of it where no generation holds one any more. What a
    store that fails still has goes with a later collection."""
    manifest = folder.manifest()
    held = any("graph" in entry.structures for entry in manifest.generations.values())
    if not held and (unfinished or not folder.may_hold_graph):
        return 0
    try:
        with closing(folder.graph()) as graph:
            if held:
                folder.note_graph(True)  # an older ledger does not say so
                return graph.forget([*keep, *unfinished], None)
            graph.erase()
            folder.note_graph(False)
            return 0
    except StoreError as error:
        log.warning("ended rows of the graph stay for now: %s", error)
        return 0


def _lineage(manifest: Manifest) -> list[int]:
    """The published generation and those it was built on, newest first."""
    line: list[int] = []
    number = manifest.published
    while number is not None and number in manifest.generations and number not in line:
        line.append(number)
        number = manifest.generations[number].base
    return line
