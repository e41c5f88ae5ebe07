"""Vectors on a Qdrant server, one collection an index.

A row is marked ``since`` the generation that wrote it and ``until`` the one that ended it; generation
``g`` is what has ``since <= g < until``. The collection's metadata lists the generations that were
finished. The server must be 1.19 or newer: older ones compute IDF over rows that a reader cannot see.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import GenerationGone, IndexIncompatible, StoreError
from . import qdrant_collection as qdrant
from .addresses import without_secrets
from .ports import OPEN
from .qdrant_collection import Collection
from .qdrant_snapshot import QdrantSnapshot
from .qdrant_writer import QdrantWriter
from .stored_rows import SINCE, UNTIL

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

_OLDEST = (1, 19)
_SECONDS = 60


def connect(url: str, api_key: str | None, index_id: str) -> QdrantVectorStore:
    """The store of one index on the server at ``url`` (``https://`` for TLS).

    Raises StoreUnreachable where nothing answers, StoreError on a refused key, too old a server, or
    without the client's package.
    """
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise StoreError(
            f"a Qdrant server needs a package ({error}): pip install 'treegraph[qdrant]'"
        ) from error

    client = QdrantClient(url=url, api_key=api_key, timeout=_SECONDS, check_compatibility=False)
    store = QdrantVectorStore(client, f"treegraph_{index_id}", url)
    try:
        store.require_version()
    except BaseException:
        store.close()
        raise
    return store


class QdrantVectorStore:
    """The vectors of one index in ``collection``, made by the first write. Closes ``client`` with it."""

    def __init__(self, client: QdrantClient, collection: str, url: str = ":memory:") -> None:
        self._client = client
        self._url = without_secrets(url)
        self._collection = Collection(client, collection, url)

    def require_version(self) -> None:
        """Ask the server for its version. Raises StoreError below 1.19."""
        version = self._collection.guard(self._client.info).version
        numbers = re.match(r"(\d+)\.(\d+)", version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
            raise StoreError(
                f"the Qdrant server at {self._url} is {version}; treegraph needs 1.19 or newer"
                " (compose.yaml starts one)"
            )

    def read(self, generation: int) -> QdrantSnapshot:
        """Open a published generation. Raises GenerationGone or StoreUnreachable."""
        if not self._collection.exists():
            raise GenerationGone(f"there is no collection {self._collection.name} at {self._url}")
        self._require_sealed(generation)
        _, idf = self._collection.shape()
        return QdrantSnapshot(self._collection, generation, idf)

    def write(self, generation: int, base: int | None, dimension: int, idf: bool) -> QdrantWriter:
        """Start a generation on top of ``base``, or go on with it.

        Raises GenerationGone without the base, IndexIncompatible on another dimension or modifier.
        """
        if not self._collection.exists():
            if base is not None:
                raise GenerationGone(f"there is no collection {self._collection.name} at {self._url}")
            self._collection.create(dimension, idf)
        if self._collection.shape() != (dimension, idf):
            raise IndexIncompatible(
                f"{self._collection.name} keeps other vectors than {dimension} dimensions (IDF: {idf});"
                " build a new index for other models"
            )
        if base is None:
            self._end_all(generation)
        else:
            self._require_sealed(base)
        sealed = self._collection.sealed()
        if generation in sealed:  # sealed, then killed before it was published
            self._collection.set_sealed([g for g in sealed if g != generation])
        return QdrantWriter(self._collection, generation, dimension)

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """See :class:`VectorStore`. Returns how many rows went, those of unfinished work included."""
        from qdrant_client import models

        if not self._collection.exists():
            return 0
        kept = [g for g in keep if newest is None or g <= newest]
        latest = max(kept, default=0) if newest is None else newest
        self._collection.set_sealed([g for g in self._collection.sealed() if g in kept])
        gone = self._delete(models.Filter(must=[_range(SINCE, above=latest)]))
        reset = models.Filter(must=[_range(UNTIL, above=latest), _range(UNTIL, below=OPEN)])
        self._collection.call(self._client.set_payload, payload={UNTIL: OPEN}, points=reset)
        needed: list[models.Condition] = [models.Filter(must=qdrant.live(g)) for g in kept]
        return gone + self._delete(models.Filter(must=[_range(SINCE, above=-1)], must_not=needed))

    def purge(self, generation: int) -> None:
        """See :class:`VectorStore`. What was deleted is the server's to overwrite."""

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _require_sealed(self, generation: int) -> None:
        if generation not in self._collection.sealed():
            raise GenerationGone(
                f"generation {generation} is not kept in {self._collection.name}; open the newest one"
            )

    def _end_all(self, generation: int) -> None:
        """A generation without a base holds no row of an earlier one."""
        from qdrant_client import models

        where = models.Filter(
            must=[_range(SINCE, below=generation), qdrant.equals(UNTIL, OPEN)],
        )
        self._collection.call(self._client.set_payload, payload={UNTIL: generation}, points=where)

    def _delete(self, where: models.Filter) -> int:
        from qdrant_client import models

        count = self._collection.count(where)
        if count:
            selector = models.FilterSelector(filter=where)
            self._collection.call(self._client.delete, points_selector=selector)
        return count


def _range(field: str, above: int | None = None, below: int | None = None) -> models.FieldCondition:
    from qdrant_client import models

    return models.FieldCondition(key=field, range=models.Range(gt=above, lt=below))
