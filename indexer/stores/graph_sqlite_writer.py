"""The one writer of a generation of the embedded graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import StoreInconsistent
from .graph_rows import KINDS, CommunityRow, GraphKind, GraphRow
from .graph_sqlite_communities import stored_communities
from .graph_sqlite_file import VERSIONED, GraphFile
from .graph_sqlite_rows import TABLES, Inserts, Table
from .ports import OPEN

_TALLY = """
CREATE TEMP TABLE counted (entity TEXT PRIMARY KEY, mentions INTEGER, outgoing INTEGER, incoming INTEGER)
  WITHOUT ROWID;
INSERT INTO counted SELECT m.entity, count(*),
  (SELECT count(*) FROM relations r INDEXED BY relations_out
   WHERE r.source = m.entity AND r.since <= {h} AND r.until > {h}),
  (SELECT count(*) FROM relations r INDEXED BY relations_in
   WHERE r.target = m.entity AND r.since <= {h} AND r.until > {h})
  FROM mentions m INDEXED BY mentions_entity WHERE m.since <= {h} AND m.until > {h} GROUP BY m.entity;
DELETE FROM tallies WHERE since = {h};
UPDATE tallies SET until = {open} WHERE until = {h};
UPDATE tallies SET until = {h} WHERE until = {open} AND NOT EXISTS (
  SELECT 1 FROM counted c WHERE c.entity = tallies.entity AND c.mentions = tallies.mentions
  AND c.outgoing = tallies.outgoing AND c.incoming = tallies.incoming);
INSERT INTO tallies SELECT c.entity, {h}, {open}, c.mentions, c.outgoing, c.incoming FROM counted c
  WHERE NOT EXISTS (SELECT 1 FROM tallies t WHERE t.entity = c.entity AND t.until = {open});
DELETE FROM untallied WHERE generation <= {h};
DROP TABLE counted;
"""
"""Counts every entity's mentions and relations anew, and marks the counts that changed as any row is."""

_TOUCHED = """
SELECT entity FROM mentions WHERE since = ?1 OR until = ?1
UNION SELECT source FROM relations WHERE since = ?1 OR until = ?1
UNION SELECT target FROM relations WHERE since = ?1 OR until = ?1"""


@dataclass(frozen=True, slots=True)
class _Held:
    """A row as it is stored: live in the generation, or ended by it (``until`` is the generation)."""

    since: int
    until: int
    digest: bytes


