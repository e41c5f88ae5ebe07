"""A store that lost rows of the tree is told from one that holds them: no build goes on as if it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from grown_tree import whole_tree
from index_content import published_content
from small_guide import GUIDE, write_guide
from small_index import build
from treegraph.indexer.stores.edge_writer import EdgeWriter
from treegraph.indexer.stores.ports import Row


def losing(monkeypatch: pytest.MonkeyPatch, kind: str, vectors_alone: bool = False) -> None:
    """Let the store's writer lose what it holds of one kind."""
    fetch = EdgeWriter.fetch

    def lost(self: EdgeWriter, keys: Sequence[str]) -> dict[str, Row]:
        found = fetch(self, keys)
        mine = {key for key, row in found.items() if row.payload["kind"] == kind}
        if vectors_alone:
            return {key: replace(row, dense=None) if key in mine else row for key, row in found.items()}
        return {key: row for key, row in found.items() if key not in mine}

    monkeypatch.setattr(EdgeWriter, "fetch", lost)


@pytest.mark.parametrize("vectors_alone", [False, True])
def test_chunks_that_the_store_lost(
    guide_copy: Path, monkeypatch: pytest.MonkeyPatch, vectors_alone: bool
) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = published_content(index)
    (index / "leaves.npz").unlink()
    write_guide(guide, "pump", edited="membrane")
    with monkeypatch.context() as patched:
        losing(patched, "chunk", vectors_alone)
        with pytest.raises(treegraph.StoreInconsistent, match="the vector store lost"):
            build(index, guide, config=GUIDE)
    assert published_content(index) == before, "readers see what was published"
    build(index, guide, config=GUIDE)
    whole_tree(index)


def test_nodes_that_the_store_lost(guide_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    (guide / "valve.md.meta.toml").write_text('title = "All about valves"\n', "utf-8")
    with monkeypatch.context() as patched:
        losing(patched, "node")
        with pytest.raises(treegraph.StoreInconsistent, match="the vector store lost"):
            build(index, guide, config=GUIDE)
    build(index, guide, config=GUIDE)
    whole_tree(index)
