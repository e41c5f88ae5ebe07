"""The vectors of rows: of the right shape, and as the encoders make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...indexer.errors import BudgetSpent, ModelCallError
from ...indexer.models.ports import Embedder, SparseEncoder, SparseVector, Vectors
from ...indexer.stores.ports import Row
from ..embedding import embed_each
from .damage import Damage
from .holdings import Holdings
from .texts import embedded_text

_SAME = 1e-4
"""How far apart two vectors of one text may be: servers normalise, and some models round by their batch."""
_DOUBT = 1e-6


@dataclass(slots=True)
class VectorCheck:
    """Looks at the vectors of rows whose payloads are sound. ``kept`` are the dense vectors that the index
    keeps a second time, by key; ``sparse`` makes sparse vectors, None where that costs a model; ``embedder``
    makes dense ones (None: they are held against ``kept`` alone)."""

    held: Holdings
    damage: Damage
    kept: Mapping[str, Vectors] = field(default_factory=dict)
    sparse: SparseEncoder | None = None
    embedder: Embedder | None = None
    compared: int = 0
    unpaid: int = 0

    def take(self, rows: Sequence[Row]) -> None:
        """Look at some rows."""
        whole = [row for row in rows if self._shaped(row)]
        if self.sparse is not None:
            self._sparse(whole, self.sparse)
        if self.embedder is not None:
            self._dense(whole, self.embedder)
            return
        for row in whole:
            if self._differs(row):
                self._bad(row, "its dense vector is not the one that the index keeps a copy of")

    def _differs(self, row: Row) -> bool:
        """Whether a row's vector is another one than the copy that is kept of it."""
        if row.dense is None or row.key not in self.kept:
            return False
        self.compared += 1
        return not np.allclose(row.dense, self.kept[row.key], atol=_DOUBT, rtol=0)

    def _shaped(self, row: Row) -> bool:
        node = self.held.nodes.get(row.key)
        if row.dense is None:
            if node is not None and not node.embedded:
                return True  # its text could not be embedded
            self._bad(row, "its dense vector is gone")
            return False
        if row.dense.shape != (self.held.entry.dimension,):
            self._bad(row, f"its dense vector has the shape {row.dense.shape}")
        elif not np.isfinite(row.dense).all() or not np.any(row.dense):
            self._bad(row, "its dense vector holds no direction")
        else:
            return True
        return False

    def _sparse(self, rows: Sequence[Row], encoder: SparseEncoder) -> None:
        texts = [embedded_text(row.payload) for row in rows]
        wanted = encoder.encode(texts, [row.payload["language"] for row in rows])
        for row, vector in zip(rows, wanted, strict=True):
            if not _alike(row.sparse, vector):
                self._bad(row, "its sparse vector is not that of its text")

    def _dense(self, rows: Sequence[Row], embedder: Embedder) -> None:
        embedded = [row for row in rows if row.dense is not None]
        if not embedded:
            return
        wanted = embed_each(embedder, [embedded_text(row.payload) for row in embedded])
        for row, vector in zip(embedded, wanted, strict=True):
            if isinstance(vector, ModelCallError) or row.dense is None:
                self.unpaid += isinstance(vector, BudgetSpent)
                continue
            self.compared += 1
            if not np.allclose(_unit(row.dense), _unit(vector), atol=_SAME, rtol=0):
                self._bad(row, "its dense vector is not that of its text")
            elif self._differs(row):
                what = "the copy that the index keeps of a vector is another one"
                self.damage.add("copy", "folder", row.key, what, "sweep")

    def _bad(self, row: Row, what: str) -> None:
        node = row.key in self.held.nodes
        source = "" if node else self.held.source(str(row.payload["document"]))
        self.damage.add("vector", "vectors", row.key, what, "grow" if node else "embed", source)
        (self.damage.nodes if node else self.damage.chunks).add(row.key)


def _unit(vector: Vectors) -> Vectors:
    norm = float(np.linalg.norm(vector)) or 1.0
    unit: Vectors = vector / np.float32(norm)
    return unit


def _alike(found: SparseVector | None, wanted: SparseVector) -> bool:
    if found is None or not found.indices:
        return not wanted.indices
    have = dict(zip(found.indices, found.values, strict=True))
    want = dict(zip(wanted.indices, wanted.values, strict=True))
    return have.keys() == want.keys() and all(abs(have[i] - want[i]) <= _SAME * abs(want[i]) for i in want)
