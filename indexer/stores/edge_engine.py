"""The embedded Qdrant engine (qdrant-edge): its schema, and our types in its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..errors import StoreError
from .edge_folders import CONFIG
from .ports import Filter, Row
from .stored_rows import DENSE, INTEGERS, KEYWORDS, SINCE, SPARSE, UNTIL, allowed, excluded, vectors

if TYPE_CHECKING:
    from pathlib import Path

    import qdrant_edge

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
    """Dimension and IDF that the shard in ``folder`` was made with. Raises StoreError on damage."""
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        return config["vectors"][DENSE]["size"], config["sparse_vectors"][SPARSE].get("modifier") == "idf"
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} is damaged; restore the index from a copy, or build it anew") from error


def translate(where: Filter) -> qdrant_edge.Filter:
    """Our filter in the engine's words. An empty list of allowed values matches nothing."""
    import qdrant_edge as engine

    must: list[Any] = [
        engine.FieldCondition(key=field, match=engine.MatchAny(list(values)))
        for field, values in allowed(where).items()
    ]
    if where.keys is not None:
        must.append(engine.HasIdCondition(cast("Any", set(where.keys))))
    if where.ordinals is not None:
        first, last = where.ordinals
        must.append(engine.FieldCondition(key="ordinal", range=engine.RangeFloat(gte=first, lte=last)))
    must_not: list[Any] = [
        engine.FieldCondition(key=field, match=engine.MatchAny(list(values)))
        for field, values in excluded(where).items()
    ]
    if where.min_confidence > 0:
        unsure = engine.RangeFloat(lt=where.min_confidence)
        must_not.append(engine.FieldCondition(key="confidence", range=unsure))
    return engine.Filter(must=must, must_not=must_not)


def equals(field: str, value: int) -> qdrant_edge.FieldCondition:
    """The condition that an integer field has this value."""
    import qdrant_edge as engine

    return engine.FieldCondition(key=field, match=engine.MatchValue(value))


def point(row: Row, dimension: int, since: int) -> qdrant_edge.Point:
    """A row as the engine's point. Raises IndexIncompatible on another dimension, StoreError on NaN."""
    import qdrant_edge as engine

    named = vectors(row, dimension, engine.SparseVector)
    return engine.Point(row.key, named, {**row.payload, SINCE: since})


def ended(record: qdrant_edge.Record) -> bool:
    """Whether the generation being written ended this row."""
    return UNTIL in (record.payload or {})


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
