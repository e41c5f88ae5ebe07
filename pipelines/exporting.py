"""An index written to one file, whatever stores it lives in: to move it, to keep a copy of it."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ..indexer.errors import Cancelled
from ..indexer.stores.archive import ArchiveWriter
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.graph_archive import row_to_json
from ..indexer.stores.graph_rows import KINDS
from ..indexer.stores.images import IMAGES
from ..indexer.stores.ledger import NAME as LEDGER
from .events import Event, Listener, ignore_events
from .opening import index_path

GRAPH = "graph"
Item = TypeVar("Item")
_DRAFT = "leases-"
"""How the folder of a copy of the ledger begins: a name that a new index may find in its place."""
_TOLD = 1000
"""Rows between two events."""


def export_index(
    index: str | os.PathLike[str] | None,
    archive: str | os.PathLike[str],
    *,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Write the published generation of an index to one file, of which :func:`.importing.import_index` makes
    it again, also in other stores. It may be searched and built meanwhile.

    With it goes the ledger, so that what was paid for is not paid for again. The file appears whole or not at
    all, in place of one of that name. Returns ``generation``, ``bytes``, ``seconds`` and the numbers of
    ``rows``, of ``graph`` rows by kind, and of ``images``. Raises IndexNotFound, GenerationGone, StoreError,
    WorkError, Cancelled.
    """
    began = time.monotonic()
    with closing(IndexFolder.open(index_path(index))) as folder:
        lease = folder.lease()
        try:
            with ArchiveWriter(Path(archive)) as writer:
                export = _Export(folder, lease.generation, writer, on_event or ignore_events, cancel)
                done = export.run()
        finally:
            lease.release()
    return {"schema": 1, **done, "seconds": round(time.monotonic() - began, 3)}


def drop_drafts(folder: Path) -> None:
    """Take away what an export that was killed left of its copy of the ledger."""
    for draft in folder.glob(f"{_DRAFT}*"):
        shutil.rmtree(draft, ignore_errors=True)


@dataclass(slots=True)
class _Export:
    folder: IndexFolder
    generation: int
    writer: ArchiveWriter
    listen: Listener
    cancel: threading.Event | None
    graph: dict[str, int] = field(default_factory=dict)
    done: int = 0

    def run(self) -> dict[str, Any]:
        """Write everything."""
        manifest = self.folder.manifest()
        entry = manifest.generations[self.generation]
        self._ledger()
        rows = self._vectors()
        if GRAPH in entry.structures:
            self._graph()
        counts = {"rows": rows, "graph": self.graph, "images": self._images()}
        note = {
            "index_id": manifest.index_id,
            "generation": self.generation,
            "newest": manifest.newest,
            "entry": asdict(entry),
            "counts": counts,
        }
        return {"generation": self.generation, "bytes": self.writer.finish(note), **counts}

    def _ledger(self) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder.path, prefix=_DRAFT) as draft:
            copy = Path(draft) / LEDGER
            self.folder.ledger.copy(copy)
            self.writer.add_file(LEDGER, copy)

    def _vectors(self) -> int:
        with closing(self.folder.vectors()) as store, closing(store.read(self.generation)) as snapshot:
            g = self.generation
            live = (each for each in snapshot.stored() if each.since <= g < each.until)
            return self.writer.add_vectors(self._ticking(live, "rows"))

    def _graph(self) -> None:
        with closing(self.folder.graph()) as store, closing(store.read(self.generation)) as snapshot:
            for kind in KINDS:
                rows = (row_to_json(each.row) for each in snapshot.stored(kind))
                ticking = self._ticking(rows, "graph rows")
                self.graph[kind] = self.writer.add_lines(f"{GRAPH}/{kind}.jsonl", ticking)

    def _images(self) -> int:
        pictures = sorted(self.folder.ledger.pictures()) if self.folder.images else []
        for digest in self._ticking(pictures, "images"):
            path = self.folder.images.file(digest)
            self.writer.add_file(f"{IMAGES}/{path.name}", path)
        return len(pictures)

    def _ticking(self, items: Iterable[Item], unit: str) -> Iterator[Item]:
        number = 0
        for number, item in enumerate(items, 1):
            if self.cancel is not None and self.cancel.is_set():
                raise Cancelled("stopped; nothing was written")
            yield item
            if number % _TOLD == 0:
                self.listen(Event("export", number, None, unit))
        self.listen(Event("export", number, number, unit))
