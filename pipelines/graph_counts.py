"""How many entities, relations and communities an index holds."""

from __future__ import annotations

from contextlib import closing

from ..indexer.errors import StoreError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.graph_rows import GraphKind
from ..indexer.stores.ports import Filter

_KINDS: dict[str, GraphKind] = {"entities": "entity", "relations": "relation", "communities": "community"}


def graph_counts(folder: IndexFolder, generation: int | None) -> dict[str, int] | dict[str, None]:
    """The counts of a published generation by ``entities``, ``relations`` and ``communities``: 0 where it
    holds no graph, None where the graph's store does not say."""
    entry = folder.manifest().generations.get(generation or 0)
    if generation is None or entry is None or "graph" not in entry.structures:
        return dict.fromkeys(_KINDS, 0)
    try:
        with closing(folder.graph()) as store, closing(store.read(generation)) as snapshot:
            counts = snapshot.counts(Filter())
    except StoreError:
        return dict.fromkeys(_KINDS)
    return {name: counts[kind] for name, kind in _KINDS.items()}
