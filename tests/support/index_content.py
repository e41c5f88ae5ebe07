"""The published content of an index, for comparing two of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ledger_nodes import NodeLedger
from treegraph.indexer.stores.ports import Filter, Row

NO_GRAPH: dict[str, list[Any]] = {"entities": [], "mentions": [], "relations": [], "grouped": []}
"""The graph of an index that holds nothing."""


def published_content(path: Path, vectors: bool = True) -> dict[str, Any]:
    """Documents; chunks (``rows``) and ``nodes`` by their ids, each as payload (but for since and until),
    dense and sparse vector; and the ``branches`` that the ledger knows the nodes to be; and the ``graph``."""
    folder = IndexFolder.open(path)
    try:
        generation = folder.manifest().published
        assert generation is not None
        store = folder.vectors()
        snapshot = store.read(generation)
        found: dict[str, dict[str, Any]] = {"chunk": {}, "node": {}}
        for row in snapshot.fetch(Filter(), vectors=vectors):
            found[row.payload["kind"]][row.payload["id"]] = _content(row, vectors)
        snapshot.close()
        store.close()
        assert len(found["chunk"]) == folder.ledger.count("chunks", generation)
        nodes = {row.branch.id: row for row in NodeLedger(folder.ledger).nodes(generation)}
        assert found["node"].keys() == nodes.keys()
        return {
            "documents": {row.document.id: row.document for row in folder.ledger.documents(generation)},
            "rows": found["chunk"],
            "nodes": found["node"],
            "branches": {name: (row.branch, row.documents, row.by) for name, row in nodes.items()},
            "graph": _graph(folder, generation),
        }
    finally:
        folder.close()


def _graph(folder: IndexFolder, generation: int) -> dict[str, Any]:
    """Entities, mentions and relations with their evidence, and the members of the finest communities;
    nothing where the generation holds no graph."""
    if "graph" not in folder.manifest().generations[generation].structures:
        return {}
    with closing(folder.graph()) as store, closing(store.read(generation)) as snapshot:
        whole = snapshot.whole(Filter())
        return {
            "entities": snapshot.entities(whole.entities, Filter()),
            "mentions": snapshot.mentions(whole.chunks, Filter()),
            "relations": snapshot.relations(whole.entities, Filter()),
            "grouped": sorted(community.members for community in snapshot.communities(Filter(), level=0)),
        }


def _content(row: Row, vectors: bool) -> tuple[dict[str, Any], bytes | None, Any]:
    return (
        {key: value for key, value in row.payload.items() if key not in ("since", "until")},
        row.dense.tobytes() if vectors and row.dense is not None else None,
        row.sparse if vectors else None,
    )
