"""What a Qdrant engine keeps of a row, be it embedded or on a server: names, marks, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np

from ..errors import IndexIncompatible, StoreError
from ..models.ports import SparseVector
from .ports import OPEN, Filter, Row, Stored

DENSE, SPARSE = "dense", "sparse"
SINCE, UNTIL = "since", "until"
KEYWORDS = ("kind", "document", "class", "id")
INTEGERS = ("level", "ordinal")


class Record(Protocol):
    """A point as either client returns it."""

    @property
    def id(self) -> Any:
        """The row's key."""
        ...

    @property
    def payload(self) -> Any:
        """The payload with the store's marks, None where it was not asked for."""
        ...

    @property
    def vector(self) -> Any:
        """The vectors by name, None where they were not asked for."""
        ...


def vectors(row: Row, dimension: int, sparse: Callable[..., Any]) -> dict[str, Any]:
    """A row's vectors by name; ``sparse`` is the client's class of sparse vectors.

    Raises IndexIncompatible on another dimension, StoreError on NaN or infinity.
    """
    named: dict[str, Any] = {}
    if row.dense is not None:
        if row.dense.shape != (dimension,):
            raise IndexIncompatible(
                f"row {row.key} has a vector of shape {row.dense.shape}, this index keeps {dimension}"
                " dimensions; build a new index for another embedding model"
            )
        if not np.isfinite(row.dense).all():
            raise StoreError(f"row {row.key} has a vector with NaN or infinity; check the embedding model")
        named[DENSE] = row.dense.tolist()
    if row.sparse is not None and row.sparse.indices:
        named[SPARSE] = sparse(indices=list(row.sparse.indices), values=list(row.sparse.values))
    return named


def row(record: Record) -> Row:
    """A record of the engine as our row, without the marks that the store adds to the payload."""
    named = cast("dict[str, Any]", record.vector or {})
    dense, sparse = named.get(DENSE), named.get(SPARSE)
    return Row(
        key=str(record.id),
        payload=unmarked(record.payload),
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=None if sparse is None else SparseVector(tuple(sparse.indices), tuple(sparse.values)),
    )


def stored(record: Record) -> Stored:
    """A record with the store's marks on it."""
    marks = record.payload or {}
    return Stored(row(record), int(marks.get(SINCE, 0)), int(marks.get(UNTIL, OPEN)))


def unmarked(payload: Mapping[str, Any] | None) -> dict[str, Any]:
    """A payload as the caller gave it."""
    return {name: value for name, value in (payload or {}).items() if name not in (SINCE, UNTIL)}


def excluded(where: Filter) -> dict[str, Sequence[str]]:
    """The values that a filter excludes, by payload field; fields without any are left out."""
    listed = {"class": where.not_classes, "document": where.not_documents}
    return {field: values for field, values in listed.items() if values}


def allowed(where: Filter) -> dict[str, Sequence[str]]:
    """The values that a filter allows, by payload field; fields without a condition are left out."""
    listed: dict[str, Sequence[str] | None] = {
        "kind": where.kinds, "class": where.classes, "document": where.documents, "id": where.ids,
    }  # fmt: skip
    return {field: values for field, values in listed.items() if values is not None}
