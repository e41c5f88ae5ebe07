"""Vectors of a rehearsal: what it writes goes to a file of its own, what is there is read where it is."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ...indexer.stores.ports import Filter, Row, VectorSnapshot
from ...indexer.stretches import stretches

Open = Callable[[], VectorSnapshot]
_SCHEMA = "CREATE TABLE rows (key TEXT PRIMARY KEY, payload TEXT NOT NULL, dense BLOB) WITHOUT ROWID"
_FETCH = 500
_NUMBER = 8
"""Bytes of one term of a sparse vector."""


class ScratchVectors:
    """A VectorStore over ``below``, what opens the states that the index holds, the newest first, that writes
    into ``path``. Sparse vectors are counted and not kept. ``bytes`` is what the rows written have.
    """

    def __init__(self, path: Path, below: Sequence[Open]) -> None:
        self.bytes = 0
        self._below = below
        self._opened: dict[int, VectorSnapshot] = {}
        new = not path.exists()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._lock = threading.Lock()
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute("PRAGMA journal_mode = OFF")
        if new:
            self._connection.execute(_SCHEMA)

    def read(self, generation: int) -> VectorSnapshot:
        """What the index holds; what was written beside it is not in there."""
        return self._held(len(self._below) - 1)

    def write(self, generation: int, base: int | None, dimension: int, idf: bool) -> ScratchWriter:
        """A writer of any generation."""
        return ScratchWriter(self, generation)

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """Nothing of the index's is erased."""
        return 0

    def purge(self, generation: int) -> None:
        """Nor is anything written anew."""

    def leftovers(self, keep: Sequence[int]) -> Iterator[tuple[str, int]]:
        """Nothing of the index's is looked through."""
        return iter(())

    def others(self) -> list[str]:
        """Nor anything beside it."""
        return []

    def empty(self) -> bool:
        """See :class:`VectorStore`."""
        return not self._below and not self.keys()

    def close(self) -> None:
        """Let go of the file and of what the index holds."""
        with self._lock:
            opened, self._opened = self._opened, {}
            self._connection.close()
        for snapshot in opened.values():
            snapshot.close()

    def put(self, rows: Sequence[Row]) -> None:
        """Keep rows."""
        values = []
        for row in rows:
            payload = json.dumps(row.payload, ensure_ascii=False)
            dense = None if row.dense is None else np.asarray(row.dense, np.float32).tobytes()
            terms = len(row.sparse.indices) if row.sparse is not None else 0
            self.bytes += len(payload) + len(dense or b"") + terms * _NUMBER
            values.append((row.key, payload, dense))
        with self._lock:
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT OR REPLACE INTO rows VALUES (?,?,?)", values)
            self._connection.execute("COMMIT")

    def keys(self) -> list[str]:
        """The keys of the rows that were written."""
        with self._lock:
            return [key for (key,) in self._connection.execute("SELECT key FROM rows")]

    def drop(self, keys: Iterable[str]) -> None:
        """Forget rows that were written."""
        with self._lock:
            self._connection.executemany("DELETE FROM rows WHERE key = ?", [(key,) for key in keys])

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """Rows by key, written or held."""
        found: dict[str, Row] = {}
        for batch in stretches(keys, _FETCH):
            marks = ",".join("?" * len(batch))
            with self._lock:
                rows = self._connection.execute(
                    f"SELECT * FROM rows WHERE key IN ({marks})", batch
                ).fetchall()
            for key, payload, dense in rows:
                vector = None if dense is None else np.frombuffer(dense, np.float32)
                found[key] = Row(key, json.loads(payload), vector)
        for place in range(len(self._below)):
            if missing := [key for key in keys if key not in found]:
                rows = self._held(place).fetch(Filter(keys=missing), vectors=True)
                found.update((row.key, row) for row in rows)
        return found

    def _held(self, place: int) -> VectorSnapshot:
        if place not in self._opened:
            self._opened[place] = self._below[place]()
        return self._opened[place]


class ScratchWriter:
    """A VectorWriter whose rows go to the scratch file, and that ends nothing."""

    def __init__(self, store: ScratchVectors, generation: int) -> None:
        self.generation = generation
        self._store = store

    def upsert(self, rows: Sequence[Row]) -> None:
        """See :class:`VectorWriter`."""
        self._store.put(rows)

    def adopt(self, rows: Sequence[tuple[Row, int]]) -> None:
        """See :class:`VectorWriter`."""
        self._store.put([row for row, _ in rows])

    def end(self, keys: Iterable[str]) -> None:
        """What the ledger says of it is enough here."""

    def revive(self, keys: Iterable[str]) -> None:
        """Nothing was ended."""

    def discard(self, keys: Iterable[str]) -> None:
        """See :class:`VectorWriter`."""
        self._store.drop(keys)

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """See :class:`VectorWriter`."""
        return self._store.fetch(keys)

    def written(self) -> Iterator[str]:
        """See :class:`VectorWriter`."""
        return iter(self._store.keys())

    def commit(self) -> None:
        """Nothing here must survive a kill."""

    def seal(self, expected: int) -> None:
        """Nothing is to be published."""

    def close(self) -> None:
        """The store closes its file."""
