"""Rows of the ledger: files, documents and chunks, as they are in one generation."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from ..digests import digest
from ..pages import Page
from ..types import Document
from .documents import document_from_json, document_to_json, pages_to_json

EDITED = "edited-"
"""How the recipe of a file begins whose content was changed after it was read."""


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


def document_row(document: Document, pages: tuple[Page, ...], file: str, root: str) -> DocumentRow:
    """The ledger's row of a document, its digest taken over everything that is kept."""
    kept = digest([document_to_json(document), pages_to_json(pages), file, root])
    return DocumentRow(document, file, root, kept)


def row_to_document(row: sqlite3.Row) -> DocumentRow:
    """A document of the table of documents."""
    return DocumentRow(document_from_json(row["body"]), row["file"], row["root"], row["digest"])
