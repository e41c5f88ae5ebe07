"""An index to rehearse a build on: its ledger and graph as copies, its vectors read where they are."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ...indexer.stores.edge import EdgeVectorStore
from ...indexer.stores.edge_folders import copy_shard
from ...indexer.stores.edge_snapshot import EdgeSnapshot
from ...indexer.stores.folder import GRAPH_FILE, IndexFolder
from ...indexer.stores.graph_ports import GraphStore
from ...indexer.stores.ledger import NAME as LEDGER
from ...indexer.stores.ledger import Ledger
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.manifest import NAME as MANIFEST
from ...indexer.stores.ports import VectorStore
from ..leaves import FILE as LEAVES
from .scratch_graph import ScratchGraph
from .scratch_vectors import Open, ScratchVectors

_ROWS, _UNFINISHED = "rows.db", "unfinished"


class ScratchFolder(IndexFolder):
    """A copy in ``path`` of the index ``origin``, of which nothing is changed: whatever a build does to the
    copy stays in it. The caller holds the writer's lock of ``origin`` and removes the copy."""

    origin: IndexFolder | None = None
    written = 0
    _store: VectorStore | None = None

    @classmethod
    def of(cls, origin: IndexFolder, path: Path) -> ScratchFolder:
        """Copy what a build reads of an index, other than its vectors."""
        path.mkdir(parents=True, exist_ok=True)
        for name in (MANIFEST, LEAVES):
            if (origin.path / name).exists():
                shutil.copyfile(origin.path / name, path / name)
        for name in (LEDGER, GRAPH_FILE):
            if (origin.path / name).exists():
                _copy_database(origin.path / name, path / name)
        scratch = cls(path, Ledger(path))
        scratch.origin = origin
        return scratch

    def vectors(self) -> ScratchVectors:
        """The index's vectors, with what the rehearsal writes over them."""
        return _Counted(self, self.path / _ROWS, self._below())

    def _below(self) -> list[Open]:
        """What opens the states of the index's vectors that a build reads: of the generation that was begun
        and is gone on with, and of the published one."""
        origin = self.origin
        if origin is None:
            return []
        published, running = origin.manifest().published, RunLog(self.ledger).running()
        if self._store is None:
            self._store = origin.vectors()
        store = self._store
        states: list[Open] = []
        if running is not None and running.base == published:
            states += self._unfinished(store, running.generation)
        if published is not None:
            states.append(lambda: store.read(published))
        return states

    def _unfinished(self, store: VectorStore, generation: int) -> list[Open]:
        """Opens what was written of a generation; of embedded vectors a copy, since opening changes them."""
        if not isinstance(store, EdgeVectorStore):
            return [lambda: store.read(generation)]
        folder, copy = store.unfinished(generation), self.path / _UNFINISHED
        if folder is None:
            return []
        if not copy.exists():
            copy_shard(folder, copy)
        return [lambda: EdgeSnapshot(copy, generation)]

    def close(self) -> None:
        """See :meth:`IndexFolder.close`."""
        super().close()
        if self._store is not None:
            self._store.close()

    def graph(self) -> GraphStore:
        """The copy of the graph; of one on a server what it holds, with what the rehearsal writes over it."""
        if self.origin is not None and "neo4j_url" in self.origin.manifest().stores:
            return ScratchGraph(self.origin, self.path / GRAPH_FILE)
        from ...indexer.stores.graph_sqlite import SqliteGraphStore

        return SqliteGraphStore(self.path / GRAPH_FILE)


class _Counted(ScratchVectors):
    """Tells its folder, when it is closed, how many bytes were written."""

    def __init__(self, folder: ScratchFolder, path: Path, below: Sequence[Open]) -> None:
        super().__init__(path, below)
        self._folder = folder

    def close(self) -> None:
        """See :meth:`ScratchVectors.close`."""
        self._folder.written += self.bytes
        self.bytes = 0
        super().close()


def _copy_database(source: Path, target: Path) -> None:
    """A SQLite file with what is still in its log."""
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as held,
        closing(sqlite3.connect(target)) as copy,
    ):
        held.backup(copy)
