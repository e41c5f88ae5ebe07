"""A published generation of the embedded vectors, open for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.ports import SparseVector, Vectors
from . import edge_engine as edge
from .edge_errors import engine_errors
from .edge_folders import View, temporary_folder
from .ports import Filter, Row, Scored, Stored
from .ranking import SAME, Scores, answered, first_asked, ranked
from .stored_rows import DENSE, SINCE, SPARSE, row, stored, unmarked

if TYPE_CHECKING:
    import qdrant_edge

_BEAM = 256
"""Candidates that an HNSW search holds, where there is a graph: recall over speed."""


class EdgeSnapshot:
    """Reads one folder through a view. Safe from several threads; the engine lets go of the GIL."""

    def __init__(self, folder: Path, generation: int) -> None:
        import qdrant_edge as engine

        self.generation = generation
        self._folder = folder
        with engine_errors("open the vectors", folder, writes=temporary_folder()):
            self._idf = edge.stored_schema(folder)[1]
            self._view = View(folder)
            try:
                self._shard = engine.EdgeShard.load(str(self._view.folder))
            except BaseException:
                self._view.close()
                raise

    def dense(self, vector: Vectors, where: Filter, limit: int, payload: bool = True) -> list[Scored]:
        """See :class:`VectorSnapshot`. Exact, except over an index with an HNSW graph."""
        import qdrant_edge as engine

        query = engine.Query.Nearest(vector.tolist(), using=DENSE)
        params = engine.SearchParams(hnsw_ef=_BEAM)
        return self._scored(query, params, where, limit, payload, tolerance=0.0)

    def sparse(
        self, vector: SparseVector, where: Filter, corpus: Filter, limit: int, payload: bool = True
    ) -> list[Scored]:
        """See :class:`VectorSnapshot`. Scores within one part in a million count as equal."""
        if not vector.indices:
            return []
        query, params = self._lexical(vector, corpus)
        return self._scored(query, params, where, limit, payload, tolerance=SAME)

    def sparse_each(
        self, vectors: Sequence[SparseVector], where: Filter, corpus: Filter, limit: int
    ) -> list[list[Scored]]:
        """See :class:`VectorSnapshot`. Four together take little longer than one."""
        import qdrant_edge as engine

        asked = [self._lexical(vector, corpus) for vector in vectors if vector.indices]
        ask = [self._asking(query, params, where) for query, params in asked]
        requests = [
            _request(query, params, edge.translate(where), first_asked(limit)) for query, params in asked
        ]
        with engine_errors("search the vectors", self._folder):
            answers = self._shard.query_batch(engine.QueryBatchRequest(requests)) if requests else []
            found = iter(
                ranked(answered(_scores(answer), limit, more), limit, SAME)
                for answer, more in zip(answers, ask, strict=True)
            )
            best = [next(found) if vector.indices else [] for vector in vectors]
        return [[Scored(key, score) for key, score in each] for each in best]

    def fetch(
        self, where: Filter, limit: int | None = None, vectors: bool = False, payload: bool = True
    ) -> list[Row]:
        """See :class:`VectorSnapshot`. Vectors come back bit for bit as they were written."""
        with engine_errors("read the vectors", self._folder):
            found = edge.scroll(self._shard, edge.translate(where), limit, vectors, payload)
            return [row(record) for record in found]

    def originals(self, keys: list[str]) -> list[tuple[Row, int]]:
        """Rows by key with their vectors, each with the generation that first wrote it."""
        with engine_errors("read the vectors", self._folder):
            records = self._shard.retrieve(list(keys), with_payload=True, with_vector=True)
            return [(row(record), (record.payload or {})[SINCE]) for record in records]

    def count(self, where: Filter) -> int:
        """See :class:`VectorSnapshot`."""
        import qdrant_edge as engine

        with engine_errors("count the vectors", self._folder):
            return self._shard.count(engine.CountRequest(exact=True, filter=edge.translate(where)))

    def stored(self) -> Iterator[Stored]:
        """See :class:`VectorSnapshot`. A folder holds its own generation alone."""
        with engine_errors("read the vectors", self._folder):
            for record in edge.scroll(self._shard, edge.translate(Filter()), None, vectors=True):
                yield stored(record)

    def shape(self) -> tuple[int, bool]:
        """See :class:`VectorSnapshot`."""
        return edge.stored_schema(self._folder)

    def close(self) -> None:
        """Let go of the files and remove the view. Closing twice is allowed."""
        if self._view.close.alive:
            self._shard.close()
            self._view.close()

    def _scored(
        self,
        query: qdrant_edge.Query,
        params: qdrant_edge.SearchParams,
        where: Filter,
        limit: int,
        payload: bool,
        tolerance: float,
    ) -> list[Scored]:
        ask = self._asking(query, params, where)
        with engine_errors("search the vectors", self._folder):
            best = ranked(ask, limit, tolerance)
            payloads = self._payloads([key for key, _ in best]) if payload else {}
        return [Scored(key, score, payloads.get(key, {})) for key, score in best]

    def _lexical(
        self, vector: SparseVector, corpus: Filter
    ) -> tuple[qdrant_edge.Query, qdrant_edge.SearchParams]:
        """The query of a sparse vector, and that its IDF is over ``corpus``."""
        import qdrant_edge as engine

        asked = engine.SparseVector(list(vector.indices), list(vector.values))
        scope = engine.IdfParams(corpus=edge.translate(corpus)) if self._idf else None
        return engine.Query.Nearest(asked, using=SPARSE), engine.SearchParams(idf=scope)

    def _asking(
        self, query: qdrant_edge.Query, params: qdrant_edge.SearchParams, where: Filter
    ) -> Callable[[int], Scores]:
        """What gives as many of a query's rows as it is asked for."""
        condition = edge.translate(where)
        return lambda count: _scores(self._shard.query(_request(query, params, condition, count)))

    def _payloads(self, keys: list[str]) -> dict[str, dict[str, Any]]:
        records = self._shard.retrieve(list(keys), with_payload=True, with_vector=False)
        return {str(record.id): unmarked(record.payload) for record in records}


def _request(
    query: qdrant_edge.Query, params: qdrant_edge.SearchParams, condition: qdrant_edge.Filter, count: int
) -> qdrant_edge.QueryRequest:
    import qdrant_edge as engine

    return engine.QueryRequest(limit=count, query=query, filter=condition, params=params, with_payload=False)


def _scores(points: Sequence[qdrant_edge.ScoredPoint]) -> Scores:
    return [(str(point.id), point.score) for point in points]
