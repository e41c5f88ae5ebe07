"""A generation of the embedded graph, open for reading."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..types import Community, Entity, Relation
from . import graph_sqlite_arrays as arrays
from . import graph_sqlite_communities as groups
from . import graph_sqlite_names as names
from . import graph_sqlite_relations as statements
from . import graph_sqlite_soundness as soundness
from .graph_ports import Direction, Mention, Slip, Subgraph
from .graph_rows import GraphKind, StoredRow
from .graph_sqlite_file import GraphFile
from .graph_sqlite_view import Accesses, View, filter_key
from .ports import Filter


class SqliteGraphSnapshot:
    """Reads ``graph.db`` with a connection for every thread; no transaction outlives a query, so the writer
    is never held up. See :class:`GraphSnapshot`."""

    def __init__(self, path: Path, generation: int) -> None:
        """Raises StoreError where the file is missing, damaged or closed to us."""
        self.generation = generation
        self._path = path
        self._own = threading.local()
        self._files: list[GraphFile] = []
        self._lock = threading.Lock()
        self._inode: int | None = None
        self._memory: dict[Hashable, Any] = {}
        file = self._file()
        self._accesses = Accesses(
            [(n, d, c) for n, d, c in file.rows("SELECT n, document, class FROM grounds")]
        )
        untallied = file.rows("SELECT 1 FROM untallied WHERE generation <= ? LIMIT 1", generation)
        self._tallied = not untallied

    def counts(self, where: Filter) -> dict[GraphKind, int]:
        """See :class:`GraphSnapshot`."""
        view = self._view(where)
        return dict(view.remembered(("counts", *filter_key(where)), lambda: self._count(view, where)))

    def entities(self, ids: Sequence[str], where: Filter) -> list[Entity]:
        """See :class:`GraphSnapshot`."""
        return names.entities(self._view(where), ids)

    def named(self, forms: Sequence[str], where: Filter) -> dict[str, list[str]]:
        """See :class:`GraphSnapshot`."""
        return names.named(self._view(where), forms)

    def alike(self, form: str, where: Filter, limit: int) -> list[str]:
        """See :class:`GraphSnapshot`."""
        return names.alike(self._view(where), form, limit)

    def mentions(self, chunks: Sequence[str], where: Filter) -> list[Mention]:
        """See :class:`GraphSnapshot`."""
        return names.mentions(self._view(where), chunks)

    def mentioning(self, entities: Sequence[str], where: Filter, limit: int) -> list[Mention]:
        """See :class:`GraphSnapshot`."""
        return names.mentioning(self._view(where), entities, limit)

    def relations(
        self, entities: Sequence[str], where: Filter, direction: Direction = "both", limit: int = 1000
    ) -> list[Relation]:
        """See :class:`GraphSnapshot`."""
        return statements.relations(self._view(where), entities, direction, limit)

    def relation_count(self, entity: str, where: Filter) -> int:
        """See :class:`GraphSnapshot`."""
        return statements.relation_count(self._view(where), entity)

    def between(self, sources: Sequence[str], targets: Sequence[str], where: Filter) -> list[Relation]:
        """See :class:`GraphSnapshot`."""
        return statements.between(self._view(where), sources, targets)

    def subgraph(self, entities: Sequence[str], chunks: Sequence[str], where: Filter, limit: int) -> Subgraph:
        """See :class:`GraphSnapshot`."""
        view = self._view(where)
        return arrays.subgraph(view, entities, chunks, limit, self._total(view))

    def whole(self, where: Filter) -> Subgraph:
        """See :class:`GraphSnapshot`."""
        return arrays.whole(self._view(where))

    def communities(
        self,
        where: Filter,
        ids: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        level: int | None = None,
        limit: int = 1000,
    ) -> list[Community]:
        """See :class:`GraphSnapshot`."""
        return groups.communities(self._file(), self.generation, where, ids, entities, level, limit)

    def stored(self, kind: GraphKind) -> Iterator[StoredRow]:
        """See :class:`GraphSnapshot`."""
        return soundness.stored(self._file(), self.generation, kind)

    def slips(self) -> Iterator[Slip]:
        """See :class:`GraphSnapshot`."""
        return soundness.slips(self._file(), self.generation)

    def close(self) -> None:
        """Close every thread's connection. Closing twice is allowed."""
        with self._lock:
            files, self._files = self._files, []
        for file in files:
            file.close()

    def _file(self) -> GraphFile:
        """This thread's own connection. Raises GenerationGone where the file is another one by now."""
        file: GraphFile | None = getattr(self._own, "file", None)
        if file is None:
            file = self._own.file = GraphFile(self._path, inode=self._inode)
            with self._lock:
                self._inode = file.inode
                self._files.append(file)
        return file

    def _view(self, where: Filter) -> View:
        access = self._accesses.of(where)
        return View(self._file(), self.generation, access, self._tallied, self._memory)

    def _count(self, view: View, where: Filter) -> dict[GraphKind, int]:
        def counted(what: str, table: str, condition: str) -> int:
            return int(view.rows(f"SELECT count({what}) FROM {table} WHERE {condition}")[0][0])

        stated = f"EXISTS (SELECT 1 FROM evidence v WHERE v.relation = r.n AND {view.open('v')})"
        return {
            "chunk": self._total(view),
            "entity": counted("DISTINCT m.entity", "mentions m", view.seen("m")),
            "mention": counted("*", "mentions m", view.seen("m")),
            "relation": counted("*", "relations r", f"{view.live('r')} AND {stated}"),
            "community": groups.count(view.file, self.generation, where),
        }

    def _total(self, view: View) -> int:
        """How many chunks this reader may read."""
        sql = f"SELECT count(*) FROM chunks c WHERE {view.seen('c')}"
        return view.remembered(("total", view.access), lambda: int(view.rows(sql)[0][0]))
