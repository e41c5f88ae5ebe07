"""The graph of an index on a server, in a rehearsal: read from there, and written over in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.graph_ports import GraphSnapshot, GraphStore, GraphWriter, Slip
from ...indexer.stores.graph_rows import KINDS, CommunityRow, GraphKind, GraphRow, MentionRow, RelationRow
from ...indexer.stores.graph_sqlite import SqliteGraphStore


class ScratchGraph:
    """A GraphStore over that of ``origin``, which is not written to. Where the index has no graph yet, all of
    it is the SQLite file ``path``."""

    def __init__(self, origin: IndexFolder, path: Path) -> None:
        manifest = origin.manifest()
        entry = manifest.generations.get(manifest.published or 0)
        self._published = manifest.published
        self._held = entry is not None and "graph" in entry.structures
        self._store: GraphStore = origin.graph() if self._held else SqliteGraphStore(path)

    def read(self, generation: int) -> GraphSnapshot:
        """See :class:`GraphStore`."""
        return self._store.read(generation)

    def write(self, generation: int, base: int | None) -> GraphWriter:
        """A writer of any generation over what is published."""
        if not self._held or self._published is None:
            return self._store.write(generation, base)
        # A writer on top of itself that puts and ends nothing reads the digests of what is there.
        with closing(self._store.write(self._published, self._published)) as held:
            return ScratchGraphWriter(generation, held)

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """Nothing of the index's is erased."""
        return 0

    def unneeded(self, keep: Sequence[int], newest: int) -> Iterator[Slip]:
        """Nothing of the index's is looked through."""
        return iter(())

    def distrust(self, slips: Sequence[Slip]) -> None:
        """Nor is anything of it marked."""

    def purge(self) -> None:
        """Nor is anything of it written anew."""

    def others(self) -> list[str]:
        """Nor is anything beside it."""
        return []

    def empty(self) -> bool:
        """See :class:`GraphStore`."""
        return not self._held and self._store.empty()

    def erase(self) -> None:
        """What a rehearsal makes of a damaged graph begins with nothing."""
        self._held = False

    def close(self) -> None:
        """See :class:`GraphStore`."""
        self._store.close()


class ScratchGraphWriter:
    """A GraphWriter that keeps what it is given in memory, over the rows that ``held`` reads."""

    def __init__(self, generation: int, held: GraphWriter) -> None:
        self.generation = generation
        self._live: dict[GraphKind, dict[str, str]] = {kind: dict(held.live(kind)) for kind in KINDS}
        self._communities = {row.key: row for row in held.communities()}
        self._touched: set[str] = set()

    def live(self, kind: GraphKind) -> Mapping[str, str]:
        """See :class:`GraphWriter`."""
        return dict(self._live[kind])

    def put(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """See :class:`GraphWriter`."""
        for row in rows:
            self._live[kind][row.key] = row.digest
            if isinstance(row, CommunityRow):
                self._communities[row.key] = row
            elif isinstance(row, MentionRow):
                self._touched.add(row.entity)
            elif isinstance(row, RelationRow):
                self._touched |= {row.source, row.target}

    def end(self, kind: GraphKind, keys: Sequence[str]) -> None:
        """See :class:`GraphWriter`. Which entities an ended relation joined is not known here."""
        for key in keys:
            self._live[kind].pop(key, None)
            self._communities.pop(key, None)
            if kind == "mention":
                self._touched.add(key.partition(" ")[0])

    def touched(self) -> set[str]:
        """See :class:`GraphWriter`."""
        return set(self._touched)

    def communities(self) -> list[CommunityRow]:
        """See :class:`GraphWriter`."""
        return [row for _, row in sorted(self._communities.items())]

    def seal(self, expected: Mapping[GraphKind, int]) -> None:
        """Nothing is to be published."""

    def close(self) -> None:
        """Nothing is held."""
