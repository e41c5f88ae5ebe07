"""The ledger's file: how it is opened, its transactions, and what SQLite raises as errors of ours."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import StoreError
from .room import no_room

_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
FileState = tuple[int, int, int, bool]


class LedgerFile:
    """A SQLite file in WAL mode. Safe from several threads; one process writes.

    A reader that may not write where the file lies (another owner, read-only media), or finds no room there,
    reads the file alone, without the index of the log that SQLite would make there, and opens it anew
    whenever it changed.
    """

    def __init__(self, path: Path, schema: str | None = None) -> None:
        """Open the file; with a ``schema``, make it and the tables that are missing.

        Raises StoreFull, or StoreError where it is missing, damaged or closed to us.
        """
        self.path = path
        if schema is None and not path.exists():
            raise self._missing()
        self._lock = threading.RLock()
        self._depth = 0
        self._frozen: FileState | None = None
        self._no_room = False
        with self._guard():
            if schema is None:
                self._connection, self._frozen = self._opened()
            else:
                self._connection = self._connect("mode=rwc", schema)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become visible together, or not at all."""
        with self._guard():
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._connection.execute("COMMIT")
            except BaseException:
                # A COMMIT that fails, as on a full device, leaves its transaction open.
                if self._depth == 1 and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._guard():
            while True:
                self._follow()
                try:
                    found = self._connection.execute(sql, values).fetchall()
                except sqlite3.DatabaseError:
                    if self._unchanged():
                        raise
                else:
                    if self._unchanged():
                        return found

    def write(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement over many rows, in a transaction."""
        with self.transaction():
            self._connection.executemany(sql, rows)

    def script(self, sql: str) -> None:
        """Several statements, none of which has values: all of them are done, or none. Not inside a
        transaction."""
        with self._guard():
            try:
                self._connection.executescript(f"BEGIN IMMEDIATE;\n{sql}\nCOMMIT;")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def settle(self) -> None:
        """Make everything committed so far survive a power cut."""
        with self._guard():
            self._connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()

    def copy(self, path: Path) -> None:
        """Write all that is committed to a file of its own, which must not be there yet."""
        with self._guard():
            self._connection.execute("VACUUM INTO ?", (str(path),))

    def compact(self) -> None:
        """Write the file anew without its free pages, and empty its log: what was deleted is in neither. Not
        inside a transaction. Raises StoreError where somebody who reads it prevents that."""
        with self._guard():
            self._empty_log()
            self._connection.execute("VACUUM")
            self._empty_log()

    def _empty_log(self) -> None:
        if self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise StoreError(
                f"another process reads {self.path}, and what was deleted stays in it until that ends: close "
                "it, and run the same command again"
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise self._translated(error) from error

    def _translated(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0)  # none where the module itself refuses
        if code in _FULL or (self._no_room and code & 0xFF == sqlite3.SQLITE_READONLY):
            return no_room(self.path, self.path.parent)
        if code & 0xFF in _DAMAGED:
            return self._damaged(str(error))
        if code & 0xFF in _REFUSED:
            return StoreError(f"{self.path} is closed to this user ({error}); check its permissions")
        if code & 0xFF in _BUSY:
            return StoreError(f"another process writes {self.path} ({error}); run again when it ended")
        return StoreError(f"{self.path}: {error}")

    def _damaged(self, cause: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged ({cause}); restore the index from a copy, or build it anew elsewhere"
        )

    def _missing(self) -> StoreError:
        return StoreError(f"{self.path} is missing; restore the index's folder from a copy")

    def _opened(self) -> tuple[sqlite3.Connection, FileState | None]:
        """A connection to the existing file, and the state that it is read alone in, if it is."""
        log = self.path.with_name(self.path.name + "-wal")
        frozen = self._state()
        try:
            return self._connect("mode=rw"), None
        except sqlite3.OperationalError as error:
            self._no_room = error.sqlite_errorcode in _FULL
            written = log.exists() and log.stat().st_size
            if not (self._no_room and not written) and error.sqlite_errorcode & 0xFF not in _REFUSED:
                raise
            if written:
                raise StoreError(
                    f"{log} holds what was written last, and {log.parent} cannot be written;"
                    " open the index once with permission to write there"
                ) from error
        return self._connect("mode=ro&immutable=1"), frozen

    def _connect(self, mode: str, schema: str | None = None) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{mode}",
            uri=True,
            check_same_thread=False,
            isolation_level=None,
            timeout=30,
        )
        try:
            connection.row_factory = sqlite3.Row
            if schema is not None:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.executescript(schema)
            connection.execute("PRAGMA synchronous=NORMAL")
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                raise self._damaged("it is empty")
        except BaseException:
            connection.close()
            raise
        return connection

    def _follow(self) -> None:
        """Open a file that is read alone anew if another process has changed it."""
        if not self._unchanged():
            before = self._connection
            self._connection, self._frozen = self._opened()
            before.close()

    def _unchanged(self) -> bool:
        return self._frozen is None or self._frozen == self._state()

    def _state(self) -> FileState:
        log = self.path.with_name(self.path.name + "-wal")
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0, 0, 0, False
        return found.st_ino, found.st_size, found.st_mtime_ns, log.exists()
