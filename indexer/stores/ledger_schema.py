"""The tables of the ledger, and how one that an older version made comes to have them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache

from ..errors import IndexIncompatible
from .ledger_file import LedgerFile

SCHEMA = """
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
CREATE TABLE IF NOT EXISTS run_spend (
  number INTEGER PRIMARY KEY, calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL);
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, output TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
  cost REAL NOT NULL, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
  mark TEXT PRIMARY KEY, stage TEXT NOT NULL, remote TEXT, submitted REAL NOT NULL,
  server TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch_calls (
  key TEXT PRIMARY KEY, mark TEXT NOT NULL, answer TEXT, answered REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS embeddings (
  key TEXT PRIMARY KEY, vector BLOB NOT NULL, round INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spend (
  generation INTEGER NOT NULL, stage TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (generation, stage, name)) WITHOUT ROWID;
"""
_ORDINALS = f"""
ALTER TABLE chunks RENAME TO chunks_before;
DROP INDEX chunks_document;
DROP INDEX chunks_embedded;
{SCHEMA}
INSERT INTO chunks SELECT key, id, document, digest, embedded, 0, since, until FROM chunks_before;
DROP TABLE chunks_before;
"""
"""Gives an older ledger's chunks a place; which one is known when a tree is grown over them."""
_READINGS = f"""
ALTER TABLE readings RENAME TO readings_before;
{SCHEMA}
INSERT INTO readings SELECT key, source, '', body, (SELECT coalesce(max(generation), 0) FROM builds)
  FROM readings_before;
DROP TABLE readings_before;
"""
"""Keeps what was read of pages before it was noted by what, and for which build."""
_REPORTED = "ALTER TABLE failures ADD COLUMN reported INTEGER NOT NULL DEFAULT 1;"
_SERVER = "ALTER TABLE batches ADD COLUMN server TEXT NOT NULL DEFAULT '';"
_STEPS = (
    ("chunks", "ordinal", _ORDINALS),
    ("readings", "build", _READINGS),
    ("failures", "reported", _REPORTED),
    ("batches", "server", _SERVER),
)
"""What makes a column of a table that older ledgers lack."""


def complete_schema(ledger: LedgerFile) -> None:
    """Have an older ledger be as one of today. Raises IndexIncompatible where no step leads there."""
    ledger.script(SCHEMA)
    for table, column, script in _STEPS:
        if column not in _columns(ledger, table):
            ledger.script(script)
    for table, columns in _wanted().items():
        if missing := columns - _columns(ledger, table):
            raise IndexIncompatible(
                f"{ledger.path} is of another version of treegraph ({table}: no {', '.join(sorted(missing))})"
                "; build the index anew in another folder: treegraph plan SOURCE... -i ANOTHER says what that"
                " takes"
            )


def _columns(ledger: LedgerFile, table: str) -> frozenset[str]:
    return frozenset(row["name"] for row in ledger.rows("SELECT name FROM pragma_table_info(?)", table))


@cache
def _wanted() -> Mapping[str, frozenset[str]]:
    """The columns of each table."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        tables = [name for (name,) in empty.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table: frozenset(
                row[0] for row in empty.execute("SELECT name FROM pragma_table_info(?)", (table,))
            )
            for table in tables
        }
