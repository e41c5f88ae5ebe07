"""An index to rehearse a build on: its ledger and graph as copies, its vectors read where they are."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...indexer.stores.folder import GRAPH_FILE, IndexFolder
from ...indexer.stores.graph_ports import GraphStore
from ...indexer.stores.ledger import NAME as LEDGER
from ...indexer.stores.ledger import Ledger
from ...indexer.stores.manifest import NAME as MANIFEST
from ...indexer.stores.ports import VectorSnapshot
from ..leaves import FILE as LEAVES
from .scratch_graph import ScratchGraph
from .scratch_vectors import ScratchVectors

_ROWS = "rows.db"


class ScratchFolder(IndexFolder):
    """A copy in ``path`` of the index ``origin``, of which nothing is changed: whatever a build does to the
    copy stays in it. The caller holds the writer's lock of ``origin`` and removes the copy."""

    origin: IndexFolder | None = None
    written = 0

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

    def _below(self) -> Callable[[], VectorSnapshot] | None:
        origin = self.origin
        published = origin.manifest().published if origin is not None else None
        if origin is None or published is None:
            return None
        return lambda: origin.vectors().read(published)

    def graph(self) -> GraphStore:
        """The copy of the graph; of one on a server what it holds, with what the rehearsal writes over it."""
        if self.origin is not None and "neo4j_url" in self.origin.manifest().stores:
            return ScratchGraph(self.origin, self.path / GRAPH_FILE)
        from ...indexer.stores.graph_sqlite import SqliteGraphStore

        return SqliteGraphStore(self.path / GRAPH_FILE)


class _Counted(ScratchVectors):
    """Tells its folder, when it is closed, how many bytes were written."""

    def __init__(self, folder: ScratchFolder, path: Path, below: Callable[[], VectorSnapshot] | None) -> None:
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
