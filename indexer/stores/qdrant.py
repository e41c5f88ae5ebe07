"""Vectors on a Qdrant server, one collection an index.

A row is marked ``since`` the generation that wrote it and ``until`` the one that ended it; generation
``g`` is what has ``since <= g < until``. The collection's metadata lists the generations that were
finished. The server must be 1.19 or newer: older ones compute IDF over rows that a reader cannot see.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

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
_PREFIX = "treegraph_"
_OWN = re.compile(rf"{_PREFIX}([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(?:_\d+[a-z]*)?")


def connect(
    url: str, api_key: str | None, index_id: str, ca: str | None = None, seconds: float = _SECONDS
) -> QdrantVectorStore:
    """The store of one index on the server at ``url`` (``https://`` for TLS, with a certificate that an
    authority of the system vouches for, or one in the file ``ca``), each of whose answers is waited for so
    many ``seconds``.

    Raises StoreUnreachable where nothing answers, StoreError on a refused key, too old a server, or
    without the client's package.
    """
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise StoreError(
            f"a Qdrant server needs a package ({error}): pip install 'treegraph[qdrant]'"
        ) from error

    trust: dict[str, Any] = {"verify": ssl.create_default_context(cafile=ca)} if ca else {}
    timeout = max(1, round(seconds))
    client = QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False, **trust)
    store = QdrantVectorStore(client, f"{_PREFIX}{index_id}", url)
    try:
        store.require_version()
    except BaseException:
        store.close()
        raise
    return store


class QdrantVectorStore:
    """The vectors of one index in ``collection``, made by the first write, or in one beside it where a later
    model makes vectors of another dimension. Closes ``client`` with it."""

    def __init__(self, client: QdrantClient, collection: str, url: str = ":memory:") -> None:
        self._client = client
        self._url = without_secrets(url)
        self._name = collection

    def require_version(self) -> None:
        """Ask the server for its version. Raises StoreError below 1.19."""
        version = self._version()
        numbers = re.match(r"(\d+)\.(\d+)", version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
            raise StoreError(
                f"the Qdrant server at {self._url} is {version}; treegraph needs 1.19 or newer"
                " (compose.yaml starts one)"
            )

    def inspect(self) -> tuple[str, int | None]:
        """The server's version, and how many rows the index has there; None where it has no collection."""
        there = self._collections()
        return self._version(), sum(each.count(_everything()) for each in there) if there else None

    def read(self, generation: int) -> QdrantSnapshot:
        """Open a published generation. Raises GenerationGone or StoreUnreachable."""
        collection = self._holding(generation)
        _, idf = collection.shape()
        return QdrantSnapshot(collection, generation, idf)

    def write(self, generation: int, base: int | None, dimension: int, idf: bool) -> QdrantWriter:
        """Start a generation on top of ``base``, or go on with it.

        Raises GenerationGone without the base, IndexIncompatible on another dimension or modifier than its.
        """
        if base is None:
            collection = self._made_for(dimension, idf)
            _end_all(collection, generation)
        else:
            collection = self._holding(base)
            _require_shape(collection, dimension, idf)
        sealed = collection.sealed()
        if generation in sealed:  # sealed, then killed before it was published
            collection.set_sealed([g for g in sealed if g != generation])
        return QdrantWriter(collection, generation, dimension)

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """See :class:`VectorStore`. Returns how many rows went, those of unfinished work included."""
        kept = [g for g in keep if newest is None or g <= newest]
        latest = max(kept, default=0) if newest is None else newest
        collections = self._collections()
        finished = {collection.name: collection.sealed() for collection in collections}
        elsewhere = set[int]().union(*finished.values())
        gone = 0
        for collection in collections:
            # a row that no generation ended is still none of what lies in another collection
            here = [g for g in kept if g in finished[collection.name] or g not in elsewhere]
            gone += _forget(collection, here, latest)
            beside = collection.name != self._name
            if beside and not collection.sealed() and not collection.count(_everything()):
                collection.call(self._client.delete_collection)
        return gone

    def leftovers(self, keep: Sequence[int]) -> Iterator[tuple[str, int]]:
        """See :class:`VectorStore`. Of collections: another dimension, or a build that was given up, leaves
        them, :meth:`forget` empties them and takes all but the first away."""
        for collection in self._collections():
            if not set(keep) & set(collection.sealed()):
                rows = collection.count(_everything())
                if rows or collection.name != self._name:
                    yield collection.name, rows

    def others(self) -> list[str]:
        """See :class:`VectorStore`."""
        listed = self._collection().guard(self._client.get_collections).collections
        named = (_OWN.fullmatch(each.name) for each in listed)
        return sorted({match[1] for match in named if match and f"{_PREFIX}{match[1]}" != self._name})

    def empty(self) -> bool:
        """See :class:`VectorStore`."""
        return not any(collection.count(_everything()) for collection in self._collections())

    def purge(self, generation: int) -> None:
        """See :class:`VectorStore`. What was deleted is the server's to overwrite."""

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _collection(self, name: str = "") -> Collection:
        return Collection(self._client, name or self._name, self._url)

    def _version(self) -> str:
        version: str = self._collection().guard(self._client.info).version
        return version

    def _collections(self) -> list[Collection]:
        """Those of this index that are there."""
        listed = self._collection().guard(self._client.get_collections).collections
        beside = re.compile(re.escape(self._name) + r"(_\d+[a-z]*)?")
        return [self._collection(each.name) for each in listed if beside.fullmatch(each.name)]

    def _holding(self, generation: int) -> Collection:
        for collection in self._collections():
            if generation in collection.sealed():
                return collection
        raise GenerationGone(
            f"generation {generation} is not kept in {self._name} at {self._url}; open the newest one"
        )

    def _made_for(self, dimension: int, idf: bool) -> Collection:
        """The collection for such vectors, made where there is none."""
        there = self._collections()
        for collection in there:
            if collection.shape() == (dimension, idf):
                return collection
        made = self._collection(f"{self._name}_{dimension}{'' if idf else 'plain'}" if there else "")
        made.create(dimension, idf)
        return made


