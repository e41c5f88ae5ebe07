"""Vectors that were paid for and may not have come into the vector store yet, in the ledger's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..models.ports import Vectors
from ..stretches import stretches
from .ledger import Ledger

_ASKED = 500


class EmbeddingLedger:
    """Vectors by a key that names the model and the text. Each is of the last round, which is the life of one
    such object, that put it or got it. Safe from several threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._round = 1 + int(ledger.rows("SELECT coalesce(max(round), 0) FROM embeddings")[0][0])

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are kept, by key."""
        found: dict[str, Vectors] = {}
        for batch in stretches(keys, _ASKED):
            sql = f"SELECT key, vector FROM embeddings WHERE key IN ({','.join('?' * len(batch))})"
            for row in self._ledger.rows(sql, *batch):
                found[row["key"]] = np.frombuffer(row["vector"], np.float32)
        if found:
            sql = "UPDATE embeddings SET round = ? WHERE key = ?"
            self._ledger.write(sql, [(self._round, key) for key in found])
        return found

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors."""
        rows = [(key, vector.astype(np.float32).tobytes(), self._round) for key, vector in vectors.items()]
        self._ledger.write("INSERT OR REPLACE INTO embeddings VALUES (?,?,?)", rows)

    def drop(self, older: bool = False) -> None:
        """Forget all, or those of ``older`` rounds alone."""
        if self._ledger.rows("SELECT 1 FROM embeddings LIMIT 1"):
            before = self._round if older else self._round + 1
            self._ledger.write("DELETE FROM embeddings WHERE round < ?", [(before,)])
