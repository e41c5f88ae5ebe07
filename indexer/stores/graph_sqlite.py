"""The embedded graph store: one SQLite file in the index's folder.

Rows are marked ``since`` and ``until``, so a reader of a generation sees the same whatever is written; the
file is in WAL mode, so readers and the writer do not wait for each other. A kill at any instant leaves whole
transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import StoreError
from . import graph_sqlite_soundness as soundness
from .graph_ports import Slip
from .graph_sqlite_file import SCHEMA, VERSIONED, GraphFile
from .graph_sqlite_rows import TABLES
from .graph_sqlite_snapshot import SqliteGraphSnapshot
from .graph_sqlite_writer import SqliteGraphWriter, open_writer
from .ports import OPEN

_GROUNDED = ("chunks", "mentions", "evidence")


class SqliteGraphStore:
    """``graph.db`` of one index. See :class:`GraphStore`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, generation: int) -> SqliteGraphSnapshot:
        """See :class:`GraphStore`. Raises StoreError where the file is missing, damaged or closed to us."""
        return SqliteGraphSnapshot(self._path, generation)

    def write(self, generation: int, base: int | None) -> SqliteGraphWriter:
        """See :class:`GraphStore`. Raises StoreFull, or StoreError where the file is damaged or closed."""
        return open_writer(GraphFile(self._path, SCHEMA), generation, base)

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """See :class:`GraphStore`. Without ``newest``, the newest that is kept. Returns how many chunks,
        entities, mentions, relations and communities went; nothing of them stays in the file."""
        if not self._path.exists():
            return 0
        kept = sorted(g for g in keep if newest is None or g <= newest)
        latest = max(kept, default=0) if newest is None else newest
        with closing(GraphFile(self._path, SCHEMA)) as file:
            with file.transaction():
                gone = {table: _forget(file, table, kept, latest) for table in VERSIONED}
                for table in ("untallied", "begun"):
                    file.write(f"DELETE FROM {table} WHERE generation > ?", [(latest,)])
                if any(gone.values()):
                    _sweep(file)
            if any(gone.values()):
                file.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(count for table, count in gone.items() if table != "tallies")

    def unneeded(self, keep: Sequence[int], newest: int) -> Iterator[Slip]:
        """See :class:`GraphStore`."""
        held = " OR ".join(["since <= ? AND until > ?"] * len(keep)) or "FALSE"
        values = [g for each in keep for g in (each, each)]
        with closing(GraphFile(self._path)) as file:
            yield from soundness.odd_marks(file, newest, OPEN)
            for table in VERSIONED:
                sql = f"SELECT count(*) FROM {table} WHERE since <= ? AND NOT ({held})"
                if count := file.rows(sql, max(keep, default=0), *values)[0][0]:
                    yield Slip("ended", table, f"{count} rows that no kept generation needs")

    def distrust(self, slips: Sequence[Slip]) -> None:
        """See :class:`GraphStore`. Counts that are wrong are not read any more."""
        with closing(GraphFile(self._path, SCHEMA)) as file:
            soundness.tidy(file)
            for kind, table in TABLES.items():
                keys = [table.parts(slip.key) for slip in slips if slip.kind == kind]
                soundness.distrust(file, table.name, table.which, keys)
            if any(slip.kind == "tally" for slip in slips):
                file.write("INSERT OR IGNORE INTO untallied VALUES (1)", [()])

    def purge(self) -> None:
        """See :class:`GraphStore`. Raises StoreError."""
        if self._path.exists():
            with closing(GraphFile(self._path, SCHEMA)) as file:
                with file.transaction():
                    _sweep(file)
                file.compact()

    def erase(self) -> None:
        """See :class:`GraphStore`. Raises StoreError where the file is not ours to remove."""
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be removed ({error.strerror}); do it by hand") from error

    def others(self) -> list[str]:
        """See :class:`GraphStore`."""
        return []

    def empty(self) -> bool:
        """See :class:`GraphStore`."""
        return not self._path.exists()

    def close(self) -> None:
        """See :class:`GraphStore`. Snapshots and writers have connections of their own."""


def _forget(file: GraphFile, table: str, kept: Sequence[int], latest: int) -> int:
    """Delete the rows of ``table`` that no kept generation holds, and undo what came after ``latest``."""
    file.write(f"UPDATE {table} SET until = ? WHERE until > ? AND until < ?", [(OPEN, latest, OPEN)])
    held = " OR ".join(["since <= ? AND until > ?"] * len(kept)) or "FALSE"
    lost = f"FROM {table} WHERE since > ? OR NOT ({held})"
    values = (latest, *(g for each in kept for g in (each, each)))
    count = int(file.rows(f"SELECT count(*) {lost}", *values)[0][0])
    if count:
        file.write(f"DELETE {lost}", [values])
    return count


def _sweep(file: GraphFile) -> None:
    """Drop names that no mention has any more, and grounds that nothing stands on."""
    file.write("DELETE FROM forms WHERE NOT EXISTS (SELECT 1 FROM spelled WHERE form = forms.n)", [()])
    # The full text marks what it drops; only its segments made anew are without it.
    file.write("INSERT INTO alike (alike) VALUES ('optimize')", [()])
    used = " UNION ".join(f"SELECT ground FROM {table}" for table in _GROUNDED)
    file.write(f"DELETE FROM grounds WHERE n NOT IN ({used})", [()])
