"""What lies on an index's servers beside what its generations hold: of its own, and of other indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from ...indexer.stores.folder import IndexFolder
from .damage import Damage

_NAMED = 5


def check_servers(folder: IndexFolder, keep: Sequence[int], idle: bool, damage: Damage) -> Iterator[str]:
    """Note what is left of generations that are not in ``keep``, which a collection of garbage takes away;
    not where somebody writes (``idle`` False). Gives what is to be said of other indexes there: nothing here
    knows whether they are in use, so no repair touches them. Raises StoreUnreachable."""
    with closing(folder.vectors()) as vectors:
        for name, rows in vectors.leftovers(keep) if idle else ():
            what = f"a collection of this index that no generation needs: {rows:,} rows"
            damage.add("left over", "vectors", name, what, "sweep")
        yield from _told("vectors", vectors.others())
    manifest = folder.manifest()
    if "neo4j_url" in manifest.stores:
        held = any("graph" in entry.structures for entry in manifest.generations.values())
        with closing(folder.graph()) as graph:
            if idle and not held and folder.may_hold_graph and not graph.empty():
                what = "rows of a graph that no generation has"
                damage.add("left over", "graph", manifest.index_id, what, "sweep")
            yield from _told("graphs", graph.others())


def _told(what: str, ids: Sequence[str]) -> Iterator[str]:
    if ids:
        named = ", ".join(ids[:_NAMED]) + (f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else "")
        yield (
            f"{what} of {len(ids):,} other indexes on the server, which may be in use or be left of indexes "
            f"that are no more: {named}"
        )
