"""Clearing the ledger of documents: every row, every report that names them, every free page of its file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..types import Document
from .ledger import Ledger
from .ledger_rows import DocumentRow, row_to_document

PURGED = "[purged]"
"""Stands in reports of earlier runs where a name did."""
_ROWS = {
    "notes", "roots", "files", "documents", "chunks", "nodes", "extractions", "readings", "failures", "calls",
    "spend", "embeddings", "run_spend",
}  # fmt: skip
"""Tables that are cleared row by row; the others hold reports, in which names are replaced."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What a document leaves behind: ids of ``documents``, sources of ``files``, and all ``names`` and places
    that reports may call them by."""

    documents: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class LedgerPurge:
    """Clears one ledger. For whoever holds the writer's lock."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def known(self) -> list[DocumentRow]:
        """Every document that some row knows of, ended ones too; files that failed, or of which only readings
        are kept, as documents without an id."""
        rows = self._ledger.rows
        known = [row_to_document(row) for row in rows("SELECT * FROM documents")]
        files = {row["source"]: row["root"] for row in rows("SELECT source, root FROM files")}
        files |= {
            row["source"]: row["source"].partition("/")[0] for row in rows("SELECT source FROM readings")
        }
        files |= {row["file"]: row["root"] for row in rows("SELECT file, root FROM failures")}
        held = {row.file for row in known}
        known += [_bare(source, source, root) for source, root in files.items() if source not in held]
        failed = rows("SELECT source, file, root FROM failures WHERE source <> file")
        return known + [_bare(row["source"], row["file"], row["root"]) for row in failed]

    def traces(self, gone: Sequence[DocumentRow]) -> Traces:
        """What is to be cleared of these documents. A file that keeps others keeps its own name."""
        ids = {row.document.id for row in gone} - {""}
        others = {row.file for row in self.known() if row.document.id and row.document.id not in ids}
        files = {row.file for row in gone} - others
        paths = self._ledger.rows("SELECT source, path FROM files")
        names = {row.document.source for row in gone} | files
        names |= {row["path"] for row in paths if row["source"] in files}
        return Traces(tuple(sorted(ids)), tuple(sorted(files)), tuple(sorted(names - {""})))

    def forget_calls(self) -> int:
        """Forget all remembered model calls, and what was embedded for documents that did not come in: none
        says which documents its text was of."""
        count = int(self._ledger.rows("SELECT count(*) FROM calls")[0][0])
        for table in ("calls", "batch_calls", "batches", "embeddings"):
            self._ledger.write(f"DELETE FROM {table}", [()])
        return count

    def forget_extractions(self) -> None:
        """Forget what was found in all chunks: which of it is of which is known only to who made it."""
        self._ledger.write("DELETE FROM extractions", [()])

    def forget(self, traces: Traces) -> dict[str, int]:
        """Delete what other rows than those of generations say of ``traces``, take their names out of
        reports, and forget what failed runs said. Returns how many readings, failures and reports that
        were."""
        ledger = self._ledger
        files = [(file,) for file in traces.files]
        counts = {"readings": self._count("readings", "source", traces.files)}
        ledger.write("DELETE FROM readings WHERE source = ?", files)
        counts["failures"] = self._count("failures", "source", traces.names)
        ledger.write("DELETE FROM failures WHERE source = ?", [(name,) for name in traces.names])
        ledger.write("DELETE FROM failures WHERE file = ?", files)
        held = "SELECT root FROM files UNION SELECT root FROM failures UNION SELECT root FROM documents"
        roots = {(file.partition("/")[0],) for file in traces.files}
        ledger.write(f"DELETE FROM roots WHERE name = ? AND name NOT IN ({held})", sorted(roots))
        counts["reports"] = sum(self._scrub(table, traces.names) for table in self._reports())
        ledger.write("UPDATE runs SET message = '' WHERE message <> ''", [()])  # they may quote anything
        return counts

    def overwrite(self) -> None:
        """Write the file anew without its free pages, and empty its log."""
        self._ledger.compact()

    def _count(self, table: str, column: str, values: Sequence[str]) -> int:
        sql = f"SELECT count(*) FROM {table} WHERE {column} = ?"
        return sum(int(self._ledger.rows(sql, value)[0][0]) for value in values)

    def _reports(self) -> Iterator[str]:
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for row in self._ledger.rows(sql):
            if row["name"] not in _ROWS:
                yield row["name"]

    def _scrub(self, table: str, names: Sequence[str]) -> int:
        """Replace names in the text columns of a table; returns how many rows had one."""
        columns = self._ledger.rows(f"SELECT name, pk FROM pragma_table_info('{table}') ORDER BY cid")
        keys = [row["name"] for row in columns if row["pk"]] or ["rowid"]
        told = [row["name"] for row in columns if not row["pk"]]
        named = _named(names)
        changed = []
        for row in self._ledger.rows(f"SELECT {', '.join([*keys, *told])} FROM {table}"):
            now = [_without(row[name], named) for name in told]
            if now != [row[name] for name in told]:
                changed.append((*now, *(row[key] for key in keys)))
        places = ", ".join(f"{name} = ?" for name in told)
        where = " AND ".join(f"{key} = ?" for key in keys)
        if changed:
            self._ledger.write(f"UPDATE {table} SET {places} WHERE {where}", changed)
        return len(changed)


def _bare(source: str, file: str, root: str) -> DocumentRow:
    return DocumentRow(Document("", source, ""), file, root, "")


def _named(names: Sequence[str]) -> re.Pattern[str]:
    """The names where they stand as wholes, a record's id behind them included."""
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest))})(?:#\S+)?(?![\w/-]|\.\w)")


def _without(value: Any, named: re.Pattern[str]) -> Any:
    if not isinstance(value, str):
        return value
    try:
        told = json.loads(value)
    except ValueError:
        return named.sub(PURGED, value)
    if not isinstance(told, dict | list):
        return named.sub(PURGED, value)
    clean = _cleaned(told, named)
    return value if clean == told else json.dumps(clean, ensure_ascii=False)


def _cleaned(told: Any, named: re.Pattern[str]) -> Any:
    """A report without the names; a failure of theirs keeps its reason alone."""
    if isinstance(told, dict):
        clean = {named.sub(PURGED, str(key)): _cleaned(value, named) for key, value in told.items()}
        theirs = isinstance(told.get("source"), str) and clean["source"] != told["source"]
        return clean | {"message": ""} if theirs and "message" in clean else clean
    if isinstance(told, list):
        return [_cleaned(each, named) for each in told]
    return named.sub(PURGED, told) if isinstance(told, str) else told
