"""The graph of an index on a server, written over in memory; an SQLite store takes the server's place."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import treegraph
from small_guide import GUIDE, write_guide
from small_index import build
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.pipelines.planning.scratch import ScratchFolder
from treegraph.pipelines.planning.scratch_graph import ScratchGraph


def graph_rows(index: Path) -> list[Any]:
    """All that the graph's store holds."""
    folder = IndexFolder.open(index)
    generation = folder.manifest().published
    assert generation is not None
    with (
        closing(folder),
        closing(folder.graph()) as store,
        closing(store.write(generation, generation)) as held,
    ):
        kinds = ("chunk", "entity", "mention", "relation", "community")
        return [sorted(held.live(kind).items()) for kind in kinds]  # type: ignore[arg-type]


def test_what_a_plan_writes_over_a_graph_stays_out_of_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    build(index, guide, config=GUIDE, without=("tree",))
    before = graph_rows(index)
    opened: list[ScratchGraph] = []

    def over(self: ScratchFolder) -> ScratchGraph:
        assert self.origin is not None
        opened.append(ScratchGraph(self.origin, self.path / "graph.db"))
        return opened[-1]

    monkeypatch.setattr(ScratchFolder, "graph", over)
    write_guide(guide, "pump", edited="membrane")
    (guide / "valve.md").unlink()
    options: dict[str, Any] = {"config": GUIDE, "without": ("tree",), "yes": True}
    plan = build(index, guide, dry_run=True, **options).plan
    assert opened
    assert graph_rows(index) == before
    assert plan is not None
    report: treegraph.BuildReport = build(index, guide, **options)
    items = plan.structures["graph"].items
    held = (report.entities, report.relations, report.communities)
    assert (items["entities"], items["relations"], items["communities"]) == held
    assert 0 < items["chunks read"] < report.chunks