class SqliteGraphWriter:
    """Writes generation ``h``. See :class:`GraphWriter`.

    A row that ``h`` adds is ``since = h`` and is deleted when ``h`` ends it; one of an earlier generation is
    marked ``until = h``, and is live again when it is put back. Every call is one transaction.
    """

    def __init__(self, file: GraphFile, generation: int, base: int | None) -> None:
        self.generation = generation
        self._file = file
        if base is None:
            self._begin_empty()

    def live(self, kind: GraphKind) -> Mapping[str, str]:
        """See :class:`GraphWriter`."""
        table = TABLES[kind]
        sql = f"SELECT {table.key}, digest FROM {table.name} t WHERE since <= ? AND until > ?"
        found = self._file.rows(sql, self.generation, self.generation)
        return {key: digest.hex() for key, digest in found}

    def put(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """See :class:`GraphWriter`."""
        wanted = {row.key: row for row in rows}
        if not wanted:
            return
        with self._file.transaction():
            digests = {key: bytes.fromhex(row.digest) for key, row in wanted.items()}
            new = self._replace(kind, digests)
            Inserts(self._file, self.generation).insert(kind, [wanted[key] for key in new])

    def end(self, kind: GraphKind, keys: Sequence[str]) -> None:
        """See :class:`GraphWriter`."""
        if not keys:
            return
        table = TABLES[kind]
        with self._file.transaction():
            held = self._held(table, keys)
            self._take_out(
                table, [(key, row) for key, rows in held.items() for row in rows if row.until == OPEN]
            )
            self._to_be_tallied(kind)

    def touched(self) -> set[str]:
        """See :class:`GraphWriter`."""
        return {entity for (entity,) in self._file.rows(_TOUCHED, self.generation)}

    def communities(self) -> list[CommunityRow]:
        """See :class:`GraphWriter`."""
        return stored_communities(self._file, self.generation)

    def seal(self, expected: Mapping[GraphKind, int]) -> None:
        """See :class:`GraphWriter`. Counts every entity's mentions too, and makes all of it last."""
        h = self.generation
        for kind in KINDS:
            sql = f"SELECT count(*) FROM {TABLES[kind].name} WHERE since <= ? AND until > ?"
            found, wanted = self._file.rows(sql, h, h)[0][0], expected.get(kind, 0)
            if found != wanted:
                raise StoreInconsistent(
                    f"{self._file.path} holds {found} {kind} rows for generation {h}, not {wanted};"
                    " build again, and if that does not help, build the index anew"
                )
        if self._file.rows("SELECT 1 FROM untallied WHERE generation <= ?", h):
            self._file.script(_TALLY.format(h=h, open=OPEN))
        self._file.settle()

    def close(self) -> None:
        """See :class:`GraphWriter`."""
        self._file.close()

    def _begin_empty(self) -> None:
        """A generation without a base holds no row of an earlier one, when it begins."""
        h = self.generation
        with self._file.transaction():
            if self._file.rows("SELECT 1 FROM begun WHERE generation = ?", h):
                return
            for table in VERSIONED:
                self._file.write(
                    f"UPDATE {table} SET until = ? WHERE since < ? AND until = ?", [(h, h, OPEN)]
                )
            self._file.write("INSERT INTO begun VALUES (?)", [(h,)])
            self._to_be_tallied("mention")

    def _replace(self, kind: GraphKind, wanted: Mapping[str, bytes]) -> list[str]:
        """Take out what stands under the keys and differs, revive what was ended and is wanted again; the
        keys that are left to be inserted."""
        new, old, back = [], [], []
        table = TABLES[kind]
        held = self._held(table, wanted)
        for key, digest in wanted.items():
            rows = held.get(key)
            if rows is None:
                new.append(key)
                continue
            live = next((row for row in rows if row.until == OPEN), None)
            if live is not None and live.digest == digest:
                continue
            if live is not None:
                old.append((key, live))
            ended = next((row for row in rows if row.until != OPEN and row.digest == digest), None)
            if ended is not None:
                back.append((key, ended))
            else:
                new.append(key)
        self._take_out(table, old)
        self._mark(table, back, OPEN)
        if new or back:
            self._to_be_tallied(kind)
        return new

    def _take_out(self, table: Table, rows: Sequence[tuple[str, _Held]]) -> None:
        own = [(*table.parts(key), row.since) for key, row in rows if row.since == self.generation]
        self._file.write(f"DELETE FROM {table.name} WHERE {table.which} AND since = ?", own)
        self._mark(table, [each for each in rows if each[1].since != self.generation], self.generation)

    def _mark(self, table: Table, rows: Iterable[tuple[str, _Held]], until: int) -> None:
        values = [(until, *table.parts(key), row.since) for key, row in rows]
        self._file.write(f"UPDATE {table.name} SET until = ? WHERE {table.which} AND since = ?", values)

    def _held(self, table: Table, keys: Iterable[str]) -> dict[str, list[_Held]]:
        """What is stored under these keys and is live, or was until this generation."""
        wanted = set(keys)
        found: dict[str, list[_Held]] = {}
        for key, since, until, digest in self._file.rows(table.find, table.lookup(wanted), self.generation):
            if key in wanted:
                found.setdefault(key, []).append(_Held(since, until, digest))
        return found

    def _to_be_tallied(self, kind: GraphKind) -> None:
        if kind in ("mention", "relation"):
            self._file.write("INSERT OR IGNORE INTO untallied VALUES (?)", [(self.generation,)])


def open_writer(file: GraphFile, generation: int, base: int | None) -> SqliteGraphWriter:
    """A writer on ``file``, which it closes when it is closed."""
    try:
        return SqliteGraphWriter(file, generation, base)
    except BaseException:
        file.close()
        raise
