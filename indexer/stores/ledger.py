"""The ledger: one SQLite file that knows every document, chunk row, file and finished piece of work.

Files, documents and chunks are versioned as rows of the stores are: ``since`` is the generation that
wrote a row, ``until`` the one that ended it. ``state(h)`` of a build is what is live in ``h``:
``since <= h < until``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..pages import Page
from .documents import document_to_json, pages_to_json
from .ledger_rows import ChunkRow, DocumentRow, FileRow
from .ledger_schema import SCHEMA, complete_schema
from .ledger_state import VERSIONED, LedgerState
from .ports import OPEN

NAME = "ledger.db"
_FORGET_READINGS = """
DELETE FROM readings WHERE source NOT IN (SELECT file FROM failures) AND (
  source IN (SELECT f.source FROM files f WHERE f.until <= ? AND f.until > readings.build)
    AND source NOT IN (SELECT f.source FROM files f WHERE f.until > ?)
  OR build < (SELECT min(generation) FROM (SELECT generation FROM builds ORDER BY generation DESC LIMIT 10))
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.source = readings.source AND f.since <= readings.build))"""
"""What was read of files that are gone, and what none of the last builds used and no file that is kept was
read by: a build that was stopped goes on with what it read of new files, though others came between."""


class Ledger(LedgerState):
    """Opens ``ledger.db`` in an index's folder. Safe from several threads; one process writes: what a build
    makes of generation ``h``."""

    def __init__(self, folder: Path, create: bool = False) -> None:
        """Raises StoreFull, or StoreError where the file is missing, damaged or closed to us."""
        super().__init__(folder / NAME, SCHEMA if create else None)

    def complete(self) -> None:
        """Make what an older version did not know. For whoever holds the writer's lock. Raises
        IndexIncompatible where that cannot be made."""
        complete_schema(self)

    def note(self, key: str) -> str | None:
        """What was last noted under ``key``."""
        rows = self.rows("SELECT value FROM notes WHERE key = ?", key)
        return rows[0]["value"] if rows else None

    def set_note(self, key: str, value: str) -> None:
        """Note ``value`` under ``key``."""
        self.write("INSERT OR REPLACE INTO notes VALUES (?,?)", [(key, value)])

    def put_document(self, row: DocumentRow, pages: tuple[Page, ...], h: int) -> None:
        """Make ``row`` the document's state in ``h``."""
        with self.transaction():
            self.end_documents([row.document.id], h)
            body = document_to_json(row.document)
            values = (row.document.id, row.file, row.root, row.digest, body, pages_to_json(pages), h, OPEN)
            self.write("INSERT OR REPLACE INTO documents VALUES (?,?,?,?,?,?,?,?)", [values])

    def end_documents(self, ids: Iterable[str], h: int) -> None:
        """Documents that ``h`` does not hold in the state they had."""
        ids = list(ids)
        with self.transaction():
            self.write("DELETE FROM documents WHERE id = ? AND since = ?", [(i, h) for i in ids])
            self.write(
                "UPDATE documents SET until = ? WHERE id = ? AND until = ?", [(h, i, OPEN) for i in ids]
            )

    def put_file(self, row: FileRow, h: int) -> None:
        """Make ``row`` the file's state in ``h``."""
        with self.transaction():
            self.end_files([row.source], h)
            values = (
                row.source,
                row.root,
                row.path,
                row.version,
                row.recipe,
                row.size,
                row.mtime_ns,
                row.inode,
            )
            sql = "INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?,?,?,?)"
            self.write(sql, [(*values, row.seen_ns, h, OPEN)])

    def end_files(self, sources: Iterable[str], h: int) -> None:
        """Files that ``h`` does not hold in the state they had."""
        sources = list(sources)
        with self.transaction():
            self.write("DELETE FROM files WHERE source = ? AND since = ?", [(s, h) for s in sources])
            ended = [(h, s, OPEN) for s in sources]
            self.write("UPDATE files SET until = ? WHERE source = ? AND until = ?", ended)

    def touch_file(self, row: FileRow) -> None:
        """A file whose clock or place moved but whose bytes did not: remember the new clock."""
        sql = "UPDATE files SET path=?, size=?, mtime_ns=?, inode=?, seen_ns=? WHERE source=? AND until=?"
        values = (row.path, row.size, row.mtime_ns, row.inode, row.seen_ns, row.source, OPEN)
        self.write(sql, [values])

    def add_chunks(self, rows: Sequence[ChunkRow], h: int) -> None:
        """Chunk rows that the store now holds with ``since = h``."""
        values = [(r.key, r.id, r.document, r.digest, r.embedded, r.ordinal, h, OPEN) for r in rows]
        self.write("INSERT OR REPLACE INTO chunks VALUES (?,?,?,?,?,?,?,?)", values)

    def end_chunks(self, keys: Iterable[str], h: int) -> None:
        """Rows that ``h`` does not hold; rows first written in ``h`` are forgotten."""
        keys = list(keys)
        with self.transaction():
            self.write("DELETE FROM chunks WHERE key = ? AND since = ?", [(k, h) for k in keys])
            self.write("UPDATE chunks SET until = ? WHERE key = ?", [(h, k) for k in keys])

    def revive_chunks(self, keys: Iterable[str]) -> None:
        """Rows ended in the running build that it holds after all."""
        self.write("UPDATE chunks SET until = ? WHERE key = ?", [(OPEN, k) for k in keys])

    def place_chunks(self, ordinals: Mapping[str, int]) -> None:
        """Give rows, by key, their places among the chunks of their documents."""
        values = [(ordinal, key) for key, ordinal in ordinals.items()]
        self.write("UPDATE chunks SET ordinal = ? WHERE key = ?", values)

    def ended_chunks(self, document: str | None, h: int) -> list[ChunkRow]:
        """Rows that the running build ended; of one document, or of all (None)."""
        sql = "SELECT * FROM chunks WHERE until = ? AND (? IS NULL OR document = ?)"
        return [ChunkRow(*tuple(row)[:6]) for row in self.rows(sql, h, document, document)]

    def orphan_chunks(self, h: int) -> list[str]:
        """Keys of live chunk rows of documents that ``h`` does not hold, or not in this state: what was
        written before a document failed, or was given up."""
        sql = """SELECT key FROM chunks WHERE since <= :h AND until > :h AND (
                   document NOT IN (SELECT id FROM documents WHERE since <= :h AND until > :h)
                   OR since = :h AND document NOT IN
                     (SELECT id FROM documents WHERE since = :h AND until > :h))"""
        with self._guard():
            return [row["key"] for row in self._connection.execute(sql, {"h": h})]

    def undo_chunks(self, keys: Sequence[str], h: int) -> None:
        """Rows of the running build that its store lost: their documents and files are to be read again."""
        with self.transaction():
            for key in keys:
                rows = self.rows("SELECT document FROM chunks WHERE key = ? AND since = ?", key, h)
                for document in {row["document"] for row in rows}:
                    self._undo_document(document, h)
                self.write("DELETE FROM chunks WHERE key = ? AND since = ?", [(key, h)])

    def _undo_document(self, document: str, h: int) -> None:
        """Take a document and its file back to what they were before ``h``."""
        found = self.document(document, h)
        self.write("DELETE FROM documents WHERE id = ? AND since = ?", [(document, h)])
        self.write("UPDATE documents SET until = ? WHERE id = ? AND until = ?", [(OPEN, document, h)])
        if found is not None:
            self.write("DELETE FROM files WHERE source = ? AND since = ?", [(found.file, h)])
            self.write("UPDATE files SET until = ? WHERE source = ? AND until = ?", [(OPEN, found.file, h)])

    def erase_after(self, published: int) -> None:
        """Forget everything that only generations after ``published`` wrote or ended."""
        with self.transaction():
            for table in VERSIONED:
                self.write(f"DELETE FROM {table} WHERE since > ?", [(published,)])
                self.write(f"UPDATE {table} SET until = ? WHERE until > ?", [(OPEN, published)])
            self.write("UPDATE builds SET state = 'dropped' WHERE generation > ?", [(published,)])

    def forget_ended(self, oldest: int) -> int:
        """Drop rows that ended at or before generation ``oldest``, the oldest one kept."""
        dropped = 0
        with self.transaction():
            self.write(_FORGET_READINGS, [(oldest, oldest)])  # while the files that are gone are still known
            for table in VERSIONED:
                dropped += int(self.rows(f"SELECT count(*) FROM {table} WHERE until <= ?", oldest)[0][0])
                self.write(f"DELETE FROM {table} WHERE until <= ?", [(oldest,)])
        return dropped
