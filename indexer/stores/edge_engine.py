"""The embedded Qdrant engine (qdrant-edge): its schema, its errors, and our types in its own."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import IndexIncompatible, IndexLocked, StoreError, StoreFull, TreegraphError
from ..models.ports import SparseVector
from .edge_folders import CONFIG
from .ports import Filter, Row

if TYPE_CHECKING:
    from pathlib import Path

    import qdrant_edge

DENSE, SPARSE = "dense", "sparse"
SINCE, UNTIL = "since", "until"
KEYWORDS = ("kind", "document", "class", "id")
INTEGERS = ("level", "ordinal")
_NO_ROOM = ("no space left", "os error 28", "disk quota", "os error 122", "not enough space")
_LOCKED = "WouldBlock"
_GRAPH_KB = 1000
"""Segments with fewer kilobytes of vectors, as an update adds, get no graph of their own."""
_PAGE = 1000


def schema(dimension: int, idf: bool, hnsw: bool = False) -> qdrant_edge.EdgeConfig:
    """The engine's configuration: exact search over one growing segment, or with ``hnsw`` a graph.

    Without HNSW the indexing threshold is 0, which switches every index over vectors off; the default
    would build one from about 5,000 rows on.
    """
    import qdrant_edge as engine

    return engine.EdgeConfig(
        vectors={DENSE: engine.EdgeVectorParams(size=dimension, distance=engine.Distance.Cosine)},
        sparse_vectors={SPARSE: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf if idf else None)},
        optimizers=engine.EdgeOptimizersConfig(indexing_threshold=_GRAPH_KB if hnsw else 0),
        hnsw_config=engine.HnswIndexConfig(m=16, ef_construct=128, full_scan_threshold=10_000),
    )


def stored_schema(folder: Path) -> tuple[int, bool]:
    """Dimension and IDF that the shard in ``folder`` was made with."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    return config["vectors"][DENSE]["size"], config["sparse_vectors"][SPARSE].get("modifier") == "idf"


@contextmanager
def engine_errors(doing: str, folder: Path) -> Iterator[None]:
    """Turn what the engine and the file system raise into StoreFull or StoreError."""
    try:
        yield
    except TreegraphError:
        raise
    except OSError as error:
        raise _as_store_error(
            doing, folder, error, full=error.errno in (errno.ENOSPC, errno.EDQUOT)
        ) from error
    except (TypeError, ValueError) as error:
        cause = str(error).splitlines()[0]
        message = f"Cannot {doing} in {folder}: the store keeps JSON values under UUID keys: {cause}"
        raise StoreError(message) from error
    except Exception as error:
        # The engine raises bare Exception for everything of its own, so nothing narrower catches it.
        if type(error) is not Exception:
            raise
        full = any(word in str(error).lower() for word in _NO_ROOM)
        raise _as_store_error(doing, folder, error, full) from error


def _as_store_error(doing: str, folder: Path, error: Exception, full: bool) -> StoreError | IndexLocked:
    if _LOCKED in str(error):
        return IndexLocked(f"Cannot {doing}: another process writes in {folder}; wait for it to end.")
    if full:
        return StoreFull(f"No room left to {doing} in {folder}: free some disk space and run again.")
    return StoreError(
        f"Cannot {doing} in {folder}: {error}. Run again; if it persists, delete that folder and build anew."
    )


def translate(where: Filter) -> qdrant_edge.Filter:
    """Our filter in the engine's words. An empty list of allowed values matches nothing."""
    import qdrant_edge as engine

    listed = {"kind": where.kinds, "class": where.classes, "document": where.documents, "id": where.ids}
    must: list[Any] = [
        engine.FieldCondition(key=field, match=engine.MatchAny(list(values)))
        for field, values in listed.items()
        if values is not None
    ]
    if where.keys is not None:
        must.append(engine.HasIdCondition(cast("Any", set(where.keys))))
    if where.ordinals is not None:
        first, last = where.ordinals
        must.append(engine.FieldCondition(key="ordinal", range=engine.RangeFloat(gte=first, lte=last)))
    must_not: list[Any] = []
    if where.not_documents:
        excluded = engine.MatchAny(list(where.not_documents))
        must_not.append(engine.FieldCondition(key="document", match=excluded))
    return engine.Filter(must=must, must_not=must_not)


