"""What was read of pages from their pictures, kept so that a picture is read but once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .ledger import Ledger


class ReadingLedger:
    """Readings in the ledger's file, by a key that names reader and picture, each under the sources of the
    files with such a page, and with the newest build that used it. They go with their file, and some builds
    later where no file was finished with them (:meth:`.ledger.Ledger.forget_ended`). Safe from several
    threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, key: str) -> str | None:
        """The reading under ``key``, of whichever file; None where there is none."""
        rows = self._ledger.rows("SELECT body FROM readings WHERE key = ? LIMIT 1", key)
        return rows[0]["body"] if rows else None

    def readers(self) -> set[str]:
        """The names of those whose readings are here."""
        return {row["reader"] for row in self._ledger.rows("SELECT DISTINCT reader FROM readings")}

    def put(self, key: str, source: str, reader: str, body: str) -> None:
        """Keep a reading that a file's page has by the reader of this name, at once and for good."""
        sql = """INSERT OR REPLACE INTO readings
                 SELECT ?, ?, ?, ?, coalesce(max(generation), 0) FROM builds"""
        self._ledger.write(sql, [(key, source, reader, body)])

    def trim(self, source: str, reader: str, keys: Collection[str]) -> None:
        """Forget all of a file's by a reader but these."""
        sql = "SELECT key FROM readings WHERE source = ? AND reader = ?"
        known = {row["key"] for row in self._ledger.rows(sql, source, reader)}
        gone = [(key, source) for key in sorted(known.difference(keys))]
        self._ledger.write("DELETE FROM readings WHERE key = ? AND source = ?", gone)

    def drop(self, sources: Iterable[str]) -> None:
        """Forget all of files that are gone, but of those that a kept generation holds."""
        sql = "DELETE FROM readings WHERE source = ? AND source NOT IN (SELECT source FROM files)"
        self._ledger.write(sql, [(source,) for source in sources])

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Keep of every reading what ``change`` makes of it."""
        rows = self._ledger.rows("SELECT key, source, body FROM readings")
        changed = [
            (now, row["key"], row["source"]) for row in rows if (now := change(row["body"])) != row["body"]
        ]
        self._ledger.write("UPDATE readings SET body = ? WHERE key = ? AND source = ?", changed)

    def move(self, before: str, after: str) -> None:
        """A file goes by another name."""
        sql = "UPDATE OR REPLACE readings SET source = ? WHERE source = ?"
        self._ledger.write(sql, [(after, before)])
