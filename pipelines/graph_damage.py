"""A graph that is not what was written: how a build finds out, and how much is taken back for it."""

from __future__ import annotations

from contextlib import closing

from ..indexer.errors import StoreError, StoreInconsistent
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.graph_ports import GraphStore
from ..indexer.stores.ports import Filter

_GRAPH = "graph"


def is_damaged(folder: IndexFolder, published: int) -> bool:
    """Whether the published graph is damaged in a way that a build can mend: its store cannot be read, or
    does not hold the generation's chunks. A store that does not answer says nothing of it."""
    try:
        with closing(folder.graph()) as store:
            held = _chunks(folder, store, published)
    except StoreInconsistent:
        return True
    except StoreError:
        return False
    return held is not None and held != folder.ledger.count("chunks", published)


def require_readable(folder: IndexFolder, store: GraphStore, published: int) -> None:
    """Raises StoreInconsistent where the store cannot be read, or has nothing left of a graph that is whole
    in the published generation, as a database that was emptied."""
    if _chunks(folder, store, published) == 0 and folder.ledger.count("chunks", published):
        raise StoreInconsistent(
            f"the graph of generation {published} is lost; the next treegraph build SOURCE... makes it anew"
        )


def take_back(folder: IndexFolder, published: int) -> None:
    """Undo what was written after the published generation; all there is where that cannot be read."""
    try:
        with closing(folder.graph()) as store:
            require_readable(folder, store, published)
            store.forget(sorted(folder.manifest().generations), published)
    except StoreInconsistent:
        erase(folder, published)


def erase(folder: IndexFolder, published: int) -> None:
    """Erase the graphs of all generations. The manifest says so first: one that names what is gone would
    mislead, and what no generation names goes with the next collection."""
    folder.forget_structure(_GRAPH)
    with closing(folder.graph()) as store:
        store.erase()


def _chunks(folder: IndexFolder, store: GraphStore, published: int) -> int | None:
    """How many chunks the published graph holds; None where it need not be all of them."""
    entry = folder.manifest().generations.get(published)
    with closing(store.read(published)) as snapshot:
        if entry is None or entry.structures.get(_GRAPH) != published:
            return None
        return snapshot.counts(Filter())["chunk"]
