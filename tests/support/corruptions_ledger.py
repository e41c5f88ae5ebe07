"""Ways to damage the ledger: rows dropped, changed and doubled by hand."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from damaged_index import Corruption, Harm, published

Row = dict[str, Any]
OPEN = 2**53 - 1


@contextmanager
def ledger(index: Path, name: str = "ledger.db") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(index / name)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection
        connection.commit()


def live(connection: sqlite3.Connection, table: str, generation: int, order: str) -> list[Row]:
    sql = f"SELECT * FROM {table} WHERE since <= ? AND until > ? ORDER BY {order}"
    return [dict(row) for row in connection.execute(sql, (generation, generation))]


_KEYS = {"chunks": "key", "nodes": "key", "documents": "id", "files": "source"}


def _write(connection: sqlite3.Connection, table: str, row: Row) -> None:
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def _delete(connection: sqlite3.Connection, table: str, row: Row) -> None:
    key = _KEYS[table]
    sql = f"DELETE FROM {table} WHERE {key} = ? AND since = ?"
    connection.execute(sql, (row[key], row["since"]))


def changed(
    table: str, change: Callable[[Row, random.Random], None], which: Callable[[Row], bool] = lambda row: True
) -> Harm:
    """A row of a table is another one."""

    def harm(index: Path, rng: random.Random) -> None:
        with ledger(index) as connection:
            rows = [row for row in live(connection, table, published(index), _KEYS[table]) if which(row)]
            row = rng.choice(rows)
            _delete(connection, table, row)
            before = dict(row)
            change(row, rng)
            assert row != before
            _write(connection, table, row)

    return harm


def dropped(table: str) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        with ledger(index) as connection:
            row = rng.choice(live(connection, table, published(index), _KEYS[table]))
            _delete(connection, table, row)

    return harm


def doubled(table: str) -> Harm:
    """A row is there twice: with another key, or written by another generation."""

    def harm(index: Path, rng: random.Random) -> None:
        with ledger(index) as connection:
            rows = live(connection, table, published(index), _KEYS[table])
            for row in rng.sample(rows, len(rows)):
                if table in ("chunks", "nodes"):
                    row["key"] = row["key"][::-1]
                else:
                    row["since"] = 2 if row["since"] == 1 else 1
                with suppress(sqlite3.IntegrityError):  # that one changed between the two
                    _write(connection, table, row)
                    break

    return harm


def value(name: str, make: Callable[[Any], Any]) -> Callable[[Row, random.Random], None]:
    def change(row: Row, _: random.Random) -> None:
        row[name] = make(row[name])

    return change


def inner(name: str, change: Callable[[Any, random.Random], Any]) -> Callable[[Row, random.Random], None]:
    """Something in a column of JSON."""

    def apply(row: Row, rng: random.Random) -> None:
        body = json.loads(row[name])
        row[name] = json.dumps(change(body, rng), ensure_ascii=False)

    return apply


def _key(name: str, make: Callable[[Any], Any]) -> Callable[[Row, random.Random], None]:
    return inner("body", lambda body, _: {**body, name: make(body[name])})


def _page(change: Callable[[list[Any]], None]) -> Callable[[Row, random.Random], None]:
    def apply(pages: list[Any], rng: random.Random) -> list[Any]:
        change(rng.choice(pages))
        return pages

    return inner("pages", apply)


def _longer(page: list[Any]) -> None:
    page[2] += 1


def _reversed(text: str) -> str:
    return text[::-1]


def _other_digest(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


def _paged(row: Row) -> bool:
    return bool(json.loads(row["pages"]))


def _labelled(row: Row) -> bool:
    return bool(json.loads(row["body"])["labels"])


def _loop(index: Path, rng: random.Random) -> None:
    """A node is beneath one that is beneath it."""
    with ledger(index) as connection:
        nodes = {row["id"]: row for row in live(connection, "nodes", published(index), "key")}
        pairs = [
            (parent, child)
            for parent in nodes
            for child in json.loads(nodes[parent]["body"])["children"]
            if child in nodes
        ]
        parent, child = rng.choice(sorted(pairs))
        body = json.loads(nodes[child]["body"])
        body["children"].append(parent)
        sql = "UPDATE nodes SET body = ? WHERE key = ?"
        connection.execute(sql, (json.dumps(body), nodes[child]["key"]))


def _twice(index: Path, rng: random.Random) -> None:
    """A child is beneath two nodes."""
    with ledger(index) as connection:
        rows = [r for r in live(connection, "nodes", published(index), "key") if r["level"] == 1]
        one, other = rng.sample(rows, 2)
        body = json.loads(other["body"])
        body["children"].append(rng.choice(json.loads(one["body"])["children"]))
        connection.execute("UPDATE nodes SET body = ? WHERE key = ?", (json.dumps(body), other["key"]))


def statement(sql: str, name: str = "ledger.db") -> Harm:
    """One statement; ``{seed}`` in it is a number."""

    def harm(index: Path, rng: random.Random) -> None:
        with ledger(index, name) as connection:
            done = connection.execute(sql.format(seed=rng.randrange(1_000_000), g=published(index)))
            assert done.rowcount > 0

    return harm


_EXTRACTION = "(SELECT key FROM extractions ORDER BY substr(key, 1 + {seed} % 40) LIMIT 1)"


def _said_otherwise(index: Path, rng: random.Random) -> None:
    """A name that was found in a chunk is another one."""
    with ledger(index) as connection:
        rows = [dict(row) for row in connection.execute("SELECT * FROM extractions ORDER BY key")]
        row = rng.choice([row for row in rows if "CR" in row["body"]])
        body = row["body"].replace("CR", "DR", 1)
        connection.execute("UPDATE extractions SET body = ? WHERE key = ?", (body, row["key"]))


LEDGER = (
    *(Corruption(f"a row of {table} dropped", dropped(table)) for table in _KEYS),
    *(Corruption(f"a row of {table} doubled", doubled(table)) for table in _KEYS),
    Corruption("a chunk's digest in the ledger", changed("chunks", value("digest", _other_digest))),
    Corruption("a chunk's other digest in the ledger", changed("chunks", value("embedded", _other_digest))),
    Corruption("a chunk's place in the ledger", changed("chunks", value("ordinal", lambda now: now + 1))),
    Corruption("a chunk's document in the ledger", changed("chunks", value("document", _reversed))),
    Corruption("a chunk's id in the ledger", changed("chunks", value("id", _reversed))),
    Corruption("a chunk ended in the ledger",
               changed("chunks", value("until", lambda _: 2), lambda row: row["since"] < 2)),
    Corruption("a chunk's mark in the ledger", changed("chunks", value("since", lambda _: 0))),
    Corruption("a chunk that never ends well", changed("chunks", value("until", lambda _: 77))),
    Corruption("a document's labels", changed("documents", _key("labels", lambda _: []), _labelled)),
    Corruption("a document's title", changed("documents", _key("title", lambda now: f"{now}!"))),
    Corruption("a document's pages counted wrongly",
               changed("documents", _key("page_count", lambda now: now + 1), _paged)),
    Corruption("a page's end", changed("documents", _page(_longer), _paged)),
    Corruption("a page dropped", changed("documents", inner("pages", lambda pages, _: pages[1:]), _paged)),
    Corruption("a document's digest", changed("documents", value("digest", _other_digest))),
    Corruption("a document's root", changed("documents", value("root", lambda now: f"{now}2"))),
    Corruption("a document that is no JSON", changed("documents", value("body", lambda now: now[:20]))),
    Corruption("a document's file", changed("documents", value("file", lambda now: f"{now}2"))),
    Corruption("a file's version", changed("files", value("version", _other_digest))),
    Corruption("a file's size", changed("files", value("size", lambda now: -now - 1))),
    Corruption("a file's mark", changed("files", value("since", lambda now: 99))),
    Corruption("a node's child dropped", changed("nodes", _key("children", lambda now: now[1:]))),
    Corruption("a node's child twice", changed("nodes", _key("children", lambda now: [*now, now[0]]))),
    Corruption("a node's child nowhere", changed("nodes", _key("children", lambda now: [*now, "nowhere"]))),
    Corruption("children in another order", changed("nodes", _key("children", lambda now: now[::-1]),
               lambda row: len(json.loads(row["body"])["children"]) > 1)),
    Corruption("a loop of nodes", _loop),
    Corruption("a child of two nodes", _twice),
    Corruption("a node's level in the ledger", changed("nodes", value("level", lambda now: now + 1))),
    Corruption("what a node was made of", changed("nodes", value("made", _other_digest))),
    Corruption("what a node said", changed("nodes", value("said", _other_digest))),
    Corruption("a node's digest in the ledger", changed("nodes", value("digest", _other_digest))),
    Corruption("a node's documents in the ledger",
               changed("nodes", _key("documents", lambda now: [*now, "more"]))),
    Corruption("a node's title in the ledger", changed("nodes", _key("title", lambda now: f"{now}?"))),
    Corruption("a node that is no JSON", changed("nodes", value("body", lambda now: now[:30]))),
    Corruption("an extraction dropped", statement(f"DELETE FROM extractions WHERE key = {_EXTRACTION}")),
    Corruption("an extraction that is no JSON", statement(
        f"UPDATE extractions SET body = substr(body, 1, 9) WHERE key = {_EXTRACTION}")),
    Corruption("an extraction of nothing", statement("INSERT INTO extractions VALUES ('ab{seed}', '[]')")),
    Corruption("an extraction that says another name", _said_otherwise, deep=True),
    Corruption("the chunks that a build counted", statement(
        "UPDATE builds SET report = json_set(report, '$.chunks', 3) WHERE generation = {g}")),
    Corruption("the entities that a build counted", statement(
        "UPDATE builds SET report = json_set(report, '$.entities', 3) WHERE generation = {g}")),
    Corruption("a chunk of no kept generation", statement(
        "INSERT INTO chunks SELECT 'k{seed}', id, document, digest, embedded, ordinal, 0, 1 FROM chunks"
        " LIMIT 1")),
)  # fmt: skip