def _require_shape(collection: Collection, dimension: int, idf: bool) -> None:
    if collection.shape() != (dimension, idf):
        raise IndexIncompatible(
            f"{collection.name} keeps other vectors than {dimension} dimensions (IDF: {idf});"
            " have all of it embedded anew, or build a new index for other models"
        )


def _end_all(collection: Collection, generation: int) -> None:
    """A generation without a base holds no row of an earlier one."""
    from qdrant_client import models

    where = models.Filter(must=[_range(SINCE, below=generation), qdrant.equals(UNTIL, OPEN)])
    collection.call(collection.client.set_payload, payload={UNTIL: generation}, points=where)


def _forget(collection: Collection, kept: Sequence[int], latest: int) -> int:
    from qdrant_client import models

    collection.set_sealed([g for g in collection.sealed() if g in kept])
    gone = _delete(collection, models.Filter(must=[_range(SINCE, above=latest)]))
    reset = models.Filter(must=[_range(UNTIL, above=latest), _range(UNTIL, below=OPEN)])
    collection.call(collection.client.set_payload, payload={UNTIL: OPEN}, points=reset)
    needed: list[models.Condition] = [models.Filter(must=qdrant.live(g)) for g in kept]
    return gone + _delete(collection, models.Filter(must=[_range(SINCE, above=-1)], must_not=needed))


def _delete(collection: Collection, where: models.Filter) -> int:
    from qdrant_client import models

    count = collection.count(where)
    if count:
        selector = models.FilterSelector(filter=where)
        collection.call(collection.client.delete, points_selector=selector)
    return count


def _everything() -> models.Filter:
    from qdrant_client import models

    return models.Filter()


def _range(field: str, above: int | None = None, below: int | None = None) -> models.FieldCondition:
    from qdrant_client import models

    return models.FieldCondition(key=field, range=models.Range(gt=above, lt=below))
