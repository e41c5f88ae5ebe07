"""An index embedded anew by another model: what does not depend on it stays; readers are not disturbed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from qdrant_over_http import qdrant_over_http
from small_index import CONFIG, build, manual, open_small
from treegraph.indexer.errors import Cancelled, ConfigurationError, IndexIncompatible
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.loaders import child
from treegraph.pipelines.config import StoreSettings
from treegraph.pipelines.verification.verify import verify

TEXTS = {
    "pump": "# Pump PX-7\n\nThe pump PX-7 feeds the boiler BX-2.\n\n# Limits\n\nPX-7 stops above 80 °C.\n",
    "boiler": "# Boiler BX-2\n\nBX-2 heats the line L4.\n\n# Alarm\n\nE-101 stops BX-2 and the pump PX-7.\n",
    "valve": "# Valve VX-1\n\nThe valve VX-1 shuts the line L4.\n\n# Care\n\nOil VX-1 once a year.\n",
}
ID = "7b1c4a52-6f0e-4c3e-9d0f-2f8f6f1b8f11"


def other(**options: Any) -> FakeHashEmbedder:
    """Another model, of another dimension."""
    return FakeHashEmbedder(48, "other-hash", **options)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return manual(tmp_path / "manuals", **TEXTS)


@pytest.fixture
def index(sources: Path, tmp_path: Path) -> Path:
    build(tmp_path / "index", sources, index_id=ID)
    return tmp_path / "index"


def _never(what: str) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        pytest.fail(f"{what} again")

    return fail


def test_it_is_the_index_that_the_other_model_would_have_made(
    index: Path, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "fresh", sources, index_id=ID, embedder=other())
    monkeypatch.setattr(child.ParserPool, "parse", _never("a file was read"))
    monkeypatch.setattr(PatternExtractor, "extract", _never("a chunk was searched for names"))
    model = other()
    report = build(index, sources, embedder=model, reembed=True)
    content = published_content(index)
    assert content == published_content(tmp_path / "fresh")
    assert (report.added, report.changed, report.removed, report.failed) == ([], [], [], [])
    assert report.embedded == report.chunks
    assert len(model.embedded) == len(content["rows"]) + len(content["nodes"])
    assert build(index, sources, embedder=other()).generation is None
    assert verify(index, config=CONFIG, embedder=other(), deep=True).findings == []


def test_readers_are_not_disturbed(index: Path, sources: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_small(index) as reader, open_small(index, follow=True) as follower:
        before = reader.search("what feeds the boiler?", k=3).hits
        assert follower.search("what feeds the boiler?", k=3).hits == before
        build(index, sources, embedder=other(), reembed=True)
        with caplog.at_level(logging.WARNING):
            for each in (reader, follower):
                assert each.search("what feeds the boiler?", k=3).hits == before
                assert each.search("what shuts the line?", k=1).hits
        assert "embedded by other-hash" in caplog.text
        assert follower.refresh()
        with pytest.raises(IndexIncompatible, match="other-hash"):
            follower.search("what feeds the boiler?")
    with treegraph.open_index(index, embedder=other()) as opened:
        assert {hit.id for hit in opened.search("what feeds the boiler?", k=3).hits}


def test_the_generation_before_can_be_published_again(index: Path, sources: Path) -> None:
    before = published_content(index)
    build(index, sources, embedder=other(), reembed=True)
    treegraph.rollback(index)
    assert published_content(index) == before
    assert build(index, sources).generation is None


def test_what_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    texts = {
        f"m{n}": f"# Pump P{n}\n\nThe pump P{n} feeds the boiler B{n} with {n} litres.\n" for n in range(40)
    }
    sources, index = manual(tmp_path / "manuals", **texts), tmp_path / "index"
    config = replace(CONFIG, embed=replace(CONFIG.embed, batch=2))
    whole = tmp_path / "whole"
    for each in (index, whole):
        build(each, sources, index_id=ID)
    build(whole, sources, embedder=other(), reembed=True)
    stop, model, rest = threading.Event(), other(), other()

    def listen(event: treegraph.Event) -> None:
        if event.stage == "reembed" and event.done >= 30:
            stop.set()

    with pytest.raises(Cancelled):
        build(index, sources, embedder=model, config=config, reembed=True, on_event=listen, cancel=stop)
    with open_small(index) as reader:
        assert reader.search("what feeds the boiler?", k=1).hits
    build(index, sources, embedder=rest, config=config, reembed=True)
    assert published_content(index) == published_content(whole)
    again = set(model.embedded) & set(rest.embedded)
    assert len(model.embedded) > 10 > len(again)


def test_changes_are_taken_along(index: Path, sources: Path, tmp_path: Path) -> None:
    (sources / "pump.md").write_text("# Pump PX-7\n\nThe pump PX-7 feeds the boiler BX-3.\n")
    (sources / "valve.md").unlink()
    report = build(index, sources, embedder=other(), reembed=True, yes=True)
    assert (report.changed, report.removed) == (["manuals/pump.md"], ["manuals/valve.md"])
    build(tmp_path / "fresh", sources, index_id=ID, embedder=other())
    assert published_content(index)["rows"] == published_content(tmp_path / "fresh")["rows"]


def test_the_same_model_has_nothing_to_do(index: Path, sources: Path) -> None:
    assert build(index, sources, reembed=True).generation is None


def test_another_model_is_refused_with_the_way_out(index: Path, sources: Path) -> None:
    with pytest.raises(IndexIncompatible, match="--reembed"):
        build(index, sources, embedder=other())
    with pytest.raises(ConfigurationError, match="--without tree"):
        build(index, sources, embedder=other(), reembed=True, without=["tree"])


def test_on_a_qdrant_server(sources: Path, tmp_path: Path) -> None:
    index = tmp_path / "served"
    with qdrant_over_http() as url:
        config = replace(CONFIG, stores=StoreSettings(qdrant=url))
        build(index, sources, config=config)
        before = published_content(index)
        build(index, sources, config=config, embedder=other(), reembed=True)
        after = published_content(index)
        assert after["rows"].keys() == before["rows"].keys()
        assert {len(dense) for _, dense, _ in after["rows"].values()} == {48 * 4}
        treegraph.rollback(index)
        assert published_content(index) == before
        build(index, sources, config=config, embedder=other(), reembed=True)
        assert published_content(index) == after
        (sources / "pump.md").unlink()
        build(index, sources, config=config, embedder=other(), yes=True)
        build(index, sources, config=config, embedder=other(), yes=True)
        assert len(published_content(index)["documents"]) == 2


def test_an_index_without_a_tree_stays_without(sources: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    build(bare, sources, without=["tree", "graph"])
    report = build(bare, sources, embedder=other(), reembed=True, without=["tree", "graph"])
    assert (report.generation, report.nodes, report.embedded) == (2, 0, report.chunks)
    assert verify(bare).findings == []


def test_it_is_planned_before_it_is_done(index: Path, sources: Path) -> None:
    before, model = published_content(index), other()
    plan = build(index, sources, embedder=model, reembed=True, dry_run=True).plan
    assert plan is not None
    assert (model.embedded, published_content(index)) == ([], before)
    assert {name: each.state for name, each in plan.structures.items()} == dict.fromkeys(
        ("hybrid", "tree", "graph"), "made"
    )
    assert plan.structures["graph"].items["chunks read"] == 0
    assert (plan.warnings, plan.calls.calls) == ([], 0)
    report = build(index, sources, embedder=model, reembed=True)
    planned = (plan.embedded, plan.reused, plan.structures["tree"].items["new"])
    assert planned == (report.embedded, 0, report.nodes)
    assert plan.embedded == plan.chunks == report.chunks
    assert plan.tokens_embedded >= sum(len(text.split()) for text in model.embedded)
    assert report.plan is not None
    assert report.plan.made == plan.made
    assert build(index, sources, embedder=model, reembed=True, dry_run=True).embedded == 0
