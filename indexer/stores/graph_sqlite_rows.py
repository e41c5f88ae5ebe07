"""How the rows of each kind lie in the tables of ``graph.db``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from .graph_rows import ChunkPlace, CommunityRow, EntityRow, GraphKind, GraphRow, MentionRow, RelationRow
from .graph_sqlite_file import GraphFile, letters, listed, packed, plain
from .ports import OPEN

_Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Where a kind is kept. ``key`` is what SQL makes a row's key of, ``columns`` what the key stands for."""

    name: str
    key: str
    columns: tuple[str, ...]

    @property
    def which(self) -> str:
        """The condition that names a row's key; :meth:`parts` are its values."""
        return " AND ".join(f"{column} = ?" for column in self.columns)

    @property
    def find(self) -> str:
        """Rows by :meth:`lookup` that end no earlier than in a generation."""
        return f"""
            SELECT {self.key}, since, until, digest FROM json_each(?1) each
            CROSS JOIN {self.name} t ON t.{self.columns[0]} = each.value WHERE t.until >= ?2"""

    def parts(self, key: str) -> tuple[str, ...]:
        """A key as the values of ``columns``."""
        if len(self.columns) == 1:
            return (key,)
        entity, _, chunk = key.partition(" ")
        return chunk, entity

    def lookup(self, keys: Iterable[str]) -> str:
        """What the rows of these keys are found by: the first column's values."""
        return listed(self.parts(key)[0] for key in keys)


TABLES: Mapping[GraphKind, Table] = {
    "chunk": Table("chunks", "chunk", ("chunk",)),
    "entity": Table("entities", "t.id", ("id",)),
    "mention": Table("mentions", "entity || ' ' || chunk", ("chunk", "entity")),
    "relation": Table("relations", "t.id", ("id",)),
    "community": Table("communities", "t.id", ("id",)),
}


class Inserts:
    """New rows of generation ``h``, inside a transaction of its caller's."""

    def __init__(self, file: GraphFile, h: int) -> None:
        self._file = file
        self._h = h

    def insert(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """Insert rows of one kind with what hangs on them."""
        if kind == "chunk":
            self._chunks(cast("Sequence[ChunkPlace]", rows))
        elif kind == "entity":
            self._entities(cast("Sequence[EntityRow]", rows))
        elif kind == "mention":
            self._mentions(cast("Sequence[MentionRow]", rows))
        elif kind == "relation":
            self._relations(cast("Sequence[RelationRow]", rows))
        else:
            self._communities(cast("Sequence[CommunityRow]", rows))

    def _marks(self, row: GraphRow) -> tuple[int, int, bytes]:
        return self._h, OPEN, bytes.fromhex(row.digest)

    def _chunks(self, rows: Sequence[ChunkPlace]) -> None:
        grounds = self._grounds((row.document, row.access) for row in rows)
        values = [
            (row.chunk, *self._marks(row), grounds[row.document, row.access],
             packed([row.source, row.title, row.ordinal, row.pages]))
            for row in rows
        ]  # fmt: skip
        self._into("chunks", values)

    def _entities(self, rows: Sequence[EntityRow]) -> None:
        self._into("entities", [(row.id, *self._marks(row), packed([row.name, row.type])) for row in rows])

    def _mentions(self, rows: Sequence[MentionRow]) -> None:
        grounds = self._grounds((row.document, row.access) for row in rows)
        forms = self._forms(form for row in rows for form in row.forms)
        values: list[_Values] = []
        spelled: list[_Values] = []
        for row in rows:
            ground = grounds[row.document, row.access]
            spelt = {forms[form] for form in row.forms}
            values.append(
                (row.chunk, row.entity, *self._marks(row), ground, row.role == "subject", row.count,
                 packed([row.names, row.type]), packed(row.description) if row.description else "",
                 f"[{','.join(map(str, spelt))}]")
            )  # fmt: skip
            spelled.extend((form, row.entity, row.chunk, self._h, ground) for form in spelt)
        self._into("mentions", sorted(values))
        self._into("spelled", sorted(spelled))

    def _relations(self, rows: Sequence[RelationRow]) -> None:
        pieces = (piece for row in rows for piece in row.evidence)
        grounds = self._grounds((piece.document, piece.access) for piece in pieces)
        values: list[_Values] = []
        evidence: list[_Values] = []
        for n, row in enumerate(rows, self._next("relations")):
            ends = (row.source, row.target, len(row.evidence))
            values.append((n, row.id, *self._marks(row), *ends, packed([row.type, row.description])))
            evidence.extend(
                (n, place, grounds[piece.document, piece.access],
                 packed([piece.chunk, piece.sentence, piece.condition]))
                for place, piece in enumerate(row.evidence)
            )  # fmt: skip
        self._into("relations", values)
        self._into("evidence", evidence)

    def _communities(self, rows: Sequence[CommunityRow]) -> None:
        values: list[_Values] = []
        members: list[_Values] = []
        for n, row in enumerate(rows, self._next("communities")):
            rests_on = (packed(row.members), packed(row.documents), packed(row.classes))
            body = packed([row.parent, row.title, row.report, row.chunks, row.by, row.made])
            values.append((n, row.id, *self._marks(row), row.level, len(row.members), *rests_on, body))
            members.extend((member, n) for member in dict.fromkeys(row.members))
        self._into("communities", values)
        self._into("members", members)

    def _into(self, table: str, values: Sequence[_Values]) -> None:
        if values:
            self._file.write(f"INSERT INTO {table} VALUES ({','.join('?' * len(values[0]))})", values)

    def _next(self, table: str) -> int:
        return int(self._file.rows(f"SELECT coalesce(max(n), 0) + 1 FROM {table}")[0][0])

    def _grounds(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """The numbers of (document, class), made where there were none."""
        wanted = set(pairs)
        self._file.write("INSERT OR IGNORE INTO grounds (document, class) VALUES (?,?)", sorted(wanted))
        sql = """
            SELECT g.document, g.class, g.n FROM json_each(?) each
            CROSS JOIN grounds g ON g.document = each.value"""
        found = self._file.rows(sql, listed(document for document, _ in wanted))
        return {(document, access): n for document, access, n in found}

    def _forms(self, forms: Iterable[str]) -> dict[str, int]:
        """The numbers of normalised names, made where there were none."""
        kept = {form: plain(form) for form in set(forms)}
        wanted = listed(kept.values())
        sql = "SELECT f.form, f.n FROM json_each(?) each CROSS JOIN forms f ON f.form = each.value"
        known = {str(form): int(n) for form, n in self._file.rows(sql, wanted)}
        new = sorted(set(kept.values()).difference(known))
        first = self._next("forms")
        self._into("forms", [(n, form, letters(form)) for n, form in enumerate(new, first)])
        spread = "INSERT INTO alike (rowid, letters) SELECT n, letters FROM forms WHERE n >= ?"
        self._file.write(spread, [(first,)])
        known.update((form, n) for n, form in enumerate(new, first))
        return {form: known[stored] for form, stored in kept.items()}
