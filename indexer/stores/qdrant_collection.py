"""One collection of a Qdrant server: calls with retries, and our types in the client's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..error_lines import first_line
from ..errors import StoreError, StoreFull, StoreUnreachable, TreegraphError
from .addresses import without_secrets
from .authorities import QDRANT_CA, untrusted
from .ports import Filter
from .qdrant_retries import is_connection, is_transient, retrying, told_to_wait
from .stored_rows import DENSE, INTEGERS, KEYWORDS, SINCE, SPARSE, UNTIL, allowed, excluded

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import Condition, Record
    from qdrant_client.models import Filter as EngineFilter

T = TypeVar("T")

_SEALED = "sealed"
_PAGE = 1000


class Collection:
    """Calls the client for one collection; its errors come out as ours. Safe from several threads.

    A call that the server did not answer, or put off, is tried again a few times: every write here is
    idempotent.
    """

    def __init__(self, client: QdrantClient, name: str, url: str) -> None:
        self.client = client
        self.name = name
        self._url = without_secrets(url)

    def call(self, method: Callable[..., T], **arguments: Any) -> T:
        """Call one of the client's methods on this collection."""
        return self.guard(method, collection_name=self.name, **arguments)

    def guard(self, method: Callable[..., T], **arguments: Any) -> T:
        """Call one of the client's methods. Raises StoreUnreachable, StoreFull or StoreError."""
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException

        try:
            return retrying(method, **arguments)
        except (ApiException, QdrantException, ValueError) as error:
            raise self._translated(error) from error

    def exists(self) -> bool:
        """Whether the collection was made already."""
        return self.call(self.client.collection_exists)

    def create(self, dimension: int, idf: bool) -> None:
        """Make the collection and its payload indexes."""
        from qdrant_client import models

        self.call(
            self.client.create_collection,
            vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
            sparse_vectors_config={
                SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF if idf else None)
            },
            metadata={_SEALED: []},
        )
        for schema, fields in (("keyword", KEYWORDS), ("integer", (*INTEGERS, SINCE, UNTIL))):
            for field in fields:
                self.call(self.client.create_payload_index, field_name=field, field_schema=schema)

    def shape(self) -> tuple[int, bool]:
        """Dimension of the dense vectors, and whether the server multiplies by IDF."""
        from qdrant_client import models

        params = self.call(self.client.get_collection).config.params
        vectors = cast("dict[str, models.VectorParams]", params.vectors)
        sparse = params.sparse_vectors or {}
        return vectors[DENSE].size, sparse[SPARSE].modifier == models.Modifier.IDF

    def sealed(self) -> list[int]:
        """The generations that were finished and not forgotten."""
        metadata = self.call(self.client.get_collection).config.metadata or {}
        return list(metadata.get(_SEALED, []))

    def set_sealed(self, generations: list[int]) -> None:
        """Keep the list of finished generations."""
        self.call(self.client.update_collection, metadata={_SEALED: sorted(generations)})

    def count(self, where: EngineFilter) -> int:
        """How many rows match, exactly."""
        return self.call(self.client.count, count_filter=where, exact=True).count

    def scroll(
        self, where: EngineFilter, limit: int | None = None, vectors: bool = False, payload: bool = True
    ) -> Iterator[Record]:
        """The records that match, ordered by key, read page by page."""
        offset, left = None, limit
        while left is None or left > 0:
            records, offset = self.call(
                self.client.scroll,
                scroll_filter=where,
                limit=_PAGE if left is None else min(_PAGE, left),
                offset=offset,
                with_payload=payload,
                with_vectors=vectors,
            )
            yield from records
            if offset is None:
                return
            left = None if left is None else left - len(records)

    def _translated(self, error: Exception) -> TreegraphError:
        from qdrant_client.http.exceptions import UnexpectedResponse

        status = error.status_code if isinstance(error, UnexpectedResponse) else None
        text = str(error).lower()
        if status == 507 or "no space left" in text or "out of disk" in text:
            return StoreFull(f"the Qdrant server at {self._url} has no room left; free some and run again")
        if status in (401, 403):
            return StoreError(
                f"the Qdrant server at {self._url} refuses the API key; set TREEGRAPH_QDRANT_API_KEY"
            )
        if untrusted(error):
            return StoreError(
                f"the certificate of the Qdrant server at {self._url} is not trusted ({first_line(error)}); "
                f"set {QDRANT_CA} to the file of the authority that signed it"
            )
        if is_connection(error):
            return StoreUnreachable(
                f"the Qdrant server at {self._url} does not answer;"
                " start it (`docker compose up -d qdrant`) or check the URL and its scheme"
            )
        if is_transient(error):
            seconds = told_to_wait(error)
            later = "in a while" if seconds is None else f"in {seconds:.0f} seconds"
            return StoreUnreachable(
                f"the Qdrant server at {self._url} cannot serve now ({first_line(error)}); run again {later}"
            )
        return StoreError(f"the Qdrant server at {self._url} refused: {error}; see its log, then run again")


def live(generation: int) -> list[Condition]:
    """Conditions of the rows that a generation holds."""
    from qdrant_client import models

    return [
        models.FieldCondition(key=SINCE, range=models.Range(lte=generation)),
        models.FieldCondition(key=UNTIL, range=models.Range(gt=generation)),
    ]


def equals(field: str, value: int) -> Condition:
    """The condition that an integer field has this value."""
    from qdrant_client import models

    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def translate(where: Filter, generation: int) -> EngineFilter:
    """Our filter, over one generation, in the client's words. An empty list of values matches nothing."""
    from qdrant_client import models

    must = live(generation)
    for field, values in allowed(where).items():
        must.append(models.FieldCondition(key=field, match=models.MatchAny(any=list(values))))
    if where.keys is not None:
        must.append(models.HasIdCondition(has_id=list(where.keys)))
    if where.ordinals is not None:
        first, last = where.ordinals
        must.append(models.FieldCondition(key="ordinal", range=models.Range(gte=first, lte=last)))
    must_not: list[Condition] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        for field, values in excluded(where).items()
    ]
    if where.min_confidence > 0:
        unsure = models.Range(lt=where.min_confidence)
        must_not.append(models.FieldCondition(key="confidence", range=unsure))
    return models.Filter(must=must, must_not=must_not)
