"""What was read of pages from their pictures, kept so that a picture is read but once."""

from __future__ import annotations

from collections.abc import Collection

from .ledger import Ledger


class ReadingLedger:
    """Readings in the ledger's file, by a key that names reader and picture, each under the source of the
    file whose page it is of. They go with that file: what garbage collection finds of files that no kept
    generation holds is dropped (:meth:`.ledger.Ledger.forget_ended`). Safe from several threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, key: str) -> str | None:
        """The reading under ``key``, None where there is none."""
        rows = self._ledger.rows("SELECT body FROM readings WHERE key = ?", key)
        return rows[0]["body"] if rows else None

    def put(self, key: str, source: str, body: str) -> None:
        """Keep a reading, at once and for good."""
        self._ledger.write("INSERT OR REPLACE INTO readings VALUES (?,?,?)", [(key, source, body)])

    def trim(self, source: str, keys: Collection[str]) -> None:
        """Forget all of a file's but these."""
        known = {row["key"] for row in self._ledger.rows("SELECT key FROM readings WHERE source = ?", source)}
        gone = sorted(known.difference(keys))
        self._ledger.write("DELETE FROM readings WHERE key = ?", [(key,) for key in gone])

    def move(self, before: str, after: str) -> None:
        """A file goes by another name."""
        self._ledger.write("UPDATE readings SET source = ? WHERE source = ?", [(after, before)])
