"""The ledger: one SQLite file that knows every document, chunk row, file and finished piece of work.

Files, documents and chunks are versioned as rows of the stores are: ``since`` is the generation that
wrote a row, ``until`` the one that ended it. ``state(h)`` of a build is what is live in ``h``:
``since <= h < until``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..digests import digest
from ..errors import GenerationGone
from ..pages import Page
from ..types import Document
from .documents import document_from_json, document_to_json, pages_from_json, pages_to_json
from .ledger_file import LedgerFile
from .ports import OPEN

NAME = "ledger.db"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS roots (name TEXT PRIMARY KEY, path TEXT NOT NULL, spec TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
  source TEXT NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL, version TEXT NOT NULL, recipe TEXT NOT NULL,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, seen_ns INTEGER NOT NULL,
  since INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (source, since));
CREATE TABLE IF NOT EXISTS documents (
  id TEXT NOT NULL, file TEXT NOT NULL, root TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
  pages TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (id, since));
CREATE INDEX IF NOT EXISTS documents_file ON documents (file);
CREATE TABLE IF NOT EXISTS chunks (
  key TEXT PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL, digest TEXT NOT NULL,
  embedded TEXT NOT NULL, ordinal INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document, until);
CREATE INDEX IF NOT EXISTS chunks_embedded ON chunks (embedded);
CREATE TABLE IF NOT EXISTS nodes (
  key TEXT PRIMARY KEY, id TEXT NOT NULL, level INTEGER NOT NULL, tokens INTEGER NOT NULL, body TEXT NOT NULL,
  made TEXT NOT NULL, said TEXT NOT NULL, digest TEXT NOT NULL, embedded TEXT NOT NULL,
  since INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extractions (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS readings (
  key TEXT NOT NULL, source TEXT NOT NULL, reader TEXT NOT NULL, body TEXT NOT NULL, build INTEGER NOT NULL,
  PRIMARY KEY (key, source)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS builds (
  generation INTEGER PRIMARY KEY, base INTEGER, scope TEXT NOT NULL, state TEXT NOT NULL,
  started REAL NOT NULL, finished REAL, report TEXT);
CREATE TABLE IF NOT EXISTS failures (
  source TEXT PRIMARY KEY, root TEXT NOT NULL, file TEXT NOT NULL, reason TEXT NOT NULL,
  message TEXT NOT NULL, version TEXT NOT NULL, recipe TEXT NOT NULL, stale INTEGER NOT NULL,
  first_seen REAL NOT NULL, reported INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, command TEXT NOT NULL,
  pid INTEGER NOT NULL, host TEXT NOT NULL, started REAL NOT NULL, finished REAL, seconds REAL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',
  generation INTEGER, counts TEXT, report TEXT, quality TEXT);
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, output TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
  mark TEXT PRIMARY KEY, stage TEXT NOT NULL, remote TEXT, submitted REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch_calls (
  key TEXT PRIMARY KEY, mark TEXT NOT NULL, answer TEXT, answered REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spend (
  generation INTEGER NOT NULL, stage TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (generation, stage, name)) WITHOUT ROWID;
"""
_ORDINALS = f"""
ALTER TABLE chunks RENAME TO chunks_before;
DROP INDEX chunks_document;
DROP INDEX chunks_embedded;
{_SCHEMA}
INSERT INTO chunks SELECT key, id, document, digest, embedded, 0, since, until FROM chunks_before;
DROP TABLE chunks_before;
"""
"""Gives an older ledger's chunks a place; which one is known when a tree is grown over them."""
_FORGET_READINGS = """
DELETE FROM readings WHERE source NOT IN (SELECT file FROM failures) AND (
  source IN (SELECT f.source FROM files f WHERE f.until <= ? AND f.until > readings.build)
    AND source NOT IN (SELECT f.source FROM files f WHERE f.until > ?)
  OR build < (SELECT min(generation) FROM (SELECT generation FROM builds ORDER BY generation DESC LIMIT 10))
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.source = readings.source AND f.since <= readings.build))"""
"""What was read of files that are gone, and what none of the last builds used and no file that is kept was
read by: a build that was stopped goes on with what it read of new files, though others came between."""
EDITED = "edited-"
"""How the recipe of a file begins whose content was changed after it was read."""
_VERSIONED = ("files", "documents", "chunks", "nodes")


