"""The ledger's rows: as they were where that is proven, else marked so that a build makes them again."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ports import OPEN
from .damage import Damage


def mend_ledger(folder: IndexFolder, damage: Damage, published: int) -> None:
    """Write back what is proven, and take away what cannot be right."""
    ledger = folder.ledger
    with ledger.transaction():
        for table, column, key in sorted(damage.tables):
            ledger.write(f"DELETE FROM {table} WHERE {column} = ?", [(key,)])
        for table, column, key in sorted(damage.unended):
            ledger.write(f"UPDATE {table} SET until = ? WHERE {column} = ?", [(OPEN, key)])
        for proven in damage.proven.values():
            if proven.generation == published:
                row = proven.row
                values = (
                    row.key, row.id, row.document, row.digest, row.embedded, row.ordinal, proven.since, OPEN,
                )  # fmt: skip
                ledger.write("INSERT OR REPLACE INTO chunks VALUES (?,?,?,?,?,?,?,?)", [values])
        for key in damage.extractions:
            ledger.write("DELETE FROM extractions WHERE key = ?", [(key,)])
        _single(folder, "documents", "id")
        _single(folder, "files", "source")
    for generation, counts in damage.counts.items():
        _recount(folder, generation, counts)


def distrust(folder: IndexFolder, damage: Damage) -> None:
    """Have the next build take damaged rows for changed: those that do not say what they are made of are made
    again."""
    ledger = folder.ledger
    with ledger.transaction():
        unsaid = "UPDATE {} SET digest = '', embedded = '' WHERE key = ?"
        ledger.write(unsaid.format("chunks"), [(key,) for key in sorted(damage.chunks)])
        ledger.write(unsaid.format("nodes"), [(key,) for key in sorted(damage.nodes)])
        ledger.write("UPDATE nodes SET made = '' WHERE key = ?", [(key,) for key in sorted(damage.nodes)])
        unread = [(name,) for name in sorted(damage.documents)]
        ledger.write("UPDATE documents SET digest = '' WHERE id = ?", unread)


def _single(folder: IndexFolder, table: str, column: str) -> None:
    """Of two live rows of one thing the later stays."""
    doubled = f"SELECT {column} AS key FROM {table} WHERE until = ? GROUP BY {column} HAVING count(*) > 1"
    for row in folder.ledger.rows(doubled, OPEN):
        last = f"(SELECT max(since) FROM {table} WHERE {column} = ? AND until = ?)"
        sql = f"DELETE FROM {table} WHERE {column} = ? AND until = ? AND since < {last}"
        folder.ledger.write(sql, [(row["key"], OPEN, row["key"], OPEN)])


def _recount(folder: IndexFolder, generation: int, counts: Mapping[str, int]) -> None:
    """What a build said that it published, as it is there."""
    rows = folder.ledger.rows("SELECT report FROM builds WHERE generation = ?", generation)
    if rows and rows[0]["report"]:
        report = json.dumps({**json.loads(rows[0]["report"]), **counts}, ensure_ascii=False)
        folder.ledger.write("UPDATE builds SET report = ? WHERE generation = ?", [(report, generation)])
