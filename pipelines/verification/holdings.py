"""What the ledger says that one generation holds: what its stores are held against."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from ...indexer.digests import digest
from ...indexer.pages import Page
from ...indexer.stores.documents import document_from_json, pages_from_json
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_rows import ChunkRow, DocumentRow
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.manifest import Generation
from ...indexer.types import access_class
from ..rows import encoders_digest
from .damage import Damage
from .finding import Mend


@dataclass(frozen=True, slots=True)
class Marked:
    """A chunk row of the ledger with its marks."""

    row: ChunkRow
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node row of the ledger, its body parsed; ``children`` are ids. ``made_later`` says that a build of a
    later generation may have noted what it was made of."""

    key: str
    id: str
    level: int
    tokens: int
    children: tuple[str, ...]
    title: str
    document: str | None
    section: tuple[str, ...]
    drift: int
    documents: tuple[str, ...]
    by: str
    made: str
    said: str
    digest: str
    embedded: str
    since: int
    made_later: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands, as its row in the vector store says; ``ink`` is its span without white space at
    its ends."""

    key: str
    document: str
    access: str
    ordinal: int
    start: int
    end: int
    ink: tuple[int, int]
    pages: tuple[int, int] | None
    record: str | None


@dataclass(slots=True)
class Holdings:
    """One generation by the ledger. ``places`` are filled in from the vector store, by chunk id. ``stamp`` is
    the digest of the encoders' names, which goes into that of everything embedded; ``stamps`` are all that
    the manifest knows."""

    generation: int
    entry: Generation
    stamp: str
    stamps: tuple[str, ...] = ()
    documents: dict[str, DocumentRow] = field(default_factory=dict)
    pages: dict[str, tuple[Page, ...]] = field(default_factory=dict)
    chunks: dict[str, Marked] = field(default_factory=dict)
    nodes: dict[str, NodeRecord] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def whole(self, structure: str) -> bool:
        """Whether a structure is there and up to date."""
        return self.entry.structures.get(structure) == self.generation

    def source(self, document: str) -> str:
        """A document's source, empty where it is not known."""
        row = self.documents.get(document)
        return row.document.source if row else ""

    def access(self, document: str) -> str | None:
        """The access class of a document, None where it is not known."""
        row = self.documents.get(document)
        return access_class(row.document.labels) if row else None


def holdings(folder: IndexFolder, generation: int, entry: Generation, damage: Damage) -> Holdings:
    """Read the ledger's rows of a generation; those that cannot be made sense of are noted."""
    stamps = tuple(encoders_digest(each.models) for each in folder.manifest().generations.values())
    held = Holdings(generation, entry, encoders_digest(entry.models), stamps)
    _documents(folder, held, damage)
    live = "since <= ? AND until > ?"
    for row in folder.ledger.rows(f"SELECT * FROM chunks WHERE {live}", generation, generation):
        held.chunks[row["key"]] = Marked(ChunkRow(*tuple(row)[:6]), row["since"], row["until"])
    newest = RunLog(folder.ledger).newest()
    for row in folder.ledger.rows(f"SELECT * FROM nodes WHERE {live}", generation, generation):
        try:
            held.nodes[row["key"]] = _node(row, newest > generation and row["until"] > generation + 1)
        except (ValueError, KeyError, TypeError):
            damage.add("row unreadable", "ledger", row["key"], "a node's row cannot be read", "grow")
            damage.tables.add(("nodes", "key", row["key"]))
            damage.regrow = True
    return held


def _documents(folder: IndexFolder, held: Holdings, damage: Damage) -> None:
    sql = "SELECT * FROM documents WHERE since <= ? AND until > ?"
    for row in folder.ledger.rows(sql, held.generation, held.generation):
        name, file, root = row["id"], row["file"], row["root"]
        mend: Mend = "read" if root else "none"
        if name in held.documents:
            damage.add("document twice", "ledger", name, "a document has two live rows", mend, file)
            _again(damage, name, file)
        try:
            document = document_from_json(row["body"])
            pages = pages_from_json(row["pages"])
        except (ValueError, KeyError, TypeError):
            damage.add("row unreadable", "ledger", name, "a document's row cannot be read", mend, file)
            damage.tables.add(("documents", "id", name))
            _again(damage, name, file)
            continue
        if digest([row["body"], row["pages"], file, root]) != row["digest"] or document.id != name:
            damage.add(
                "document altered", "ledger", name, "a document's row is not what was written", mend, file
            )
            _again(damage, name, file)
        held.documents[name] = DocumentRow(document, file, root, row["digest"])
        held.pages[name] = pages


def _again(damage: Damage, document: str, file: str) -> None:
    damage.documents.add(document)
    damage.sources.add(file)


def _node(row: sqlite3.Row, made_later: bool) -> NodeRecord:
    body = json.loads(row["body"])
    return NodeRecord(
        key=row["key"], id=row["id"], level=row["level"], tokens=row["tokens"],
        children=tuple(body["children"]), title=body["title"], document=body["document"],
        section=tuple(body["section"]), drift=int(body["drift"]), documents=tuple(body["documents"]),
        by=body["by"], made=row["made"], said=row["said"], digest=row["digest"], embedded=row["embedded"],
        since=row["since"], made_later=made_later,
    )  # fmt: skip