@dataclass(frozen=True, slots=True)
class FileRow:
    """A source file as it was when its documents were read; ``seen_ns`` is the clock at that moment."""

    source: str
    root: str
    path: str
    version: str
    recipe: str
    size: int
    mtime_ns: int
    inode: int
    seen_ns: int

    @property
    def edited(self) -> bool:
        """Whether an edit may have taken out of its documents what still stands in it."""
        return self.recipe.startswith(EDITED)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in the ledger: which file and root it came from, and the digest of all that is kept."""

    document: Document
    file: str
    root: str
    digest: str


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A stored chunk: its row's key, the digests of its payload and of what was embedded, and its place
    among the document's chunks."""

    key: str
    id: str
    document: str
    digest: str
    embedded: str
    ordinal: int = 0


class Ledger(LedgerFile):
    """Opens ``ledger.db`` in an index's folder. Safe from several threads; one process writes."""

    def __init__(self, folder: Path, create: bool = False) -> None:
        """Raises StoreFull, or StoreError where the file is missing, damaged or closed to us."""
        super().__init__(folder / NAME, _SCHEMA if create else None)

    def complete(self) -> None:
        """Make what an older version did not know. For whoever holds the writer's lock."""
        self.script(_SCHEMA)
        if not self.rows("SELECT 1 FROM pragma_table_info('chunks') WHERE name = 'ordinal'"):
            self.script(_ORDINALS)
        if not self.rows("SELECT 1 FROM pragma_table_info('failures') WHERE name = 'reported'"):
            self.script("ALTER TABLE failures ADD COLUMN reported INTEGER NOT NULL DEFAULT 1;")

    def note(self, key: str) -> str | None:
        """What was last noted under ``key``."""
        rows = self.rows("SELECT value FROM notes WHERE key = ?", key)
        return rows[0]["value"] if rows else None

    def set_note(self, key: str, value: str) -> None:
        """Note ``value`` under ``key``."""
        self.write("INSERT OR REPLACE INTO notes VALUES (?,?)", [(key, value)])

    # What a generation holds

    def documents(self, generation: int) -> list[DocumentRow]:
        """The documents live in ``generation``."""
        rows = self.rows("SELECT * FROM documents WHERE since <= ? AND until > ?", generation, generation)
        return [row_to_document(row) for row in rows]

    def documents_of(self, file: str, root: str, generation: int) -> list[DocumentRow]:
        """The documents that one file of a root gave."""
        sql = "SELECT * FROM documents WHERE file = ? AND root = ? AND since <= ? AND until > ?"
        return [row_to_document(row) for row in self.rows(sql, file, root, generation, generation)]

    def document(self, document: str, generation: int) -> DocumentRow | None:
        """One document, None where ``generation`` does not hold it."""
        sql = "SELECT * FROM documents WHERE id = ? AND since <= ? AND until > ?"
        rows = self.rows(sql, document, generation, generation)
        return row_to_document(rows[0]) if rows else None

    def pages(self, document: str, generation: int) -> tuple[Page, ...]:
        """The pages of a document with their coverage. Raises GenerationGone if it is not there."""
        sql = "SELECT pages FROM documents WHERE id = ? AND since <= ? AND until > ?"
        rows = self.rows(sql, document, generation, generation)
        if not rows:
            raise GenerationGone(f"document {document} is not in generation {generation}")
        return pages_from_json(rows[0]["pages"])

    def all_pages(self, generation: int) -> dict[str, tuple[Page, ...]]:
        """The pages of every document, by its id."""
        sql = "SELECT id, pages FROM documents WHERE since <= ? AND until > ?"
        return {row["id"]: pages_from_json(row["pages"]) for row in self.rows(sql, generation, generation)}

    def pictures(self) -> set[str]:
        """The digests of all pictures that some state of a document that is kept has on its pages."""
        rows = self.rows("SELECT pages FROM documents WHERE pages LIKE '%]]]%'")
        pages = (page for row in rows for page in pages_from_json(row["pages"]))
        return {figure.digest for page in pages for figure in page.figures}

    def chunk_counts(self, generation: int) -> dict[str, int]:
        """How many chunks every document has, by its id."""
        sql = "SELECT document, count(*) FROM chunks WHERE since <= ? AND until > ? GROUP BY document"
        return {row[0]: row[1] for row in self.rows(sql, generation, generation)}

    def files(self, generation: int) -> dict[str, FileRow]:
        """The files live in ``generation``, by source."""
        rows = self.rows("SELECT * FROM files WHERE since <= ? AND until > ?", generation, generation)
        return {row["source"]: FileRow(*tuple(row)[:9]) for row in rows}

    def file(self, source: str, generation: int) -> FileRow | None:
        """The file of this source, None where ``generation`` does not hold it."""
        sql = "SELECT * FROM files WHERE source = ? AND since <= ? AND until > ?"
        rows = self.rows(sql, source, generation, generation)
        return FileRow(*tuple(rows[0])[:9]) if rows else None

    def file_of(self, document: str, generation: int) -> FileRow | None:
        """The file that a document came from; None where it was handed in."""
        row = self.document(document, generation)
        if row is None:
            return None
        sql = "SELECT * FROM files WHERE source = ? AND root = ? AND since <= ? AND until > ?"
        rows = self.rows(sql, row.file, row.root, generation, generation)
        return FileRow(*tuple(rows[0])[:9]) if rows else None

    def chunks(self, document: str, generation: int) -> list[ChunkRow]:
        """The chunk rows of a document live in ``generation``."""
        sql = "SELECT * FROM chunks WHERE document = ? AND since <= ? AND until > ?"
        return [ChunkRow(*tuple(row)[:6]) for row in self.rows(sql, document, generation, generation)]

    def reading_order(self, generation: int) -> list[tuple[str, str]]:
        """The ids of all chunks live in ``generation``, each with its document's, in reading order."""
        sql = "SELECT id, document FROM chunks WHERE since <= ? AND until > ? ORDER BY document, ordinal, key"
        return [(row["id"], row["document"]) for row in self.rows(sql, generation, generation)]

    def live_keys(self, generation: int, table: str | None = None) -> set[str]:
        """The keys of all rows of the vector store live in ``generation``: of ``chunks``, of ``nodes``, or
        of both (None)."""
        keys: set[str] = set()
        for each in ("chunks", "nodes") if table is None else (table,):
            sql = f"SELECT key FROM {each} WHERE since <= ? AND until > ?"
            keys.update(row["key"] for row in self.rows(sql, generation, generation))
        return keys

    def count(self, table: str, generation: int) -> int:
        """How many rows of ``files``, ``documents``, ``chunks`` or ``nodes`` are live in ``generation``."""
        assert table in _VERSIONED
        sql = f"SELECT count(*) FROM {table} WHERE since <= ? AND until > ?"
        return int(self.rows(sql, generation, generation)[0][0])

    def embedded_rows(self, digests: Sequence[str]) -> dict[str, str]:
        """For digests of embedded text: the key of one row that already holds the vectors."""
        found: dict[str, str] = {}
        for at in range(0, len(digests), 500):
            batch = digests[at : at + 500]
            marks = ",".join("?" * len(batch))
            sql = (
                f"SELECT embedded, min(key) AS key FROM chunks WHERE embedded IN ({marks}) GROUP BY embedded"
            )
            found.update((row["embedded"], row["key"]) for row in self.rows(sql, *batch))
        return found

    # What a build writes into generation h

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
                    found = self.document(document, h)
                    self.write("DELETE FROM documents WHERE id = ? AND since = ?", [(document, h)])
                    self.write(
                        "UPDATE documents SET until = ? WHERE id = ? AND until = ?", [(OPEN, document, h)]
                    )
                    if found is not None:
                        self.write("DELETE FROM files WHERE source = ? AND since = ?", [(found.file, h)])
                        reopened = (OPEN, found.file, h)
                        self.write("UPDATE files SET until = ? WHERE source = ? AND until = ?", [reopened])
                self.write("DELETE FROM chunks WHERE key = ? AND since = ?", [(key, h)])

    def erase_after(self, published: int) -> None:
        """Forget everything that only generations after ``published`` wrote or ended."""
        with self.transaction():
            for table in _VERSIONED:
                self.write(f"DELETE FROM {table} WHERE since > ?", [(published,)])
                self.write(f"UPDATE {table} SET until = ? WHERE until > ?", [(OPEN, published)])
            self.write("UPDATE builds SET state = 'dropped' WHERE generation > ?", [(published,)])

    def forget_ended(self, oldest: int) -> int:
        """Drop rows that ended at or before generation ``oldest``, the oldest one kept."""
        dropped = 0
        with self.transaction():
            self.write(_FORGET_READINGS, [(oldest, oldest)])  # while the files that are gone are still known
            for table in _VERSIONED:
                dropped += int(self.rows(f"SELECT count(*) FROM {table} WHERE until <= ?", oldest)[0][0])
                self.write(f"DELETE FROM {table} WHERE until <= ?", [(oldest,)])
        return dropped


def document_row(document: Document, pages: tuple[Page, ...], file: str, root: str) -> DocumentRow:
    """The ledger's row of a document, its digest taken over everything that is kept."""
    kept = digest([document_to_json(document), pages_to_json(pages), file, root])
    return DocumentRow(document, file, root, kept)


def row_to_document(row: sqlite3.Row) -> DocumentRow:
    """A document of the table of documents."""
    return DocumentRow(document_from_json(row["body"]), row["file"], row["root"], row["digest"])
