"""What a generation holds by the ledger: files, documents with their pages, chunks."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import GenerationGone
from ..pages import Page
from ..stretches import stretches
from .documents import pages_from_json
from .ledger_file import LedgerFile
from .ledger_rows import ChunkRow, DocumentRow, FileRow, row_to_document

VERSIONED = ("files", "documents", "chunks", "nodes")
"""Tables whose rows say since and until which generation they hold."""


class LedgerState(LedgerFile):
    """Reads the state of any generation that is kept."""

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
        assert table in VERSIONED
        sql = f"SELECT count(*) FROM {table} WHERE since <= ? AND until > ?"
        return int(self.rows(sql, generation, generation)[0][0])

    def embedded_rows(self, digests: Sequence[str]) -> dict[str, str]:
        """For digests of embedded text: the key of one row that already holds the vectors."""
        found: dict[str, str] = {}
        for batch in stretches(digests, 500):
            marks = ",".join("?" * len(batch))
            sql = (
                f"SELECT embedded, min(key) AS key FROM chunks WHERE embedded IN ({marks}) GROUP BY embedded"
            )
            found.update((row["embedded"], row["key"]) for row in self.rows(sql, *batch))
        return found
