"""The published content of an index, for comparing two of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ports import Filter


def published_content(path: Path, vectors: bool = True) -> dict[str, Any]:
    """Documents, and rows by item id: payload (but for since and until), dense and sparse vectors."""
    folder = IndexFolder.open(path)
    try:
        generation = folder.manifest().published
        assert generation is not None
        store = folder.vectors()
        snapshot = store.read(generation)
        rows = {
            row.payload["id"]: (
                {key: value for key, value in row.payload.items() if key not in ("since", "until")},
                row.dense.tobytes() if vectors and row.dense is not None else None,
                row.sparse if vectors else None,
            )
            for row in snapshot.fetch(Filter(), vectors=vectors)
        }
        snapshot.close()
        store.close()
        assert len(rows) == folder.ledger.count("chunks", generation)
        return {
            "documents": {row.document.id: row.document for row in folder.ledger.documents(generation)},
            "rows": rows,
        }
    finally:
        folder.close()
