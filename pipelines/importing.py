"""An index made again of the file that an export wrote, in these stores or others."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ..indexer.errors import Cancelled, ConfigurationError, IndexNotFound
from ..indexer.stores.addresses import without_secrets
from ..indexer.stores.archive import Archive
from ..indexer.stores.folder import IndexFolder, graph_store, vector_store
from ..indexer.stores.graph_archive import row_from_json
from ..indexer.stores.graph_ports import GraphStore
from ..indexer.stores.graph_rows import KINDS, GraphKind
from ..indexer.stores.images import IMAGES
from ..indexer.stores.ledger import NAME as LEDGER
from ..indexer.stores.locks import writer_lock
from ..indexer.stores.manifest import Generation, Manifest, read_manifest, write_manifest
from ..indexer.stores.ports import VectorStore
from .config import Config
from .events import Event, Listener, ignore_events
from .exporting import GRAPH
from .opening import index_path, stores_of
from .recording import note_published, recorded

_BATCH = 2000


def import_index(
    archive: str | os.PathLike[str],
    index: str | os.PathLike[str] | None = None,
    *,
    config: Config | None = None,
    yes: bool = False,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Make the index of an archive in the folder ``index``, which must not hold one yet, with its vectors and
    its graph where ``config`` says ([stores]), whatever they were in before.

    It has the id that it had, so its chunks, citations and caches are the same, and a later build goes on
    from it. What a server already holds under that id is replaced with ``yes`` alone. The archive is read
    through before anything is made; what was cut short is begun anew by the same call. Returns what
    :func:`.exporting.export_index` does. Raises ConfigurationError, IndexIncompatible, IndexLocked,
    StoreError, WorkError, Cancelled.
    """
    began = time.monotonic()
    config, path = config or Config(), index_path(index)
    with Archive(Path(archive)) as source:
        work = _Import(source, path, on_event or ignore_events, cancel)
        for done in source.check():
            work.tell(done, source.size, "bytes")
        begun = _begun(path, source)
        _require_empty(config, source, begun, yes)
        path.mkdir(parents=True, exist_ok=True)
        with recorded(path, "import"), writer_lock(path):
            counts = work.run(config, _begun(path, source) is not None)
            note_published(counts["generation"])
    return {
        "schema": 1,
        "bytes": Path(archive).stat().st_size,
        **counts,
        "seconds": round(time.monotonic() - began, 3),
    }


def _begun(path: Path, source: Archive) -> Manifest | None:
    """What the same import left in the folder when it was cut short; else that must hold nothing."""
    try:
        held = read_manifest(path)
    except IndexNotFound:
        return None
    if held.published is not None or held.index_id != source.note["index_id"]:
        raise ConfigurationError(f"{path} holds an index already; name another folder with --index")
    return held


def _require_empty(config: Config, source: Archive, begun: Manifest | None, yes: bool) -> None:
    """Servers answer, and hold nothing under the index's id but what the same import began to put there, or
    what is to be replaced."""
    connections = (("qdrant_url", vector_store), ("neo4j_url", graph_store))
    stores = stores_of(config)
    for name, connect in connections:
        url = stores.get(name)
        if not url:
            continue
        ours = begun is not None and begun.stores.get(name) == url
        with closing(connect(url, source.note["index_id"])) as store:
            if not (yes or ours or store.empty()):
                raise ConfigurationError(
                    f"{without_secrets(url)} holds an index {source.note['index_id']} already, perhaps the "
                    "one that was exported; with --yes it is replaced"
                )


@dataclass(frozen=True, slots=True)
class _Import:
    source: Archive
    path: Path
    listen: Listener
    cancel: threading.Event | None

    def run(self, config: Config, begun: bool) -> dict[str, Any]:
        """Make everything, and publish it. The caller holds the writer's lock."""
        note = self.source.note
        h, counts = int(note["generation"]), note["counts"]
        manifest = Manifest(note["index_id"], newest=int(note["newest"]), stores=stores_of(config))
        entry = replace(Generation(**note["entry"]), base=None)
        if begun:
            write_manifest(self.path, manifest)
        else:
            IndexFolder.create(self.path, manifest.index_id, manifest.stores).close()
        self.source.extract(LEDGER, self.path / LEDGER)
        with closing(IndexFolder.open(self.path)) as folder:
            folder.ledger.complete()
            folder.ledger.erase_after(h)
            folder.ledger.forget_ended(h)
            with closing(folder.vectors()) as vectors, closing(folder.graph()) as graph:
                vectors.forget([], None)
                graph.erase()
                self._vectors(vectors, h, entry, counts["rows"])
                folder.note_graph(GRAPH in entry.structures)
                if GRAPH in entry.structures:
                    self._graph(graph, h, counts[GRAPH])
            self._images(folder)
            write_manifest(self.path, replace(manifest, published=h, generations={h: entry}))
        return {"generation": h, **counts}

    def tell(self, done: int, total: int, unit: str) -> None:
        """Say how far it is. Raises Cancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled("stopped; the same command begins anew")
        self.listen(Event("import", done, total, unit))

    def _vectors(self, store: VectorStore, h: int, entry: Generation, expected: int) -> None:
        with closing(store.write(h, None, entry.dimension, entry.idf)) as writer:
            done = 0
            for rows in self.source.vectors():
                writer.adopt(rows)
                done += len(rows)
                self.tell(done, expected, "rows")
            writer.commit()
            writer.seal(expected)

    def _graph(self, store: GraphStore, h: int, expected: Mapping[GraphKind, int]) -> None:
        with closing(store.write(h, None)) as writer:
            done, total = 0, sum(expected.values())
            for kind in KINDS:
                rows = (row_from_json(kind, value) for value in self.source.lines(f"{GRAPH}/{kind}.jsonl"))
                while batch := list(islice(rows, _BATCH)):
                    writer.put(kind, batch)
                    done += len(batch)
                    self.tell(done, total, "graph rows")
            writer.seal(expected)

    def _images(self, folder: IndexFolder) -> None:
        names = self.source.names(IMAGES)
        for done, name in enumerate(names, 1):
            folder.images.put(self.source.read(name))
            self.tell(done, len(names), "images")
