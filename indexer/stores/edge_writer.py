"""The one writer of a generation of embedded vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import StoreError, StoreInconsistent
from . import edge_engine as edge
from .edge_errors import engine_errors
from .edge_files import base_of, note_generation
from .edge_folders import allocated, require_room, sync, sync_tree
from .edge_optimize import optimize_in_child
from .edge_snapshot import EdgeSnapshot
from .ports import Row
from .stored_rows import SINCE, UNTIL, row

if TYPE_CHECKING:
    import qdrant_edge

_GROWTH = 4
"""Bytes on disk a byte of a row: the engine's log, the row itself, its indexes, a page's slack."""


class EdgeWriter:
    """Writes ``work``, a copy of ``base`` (None: empty), until :meth:`seal` renames it to ``sealed``.

    Rows that the generation ends stay in the copy, marked, until the seal removes them.
    """

    def __init__(
        self, generation: int, work: Path, sealed: Path, base: Path | None, dimension: int, hnsw_from: int
    ) -> None:
        self.generation = generation
        self._work, self._sealed, self._base = work, sealed, base
        self._dimension, self._hnsw_from = dimension, hnsw_from
        self._shard: qdrant_edge.EdgeShard | None = None
        self._shard = self._load()

    def upsert(self, rows: Sequence[Row]) -> None:
        """See :class:`VectorWriter`. Raises StoreFull before the device is full."""
        self.adopt([(each, self.generation) for each in rows])

    def adopt(self, rows: Sequence[tuple[Row, int]]) -> None:
        """See :class:`VectorWriter`. Raises StoreFull before the device is full."""
        if not rows:
            return
        import qdrant_edge as engine

        require_room(self._work, _GROWTH * edge.weight([each for each, _ in rows]))
        with engine_errors("write the vectors", self._work):
            points = [edge.point(each, self._dimension, since) for each, since in rows]
            self._held().update(engine.UpdateOperation.upsert_points(points))

    def end(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`. Keys that are not there are passed over."""
        import qdrant_edge as engine

        marks: dict[str, Any] = {UNTIL: self.generation}
        self._update_keys(keys, lambda chosen: engine.UpdateOperation.set_payload_by_filter(chosen, marks))

    def revive(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`. Rows that an interrupted seal removed come back from the base."""
        import qdrant_edge as engine

        wanted = set(keys)
        self._update_keys(
            wanted, lambda chosen: engine.UpdateOperation.delete_payload_by_filter(chosen, [UNTIL])
        )
        missing = sorted(wanted - {str(record.id) for record in self._retrieve(wanted)})
        if missing and self._base is not None:
            before = EdgeSnapshot(self._base, self.generation)
            try:
                rows = before.originals(missing)
            finally:
                before.close()
            self.adopt(rows)

    def discard(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`. Rows of earlier generations are left alone."""
        import qdrant_edge as engine

        own = edge.equals(SINCE, self.generation)
        self._update_keys(keys, engine.UpdateOperation.delete_points_by_filter, own)

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """See :class:`VectorWriter`. Rows ended in this generation are not there any more."""
        records = self._retrieve(keys, payload=True, vectors=True)
        return {str(record.id): row(record) for record in records if not edge.ended(record)}

    def written(self) -> Iterator[str]:
        """See :class:`VectorWriter`."""
        import qdrant_edge as engine

        where = engine.Filter(
            must=[edge.equals(SINCE, self.generation)],
            must_not=[edge.equals(UNTIL, self.generation)],
        )
        with engine_errors("read the vectors", self._work):
            for record in edge.scroll(self._held(), where, payload=False):
                yield str(record.id)

    def commit(self) -> None:
        """See :class:`VectorWriter`. Costs some dozens of file syncs, however much was written."""
        require_room(self._work, 0)
        with engine_errors("write the vectors", self._work):
            self._held().flush()

    def seal(self, expected: int) -> None:
        """See :class:`VectorWriter`. On a failure the work stays, and a later writer goes on with it."""
        try:
            with engine_errors("finish the vectors", self._work):
                self._verify_live(expected)
                require_room(self._work, allocated(self._work))
                self._compact(graph=expected >= self._hnsw_from)
                self._settle(expected)
                note_generation(self._work, base_of(self._work), sealed=True)
                sync_tree(self._work)
                self._work.rename(self._sealed)
                sync(self._sealed.parent)
        finally:
            self.close()

    def close(self) -> None:
        """See :class:`VectorWriter`. Closing twice is allowed."""
        shard, self._shard = self._shard, None
        if shard is not None:
            with engine_errors("close the vectors", self._work):
                shard.close()

    def _load(self) -> qdrant_edge.EdgeShard:
        import qdrant_edge as engine

        with engine_errors("open the vectors for writing", self._work):
            return engine.EdgeShard.load(str(self._work))

    def _held(self) -> qdrant_edge.EdgeShard:
        if self._shard is None:
            raise StoreError("this writer was closed or sealed; start another one")
        return self._shard

    def _update(self, operation: qdrant_edge.UpdateOperation) -> None:
        require_room(self._work, 0)
        with engine_errors("write the vectors", self._work):
            self._held().update(operation)

    def _update_keys(
        self,
        keys: Iterable[str],
        operation: Callable[[qdrant_edge.Filter], qdrant_edge.UpdateOperation],
        *conditions: Any,
    ) -> None:
        import qdrant_edge as engine

        if chosen := set(keys):
            condition = engine.HasIdCondition(cast("Any", chosen))
            self._update(operation(engine.Filter(must=[condition, *conditions])))

    def _retrieve(
        self, keys: Iterable[str], payload: bool = False, vectors: bool = False
    ) -> list[qdrant_edge.Record]:
        with engine_errors("read the vectors", self._work):
            return self._held().retrieve(list(keys), with_payload=payload, with_vector=vectors)

    def _verify_live(self, expected: int) -> None:
        import qdrant_edge as engine

        live = engine.Filter(must_not=[edge.equals(UNTIL, self.generation)])
        self._verify(expected, self._held().count(engine.CountRequest(exact=True, filter=live)))

    def _verify(self, expected: int, found: int) -> None:
        if found != expected:
            raise StoreInconsistent(
                f"generation {self.generation} should hold {expected} rows and {self._work} holds {found};"
                " build again: it starts from the published generation"
            )

    def _compact(self, graph: bool) -> None:
        """Remove what was ended, make the payload indexes that are missing, and optimise."""
        import qdrant_edge as engine

        gone = engine.Filter(must=[edge.equals(UNTIL, self.generation)])
        shard = self._held()
        shard.update(engine.UpdateOperation.delete_points_by_filter(gone))
        edge.index_payloads(shard)
        if graph:
            shard.flush()
            self.close()
            optimize_in_child(self._work)
            self._shard = self._load()
        else:
            shard.optimize()

    def _settle(self, expected: int) -> None:
        """Leave files that no reader's load rewrites, and verify what they hold.

        The first load after updates rewrites a few files; done here, no two readers race for it.
        """
        import qdrant_edge as engine

        self._held().flush()
        self.close()
        self._shard = self._load()
        self._verify(expected, self._shard.count(engine.CountRequest(exact=True)))
        self.close()
