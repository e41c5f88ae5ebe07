"""A published generation on a Qdrant server, open for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..models.ports import SparseVector, Vectors
from . import qdrant_collection as qdrant
from .ports import Filter, Row, Scored, Stored
from .qdrant_collection import Collection
from .ranking import SAME, Scores, answered, first_asked, ranked
from .stored_rows import DENSE, SPARSE, row, stored, unmarked

if TYPE_CHECKING:
    from qdrant_client import models

_EXACT_BELOW = 100_000
_BEAM = 256


class QdrantSnapshot:
    """Reads the rows of one generation. Safe from several threads.

    Scores within one part in a million count as equal.

    Dense searches are exact up to 100,000 rows and use the server's HNSW graph from there on.
    """

    def __init__(self, collection: Collection, generation: int, idf: bool) -> None:
        self.generation = generation
        self._collection = collection
        self._idf = idf
        self._exact = self.count(Filter()) < _EXACT_BELOW

    def dense(self, vector: Vectors, where: Filter, limit: int, payload: bool = True) -> list[Scored]:
        """See :class:`VectorSnapshot`."""
        from qdrant_client import models

        params = models.SearchParams(exact=self._exact, hnsw_ef=_BEAM)
        return self._scored(vector.tolist(), DENSE, params, where, limit, payload)

    def sparse(
        self, vector: SparseVector, where: Filter, corpus: Filter, limit: int, payload: bool = True
    ) -> list[Scored]:
        """See :class:`VectorSnapshot`."""
        if not vector.indices:
            return []
        return self._scored(_lexical(vector), SPARSE, self._over(corpus), where, limit, payload)

    def sparse_each(
        self, vectors: Sequence[SparseVector], where: Filter, corpus: Filter, limit: int
    ) -> list[list[Scored]]:
        """See :class:`VectorSnapshot`. One call to the server for all of them."""
        from qdrant_client import models

        condition, params = qdrant.translate(where, self.generation), self._over(corpus)
        asked = [_lexical(vector) for vector in vectors if vector.indices]
        requests = [
            models.QueryRequest(
                query=query,
                using=SPARSE,
                filter=condition,
                params=params,
                limit=first_asked(limit),
                with_payload=False,
            )
            for query in asked
        ]
        client = self._collection.client
        answers = self._collection.call(client.query_batch_points, requests=requests) if requests else []
        found = iter(
            ranked(answered(_scores(answer), limit, self._asking(query, SPARSE, params, where)), limit, SAME)
            for answer, query in zip(answers, asked, strict=True)
        )
        best = [next(found) if vector.indices else [] for vector in vectors]
        return [[Scored(key, score) for key, score in each] for each in best]

    def fetch(
        self, where: Filter, limit: int | None = None, vectors: bool = False, payload: bool = True
    ) -> list[Row]:
        """See :class:`VectorSnapshot`. The server normalises dense vectors: equal to about 1e-7."""
        condition = qdrant.translate(where, self.generation)
        records = self._collection.scroll(condition, limit, vectors, payload)
        return [row(record) for record in records]

    def count(self, where: Filter) -> int:
        """See :class:`VectorSnapshot`."""
        return self._collection.count(qdrant.translate(where, self.generation))

    def stored(self) -> Iterator[Stored]:
        """See :class:`VectorSnapshot`. A collection holds the rows of all generations."""
        from qdrant_client import models

        for record in self._collection.scroll(models.Filter(), None, vectors=True):
            yield stored(record)

    def shape(self) -> tuple[int, bool]:
        """See :class:`VectorSnapshot`."""
        return self._collection.shape()

    def close(self) -> None:
        """Nothing to let go of: the connection is the store's."""

    def _scored(
        self,
        query: list[float] | models.SparseVector,
        using: str,
        params: models.SearchParams,
        where: Filter,
        limit: int,
        payload: bool,
    ) -> list[Scored]:
        best = ranked(self._asking(query, using, params, where), limit, SAME)
        payloads = self._payloads([key for key, _ in best]) if payload and best else {}
        return [Scored(key, score, payloads.get(key, {})) for key, score in best]

    def _asking(
        self,
        query: list[float] | models.SparseVector,
        using: str,
        params: models.SearchParams,
        where: Filter,
    ) -> Callable[[int], Scores]:
        """What gives as many of a query's rows as it is asked for."""
        condition = qdrant.translate(where, self.generation)
        return lambda count: _scores(
            self._collection.call(
                self._collection.client.query_points,
                query=query,
                using=using,
                query_filter=condition,
                search_params=params,
                limit=count,
                with_payload=False,
            )
        )

    def _over(self, corpus: Filter) -> models.SearchParams:
        """Parameters of a sparse query, its IDF over ``corpus``."""
        from qdrant_client import models

        scope = qdrant.translate(corpus, self.generation)
        return models.SearchParams(idf=models.IdfCorpusParams(corpus=scope) if self._idf else None)

    def _payloads(self, keys: list[str]) -> dict[str, dict[str, Any]]:
        records = self._collection.call(self._collection.client.retrieve, ids=keys, with_payload=True)
        return {str(record.id): unmarked(record.payload) for record in records}


def _lexical(vector: SparseVector) -> models.SparseVector:
    from qdrant_client import models

    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _scores(response: models.QueryResponse) -> Scores:
    return [(str(point.id), point.score) for point in response.points]
