"""The embedded graph's file: its tables, and how text and lists go into them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import GenerationGone, StoreError, StoreInconsistent
from .ledger_file import FileState, LedgerFile

VERSIONED = ("chunks", "entities", "mentions", "relations", "communities", "tallies")
"""Tables whose rows are there where ``since <= g < until``."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS grounds (
  n INTEGER PRIMARY KEY, document TEXT NOT NULL, class TEXT NOT NULL, UNIQUE (document, class));
CREATE TABLE IF NOT EXISTS chunks (
  chunk TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, digest BLOB NOT NULL,
  ground INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (chunk, since)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entities (
  id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, digest BLOB NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (id, since)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS mentions (
  chunk TEXT NOT NULL, entity TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
  digest BLOB NOT NULL, ground INTEGER NOT NULL, subject INTEGER NOT NULL, count INTEGER NOT NULL,
  said TEXT NOT NULL, description TEXT NOT NULL, forms TEXT NOT NULL,
  PRIMARY KEY (chunk, entity, since)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS mentions_entity
  ON mentions (entity, subject DESC, count DESC, chunk, since, until, ground);
CREATE INDEX IF NOT EXISTS mentions_described
  ON mentions (entity, subject DESC, count DESC, chunk) WHERE description <> '';
CREATE TABLE IF NOT EXISTS tallies (
  entity TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, mentions INTEGER NOT NULL,
  outgoing INTEGER NOT NULL, incoming INTEGER NOT NULL, PRIMARY KEY (entity, since)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS untallied (generation INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS begun (generation INTEGER PRIMARY KEY);

CREATE TABLE IF NOT EXISTS forms (n INTEGER PRIMARY KEY, form TEXT NOT NULL UNIQUE, letters TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spelled (
  form INTEGER NOT NULL, entity TEXT NOT NULL, chunk TEXT NOT NULL, since INTEGER NOT NULL,
  ground INTEGER NOT NULL, PRIMARY KEY (form, entity, chunk, since)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS mention_gone AFTER DELETE ON mentions BEGIN
  DELETE FROM spelled WHERE form IN (SELECT value FROM json_each(OLD.forms))
    AND entity = OLD.entity AND chunk = OLD.chunk AND since = OLD.since;
END;
CREATE VIRTUAL TABLE IF NOT EXISTS alike USING fts5(
  letters, content='forms', content_rowid='n', tokenize='trigram');
CREATE VIRTUAL TABLE IF NOT EXISTS trigrams USING fts5vocab (alike, row);
CREATE TRIGGER IF NOT EXISTS form_gone AFTER DELETE ON forms BEGIN
  INSERT INTO alike (alike, rowid, letters) VALUES ('delete', OLD.n, OLD.letters);
END;

CREATE TABLE IF NOT EXISTS relations (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
  digest BLOB NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, weight INTEGER NOT NULL,
  body TEXT NOT NULL, UNIQUE (id, since));
CREATE INDEX IF NOT EXISTS relations_out ON relations (source, weight DESC, id, since, until, target);
CREATE INDEX IF NOT EXISTS relations_in ON relations (target, weight DESC, id, since, until, source);
CREATE TABLE IF NOT EXISTS evidence (
  relation INTEGER NOT NULL, place INTEGER NOT NULL, ground INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (relation, place)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS relation_gone AFTER DELETE ON relations BEGIN
  DELETE FROM evidence WHERE relation = OLD.n;
END;

CREATE TABLE IF NOT EXISTS communities (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
  digest BLOB NOT NULL, level INTEGER NOT NULL, size INTEGER NOT NULL, members TEXT NOT NULL,
  documents TEXT NOT NULL, classes TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (id, since));
CREATE TABLE IF NOT EXISTS members (
  entity TEXT NOT NULL, community INTEGER NOT NULL, PRIMARY KEY (entity, community)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS community_gone AFTER DELETE ON communities BEGIN
  DELETE FROM members WHERE entity IN (SELECT value FROM json_each(OLD.members)) AND community = OLD.n;
END;
"""
"""A *ground* is a document and an access class: what a mention or a piece of evidence stands on, and so
what decides who may read it. ``forms`` are the normalised names, *spelled* says which mention has which.
Rows that hang on a versioned one go with it, by triggers. What is new goes into the full text a batch at a
time, by its writer: by a trigger it takes twenty times as long."""

_READERS_CACHE, _WRITERS_CACHE = 16 * 1024, 128 * 1024
"""KiB of the file that a connection may hold. A build's rows come in an order that suits one index alone."""
_LOOKED_AT = 240
"""Characters of a name that its likeness to others is judged by."""
_ANEW = "the next treegraph build SOURCE... makes the graph anew"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{2,}")
_PIECES = re.compile(r"[\W_]+")


class GraphFile(LedgerFile):
    """``graph.db`` as one thread uses it; without a schema, for reading only. Rows are plain tuples.

    ``inode`` is the file's, by which a reader knows it again: a graph that was made anew is another file, and
    GenerationGone is raised rather than read it.
    """

    def __init__(self, path: Path, schema: str | None = None, inode: int | None = None) -> None:
        self.inode = inode
        super().__init__(path, schema)

    def _opened(self) -> tuple[sqlite3.Connection, FileState | None]:
        inode = self._state()[0] if self.inode is None else self.inode
        connection, frozen = super()._opened()
        if self._state()[0] != inode:
            connection.close()
            raise GenerationGone(f"{self.path} was made anew; refresh the index to read what it holds now")
        self.inode = inode
        return connection, frozen

    def _connect(self, mode: str, schema: str | None = None) -> sqlite3.Connection:
        connection = super()._connect(mode, schema)
        connection.row_factory = None
        connection.execute(f"PRAGMA cache_size = -{_READERS_CACHE if schema is None else _WRITERS_CACHE}")
        connection.execute("PRAGMA temp_store = MEMORY")
        # What is removed is overwritten: nothing of a removed document stays in the file.
        connection.execute(f"PRAGMA {'query_only' if schema is None else 'secure_delete'} = ON")
        return connection

    def _damaged(self, cause: str) -> StoreError:
        return StoreInconsistent(f"{self.path} is damaged ({cause}); {_ANEW}")

    def _missing(self) -> StoreError:
        return StoreInconsistent(f"{self.path} is missing; {_ANEW}")


def packed(value: Any) -> str:
    """A JSON value as text that SQLite takes: lone surrogates are escaped, everything else is as it is."""
    text = _encode(value)
    return text if text.isascii() or not _UNWRITABLE.search(text) else json.dumps(value)


def listed(values: Iterable[str | int]) -> str:
    """Values, each once, as a parameter for ``json_each``."""
    return json.dumps(list(dict.fromkeys(values)))


def plain(text: str) -> str:
    """Text that SQLite compares whole: NUL and lone surrogates become the replacement character."""
    return text if text.isalnum() else _UNWRITABLE.sub("\ufffd", text)


def letters(form: str) -> str:
    """A name as its trigrams are taken: words with a space around each, ideographs in overlapping pairs.

    So a word of two letters has trigrams too, and one in the middle of a run without spaces is found.
    """
    text = " ".join(piece for piece in _PIECES.split(form[:_LOOKED_AT]) if piece) or form[:_LOOKED_AT]
    text = _IDEOGRAPHS.sub(lambda run: " " + " ".join(_pairs(run.group())) + " ", text)
    return f" {' '.join(text.split())} "


def trigrams(text: str) -> list[str]:
    """Every three characters in a row of :func:`letters`, each once."""
    return list(dict.fromkeys(text[at : at + 3] for at in range(len(text) - 2)))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]
