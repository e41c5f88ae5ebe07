"""The one writer of a generation on a Qdrant server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ..errors import StoreInconsistent
from . import qdrant_collection as qdrant
from .ports import OPEN, Filter, Row
from .qdrant_collection import Collection
from .stored_rows import SINCE, UNTIL, vectors
from .stored_rows import row as stored_row

if TYPE_CHECKING:
    from qdrant_client import models

T = TypeVar("T")
_ROWS = 128
"""Rows a request: with 4,096 dimensions some 11 MB of JSON, under the server's limit of 32."""
_KEYS = 1000


class QdrantWriter:
    """Marks what it writes ``since = h`` and what ``h`` does not hold any more ``until = h``."""

    def __init__(self, collection: Collection, generation: int, dimension: int) -> None:
        self.generation = generation
        self._collection = collection
        self._dimension = dimension
        self._open = True

    def upsert(self, rows: Sequence[Row]) -> None:
        """See :class:`VectorWriter`. Durable once it returns."""
        self.adopt([(row, self.generation) for row in rows])

    def adopt(self, rows: Sequence[tuple[Row, int]]) -> None:
        """See :class:`VectorWriter`. Durable once it returns."""
        points = [self._point(row, since) for row, since in rows]
        for batch in _batches(points, _ROWS):
            last = batch[-1] is points[-1]
            self._collection.call(self._collection.client.upsert, points=batch, wait=last)

    def end(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`. Keys that are not there are passed over."""
        self._mark(keys, until=self.generation, where=qdrant.equals(UNTIL, OPEN))

    def revive(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`."""
        self._mark(keys, until=OPEN, where=qdrant.equals(UNTIL, self.generation))

    def discard(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`. Rows of earlier generations are left alone."""
        own = qdrant.equals(SINCE, self.generation)
        for batch in _batches(keys, _KEYS):
            self._collection.call(self._collection.client.delete, points_selector=_among(batch, own))

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """See :class:`VectorWriter`. Rows ended in this generation are not there any more."""
        where = qdrant.translate(Filter(keys=keys), self.generation)
        records = self._collection.scroll(where, vectors=True)
        return {str(record.id): stored_row(record) for record in records}

    def written(self) -> Iterator[str]:
        """See :class:`VectorWriter`."""
        from qdrant_client import models

        own = [qdrant.equals(SINCE, self.generation), *qdrant.live(self.generation)]
        for record in self._collection.scroll(models.Filter(must=own), payload=False):
            yield str(record.id)

    def commit(self) -> None:
        """Nothing is left to do: the last request of every call waits until the server has it all."""

    def seal(self, expected: int) -> None:
        """See :class:`VectorWriter`. The server optimises by itself, in its own time."""
        self.close()
        found = self._collection.count(qdrant.translate(Filter(), self.generation))
        if found != expected:
            raise StoreInconsistent(
                f"generation {self.generation} should hold {expected} rows and {self._collection.name} holds"
                f" {found}; build again: it starts from the published generation"
            )
        self._collection.set_sealed([*self._collection.sealed(), self.generation])

    def close(self) -> None:
        """Nothing to let go of: the connection is the store's."""

    def _point(self, row: Row, since: int) -> models.PointStruct:
        from qdrant_client import models

        named = vectors(row, self._dimension, models.SparseVector)
        return models.PointStruct(
            id=row.key, vector=named, payload={**row.payload, SINCE: since, UNTIL: OPEN}
        )

    def _mark(self, keys: Iterable[str], until: int, where: models.Condition) -> None:
        for batch in _batches(keys, _KEYS):
            self._collection.call(
                self._collection.client.set_payload, payload={UNTIL: until}, points=_among(batch, where)
            )


def _among(keys: list[str], condition: models.Condition) -> models.Filter:
    from qdrant_client import models

    return models.Filter(must=[models.HasIdCondition(has_id=list(keys)), condition])


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