def equals(field: str, value: int) -> qdrant_edge.FieldCondition:
    """The condition that an integer field has this value."""
    import qdrant_edge as engine

    return engine.FieldCondition(key=field, match=engine.MatchValue(value))


def point(row: Row, dimension: int, since: int) -> qdrant_edge.Point:
    """A row as the engine's point. Raises IndexIncompatible on another dimension, StoreError on NaN."""
    import qdrant_edge as engine

    vector: dict[str, Any] = {}
    if row.dense is not None:
        if row.dense.shape != (dimension,):
            message = f"Row {row.key} has a vector of shape {row.dense.shape}, this index keeps {dimension}."
            raise IndexIncompatible(f"{message} Build a new index for another embedding model.")
        if not np.isfinite(row.dense).all():
            raise StoreError(f"Row {row.key} has a vector with NaN or infinity: check the embedding model.")
        vector[DENSE] = row.dense.tolist()
    if row.sparse is not None and row.sparse.indices:
        vector[SPARSE] = engine.SparseVector(list(row.sparse.indices), list(row.sparse.values))
    return engine.Point(row.key, vector, {**row.payload, SINCE: since})


def row(record: qdrant_edge.Record) -> Row:
    """A record of the engine as our row, without the marks that the store adds to the payload."""
    vector = cast("dict[str, Any]", record.vector or {})
    dense, sparse = vector.get(DENSE), vector.get(SPARSE)
    return Row(
        key=str(record.id),
        payload=unmarked(record.payload),
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=None if sparse is None else SparseVector(tuple(sparse.indices), tuple(sparse.values)),
    )


def ended(record: qdrant_edge.Record) -> bool:
    """Whether the generation being written ended this row."""
    return UNTIL in (record.payload or {})


def unmarked(payload: dict[str, Any] | None) -> dict[str, Any]:
    """A payload as the caller gave it."""
    return {name: value for name, value in (payload or {}).items() if name not in (SINCE, UNTIL)}


def index_payloads(shard: qdrant_edge.EdgeShard) -> None:
    """Make the payload indexes that filters need, where they are missing.

    A fresh build makes them at its end: six indexes more to sync would cost each commit .25 s.
    """
    import qdrant_edge as engine

    wanted = dict.fromkeys(KEYWORDS, engine.PayloadSchemaType.Keyword)
    wanted |= dict.fromkeys(INTEGERS, engine.PayloadSchemaType.Integer)
    for field in wanted.keys() - shard.info().payload_schema.keys():
        shard.update(engine.UpdateOperation.create_field_index(field, wanted[field]))


def weight(rows: Sequence[Row]) -> int:
    """Bytes that the rows take on disk, roughly."""
    return sum(
        (0 if row.dense is None else row.dense.nbytes)
        + (0 if row.sparse is None else 16 * len(row.sparse.indices))
        + len(json.dumps(row.payload, default=str))
        for row in rows
    )


def scroll(
    shard: qdrant_edge.EdgeShard,
    where: qdrant_edge.Filter,
    limit: int | None = None,
    vectors: bool = False,
    payload: bool = True,
) -> Iterator[qdrant_edge.Record]:
    """The records that match, ordered by key, read page by page."""
    import qdrant_edge as engine

    offset, left = None, limit
    while left is None or left > 0:
        size = _PAGE if left is None else min(_PAGE, left)
        request = engine.ScrollRequest(
            limit=size, offset=offset, filter=where, with_payload=payload, with_vector=vectors
        )
        records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return
        left = None if left is None else left - len(records)
