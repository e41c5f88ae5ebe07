"""The one writer of a generation of a graph on a Neo4j server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..errors import StoreInconsistent
from . import neo4j_writes as writes
from .graph_rows import KINDS, CommunityRow, GraphKind, GraphRow
from .neo4j_rows import (
    DIGEST,
    LABELS,
    SOURCE,
    SOURCES,
    TARGET,
    TYPES,
    NodeRow,
    TieRow,
    community,
    names,
    node,
    places,
    tie,
)
from .neo4j_schema import ROWS, SIDES
from .neo4j_server import Neo4jServer, Run
from .neo4j_writes import filled

_ROWS = 5000
"""Rows a transaction."""


class Neo4jWriter:
    """Marks what it writes ``since = h`` and what ``h`` does not hold any more ``until = h``. Every batch is
    a transaction: it is there whole or not at all, and durable when the call returns."""

    def __init__(self, server: Neo4jServer, generation: int, base: int | None) -> None:
        self.generation = generation
        self._server = server
        if base is None and not server.rows(writes.BEGUN, h=generation)[0][0]:
            self._begin()

    def live(self, kind: GraphKind) -> Mapping[str, str]:
        """See :class:`GraphWriter`."""
        statement = writes.LIVE_NODES if kind in LABELS else writes.LIVE
        rows = self._server.rows(_of(kind, statement), h=self.generation)
        return {key: digest for key, digest in rows}  # noqa: C416 - rows are lists, which dict() takes alike

    def put(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """See :class:`GraphWriter`."""
        last = {row.key: row for row in rows}
        for batch in _batches(list(last.values()), _ROWS):
            put = self._put_nodes if kind in LABELS else self._put_ties
            put(kind, batch)

    def end(self, kind: GraphKind, keys: Sequence[str]) -> None:
        """See :class:`GraphWriter`."""
        for batch in _batches(list(dict.fromkeys(keys)), _ROWS):
            given = {"h": self.generation, "ids": batch}
            statements = (writes.END,) if kind not in LABELS else (
                *_sides(kind, writes.CLOSE_SIDES),
                writes.END_NODES,
                writes.UNDO_NODES,
                writes.EMPTY_NODES,
                writes.DROP_EMPTY,
            )  # fmt: skip
            self._write([(_of(kind, statement), given) for statement in statements])

    def touched(self) -> set[str]:
        """See :class:`GraphWriter`."""
        return {entity for (entity,) in self._server.rows(writes.TOUCHED, h=self.generation)}

    def communities(self) -> list[CommunityRow]:
        """See :class:`GraphWriter`."""
        return [community(row) for row in self._server.rows(writes.COMMUNITIES, h=self.generation)]

    def seal(self, expected: Mapping[GraphKind, int]) -> None:
        """See :class:`GraphWriter`. Ties communities to their parents too."""
        self._server.write(writes.TIE_PARENTS, h=self.generation)
        for kind in KINDS:
            statement = writes.COUNT_LIVE_NODES if kind in LABELS else writes.COUNT_LIVE
            found = self._server.rows(_of(kind, statement), h=self.generation)[0][0]
            if found != expected.get(kind, 0):
                raise StoreInconsistent(
                    f"generation {self.generation} should hold {expected.get(kind, 0)} {kind} rows and"
                    f" Neo4j at {self._server.url} holds {found}; build again: it puts what is missing"
                )

    def close(self) -> None:
        """Nothing to let go of: the connection is the store's."""

    def _begin(self) -> None:
        """Have the generation begin with nothing: once, since what it revives would end again."""
        for kind in (*ROWS, *SIDES):
            self._server.repeat(filled(writes.END_ALL, ROW=kind), h=self.generation)
        for label in LABELS.values():
            self._server.repeat(filled(writes.END_ALL_NODES, KIND=label), h=self.generation)
        self._server.write(writes.BEGIN, h=self.generation)

    def _put_nodes(self, kind: GraphKind, rows: Sequence[NodeRow]) -> None:
        given = {row.key: node(row) for row in rows}
        self._server.writing(lambda run: self._place(run, kind, given))

    def _place(self, run: Run, kind: GraphKind, given: Mapping[str, dict[str, Any]]) -> None:
        """Make the nodes that are not there; bring those that were there in another state into this one."""
        h, every = self.generation, list(given.values())
        other = [key for (key,) in run(_of(kind, writes.MAKE_NODES), {"h": h, "rows": every})]
        if other:
            for statement in _sides(kind, writes.CLOSE_SIDES):
                run(statement, {"h": h, "ids": other})
            changed = {"h": h, "rows": [given[key] for key in other]}
            back = [key for (key,) in run(_of(kind, writes.REVIVE_ENDED), changed)]
            back += [key for (key,) in run(_of(kind, writes.REVIVE_PAST), changed)]
            for statement in _sides(kind, writes.REOPEN_SIDES):
                run(statement, {"h": h, "ids": back})
            changed = {"h": h, "rows": [given[key] for key in other if key not in set(back)]}
            run(_of(kind, writes.KEEP_PAST), changed)
            run(_of(kind, writes.CHANGE_NODES), changed)
        if kind in writes.TIE:
            run(writes.TIE[kind], {"h": h, "rows": every})

    def _put_ties(self, kind: GraphKind, rows: Sequence[TieRow]) -> None:
        given = {row.key: tie(kind, row) for row in rows}
        named = names(rows)

        def work(run: Run) -> None:
            self._tie(run, kind, given)
            if named:
                run(writes.NAME, {"names": named})

        self._server.writing(work)

    def _tie(self, run: Run, kind: GraphKind, given: Mapping[str, list[Any]]) -> None:
        """End what differs, revive what was ended in this generation and is wanted again, make the rest."""
        h, held, ended = self.generation, set[str](), set[str]()
        differ = set[str]()
        for key, digest, until in run(_of(kind, writes.HELD), {"h": h, "ids": list(given)}):
            same = digest == given[key][DIGEST]
            if until is None:
                (held if same else differ).add(key)
            elif until == h and same:
                ended.add(key)
        if differ:
            run(_of(kind, writes.END), {"h": h, "ids": sorted(differ)})
        if ended:
            run(_of(kind, writes.REVIVE), {"h": h, "rows": [given[key] for key in sorted(ended)]})
        new = [row for key, row in given.items() if key not in held and key not in ended]
        if new:
            for end, label in ((SOURCE, SOURCES[kind]), (TARGET, "Entity")):
                run(filled(writes.ENDS, KIND=label), {"ids": sorted({row[end] for row in new})})
            run(_of(kind, filled(writes.CREATE, HELD=places(kind))), {"h": h, "rows": new})

    def _write(self, statements: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        def work(run: Run) -> None:
            for cypher, given in statements:
                run(cypher, given)

        self._server.writing(work)


def _of(kind: GraphKind, statement: str) -> str:
    """A statement about one kind of row."""
    if kind in LABELS:
        return filled(statement, KIND=LABELS[kind])
    return filled(statement, ROW=TYPES[kind], SOURCE=SOURCES[kind])


def _sides(kind: GraphKind, statement: str) -> list[str]:
    """A statement about the relationships that follow from a node's state, for each of their patterns."""
    return [_of(kind, filled(statement, PATTERN=pattern)) for pattern in writes.OWN_SIDES.get(kind, ())]


def _batches(items: Sequence[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
