"""Plans held against the builds that follow them, and what a plan leaves as it is."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import treegraph
from fake_openai import Answer, FakeOpenAIServer
from fake_vision import FakeVisionServer
from fake_writer import writer
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from page_pictures import scanned_pdf
from small_guide import GUIDE, write_guide
from small_index import CONFIG, build, manual
from treegraph.indexer.context import ContextSettings
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.settings import EmbedSettings, LLMSettings, VisionSettings
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.locks import writer_lock
from treegraph.indexer.tree.settings import TreeSettings
from treegraph.pipelines.planning.plan import Plan, plan_from_json
from treegraph.pipelines.planning.rehearsal import drop_killed_rehearsals

NEAR = 0.15
NOTES = {"plan"}
"""What a plan may leave in a ledger."""


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(writer()) as running:
        yield running


def by_model(server: FakeOpenAIServer, **prices: float) -> treegraph.Config:
    """Contexts, summaries, extractions and reports by a model."""
    llm = LLMSettings(base_url=server.base_url, model="fake-1", window=8192, **prices)  # type: ignore[arg-type]
    return replace(
        GUIDE,
        llm=llm,
        context=ContextSettings(by="model"),
        tree=TreeSettings(summary="model"),
        graph=GraphSettings(extract="model", report="model"),
    )


def planned(index: Path, *sources: Path, **options: Any) -> Plan:
    report = build(index, *sources, dry_run=True, **options)
    assert (report.dry_run, report.generation) == (True, None)
    assert report.plan is not None
    return report.plan


def kept(index: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of an index's ledger."""
    folder = IndexFolder.open(index)
    try:
        names = [
            row["name"] for row in folder.ledger.rows("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        rows = {name: [tuple(row) for row in folder.ledger.rows(f"SELECT * FROM {name}")] for name in names}
    finally:
        folder.close()
    rows["notes"] = [row for row in rows["notes"] if row[0] not in NOTES]
    return rows


def test_a_build_without_models_holds_what_was_planned(tmp_path: Path) -> None:
    guide, index, embedder = write_guide(tmp_path / "guide"), tmp_path / "index", FakeHashEmbedder()
    plan = planned(index, guide, config=GUIDE, embedder=embedder)
    assert embedder.embedded == []
    assert not index.exists()
    report = build(index, guide, config=GUIDE)
    assert (plan.documents["added"], plan.chunks, plan.embedded) == (4, report.chunks, report.embedded)
    items = {name: structure.items for name, structure in plan.structures.items()}
    assert items["tree"]["new"] == items["tree"]["nodes"] == report.nodes > 0
    assert items["graph"]["entities"] == pytest.approx(report.entities, rel=NEAR)
    assert items["graph"]["chunks read"] == report.chunks
    assert (plan.calls.calls, plan.calls.price) == (0, 0.0)
    assert all(structure.seconds > 0 and structure.disk > 0 for structure in plan.structures.values())
    assert report.plan is not None
    assert report.plan.made == plan.made
    assert list(tmp_path.glob("*plan*")) == []
    assert build(index, guide, config=GUIDE).plan is None, "a plan is for one build"


def test_calls_of_every_kind_are_counted_and_none_is_made(server: FakeOpenAIServer, tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    config = by_model(server, price_in=2.0, price_out=8.0)
    plan = planned(index, guide, config=config)
    assert server.prompts == []
    report = build(index, guide, config=config)
    assert plan.stages.keys() == report.tokens.keys() == {"context", "tree", "graph", "graph reports"}
    for stage in ("context", "tree", "graph"):
        took = report.tokens[stage]
        assert plan.stages[stage].calls == pytest.approx(took["calls"], rel=NEAR, abs=1)
        assert plan.stages[stage].tokens_in == pytest.approx(took["in"], rel=NEAR)
    assert plan.calls.calls == pytest.approx(sum(t["calls"] for t in report.tokens.values()), rel=NEAR)
    tokens = plan.calls.tokens_in * 2.0 + plan.calls.tokens_out * 8.0
    assert plan.calls.price == pytest.approx(tokens / 1e6, rel=1e-3)
    again = planned(index, guide, config=config)
    assert (again.calls.calls, again.embedded) == (0, 0)
    assert {structure.state for structure in again.structures.values()} == {"kept"}


def test_after_an_edit_only_what_changed_is_planned_and_the_index_stays(
    server: FakeOpenAIServer, tmp_path: Path
) -> None:
    guide = write_guide(tmp_path / "guide", "pump", "valve", "boiler")
    index, config = tmp_path / "index", by_model(server)
    first = build(index, guide, config=config)
    write_guide(guide, "pump", edited="membrane")
    (guide / "valve.md").unlink()
    before, content, asked = kept(index), published_content(index), len(server.prompts)
    plan = planned(index, guide, config=config, yes=True)
    assert (kept(index), published_content(index), len(server.prompts)) == (before, content, asked)
    changes = {name: count for name, count in plan.documents.items() if count}
    assert changes == {"changed": 1, "removed": 1, "unchanged": 1}
    report = build(index, guide, config=config, yes=True)
    assert plan.chunks == report.chunks
    assert plan.embedded >= report.embedded, "contexts that are asked for again may come back otherwise"
    assert plan.structures["tree"].items["nodes"] == report.nodes
    for stage in ("context", "tree", "graph"):
        assert plan.stages[stage].calls == pytest.approx(report.tokens[stage]["calls"], abs=1)
        assert plan.stages[stage].calls < first.tokens[stage]["calls"] / 2


def test_answers_that_are_kept_are_told_from_calls(server: FakeOpenAIServer, tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide", "pump", "valve")
    index, config = tmp_path / "index", by_model(server)
    build(index, guide, config=config)
    (guide / "pump.md").rename(tmp_path / "pump.md")
    build(index, guide, config=config)
    (tmp_path / "pump.md").rename(guide / "pump.md")
    plan = planned(index, guide, config=config)
    report = build(index, guide, config=config)
    assert report.tokens["context"]["cached"] == plan.stages["context"].cached > 0
    assert plan.stages["tree"].cached == pytest.approx(report.tokens["tree"]["cached"], abs=1)
    assert plan.calls.calls <= sum(taken["calls"] for taken in report.tokens.values()) + 3


def test_without_prices_the_price_is_unknown_and_tokens_are_planned(
    server: FakeOpenAIServer, tmp_path: Path
) -> None:
    guide, config = write_guide(tmp_path / "guide", "pump"), by_model(server)
    plan = planned(tmp_path / "index", guide, config=config)
    assert plan.calls.price is None
    assert plan.calls.tokens_in > 0
    assert "price unknown: set price_in and price_out of [llm]" in plan.warnings
    assert plan_from_json(plan.to_json()).calls == plan.calls


def test_what_earlier_builds_came_to_corrects_the_next_plan(tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide", "pump", "valve")
    twice = FakeOpenAIServer(lambda prompt, number: replace(writer()(prompt, number), tokens_in=5000))
    with twice as server:
        config = replace(by_model(server), graph=GraphSettings())
        plan = planned(tmp_path / "index", guide, config=config, without=("graph",))
        report = build(tmp_path / "index", guide, config=config, without=("graph",))
        assert plan.stages["tree"].tokens_in < report.tokens["tree"]["in"] / 3
        write_guide(guide, "boiler", "filter")
        plan = planned(tmp_path / "index", guide, config=config, without=("graph",))
        report = build(tmp_path / "index", guide, config=config, without=("graph",))
    tree = report.tokens["tree"]
    assert plan.stages["tree"].tokens_in == pytest.approx(tree["in"], rel=2 * NEAR)
    assert any("as earlier builds came to" in line for line in plan.estimates)


def test_a_cap_is_held_against_the_plan(server: FakeOpenAIServer, tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide", "pump")
    config = by_model(server, price_in=1000.0, price_out=1000.0)
    plan = planned(tmp_path / "index", guide, config=config, max_cost=1e6)
    assert plan.cap is not None
    assert (plan.cap.fits, plan.cap.degraded) == (True, {})
    assert plan.calls.price is not None
    little = planned(tmp_path / "index", guide, config=config, max_cost=plan.calls.price / 2).cap
    assert little is not None
    assert little.fits is False
    assert sum(little.calls.values()) + sum(little.degraded.values()) == plan.calls.calls
    unknown = planned(tmp_path / "index", guide, config=by_model(server), max_cost=1.0).cap
    assert unknown is not None
    assert unknown.fits is None


def test_calls_that_go_into_batches_are_planned_at_their_price(
    server: FakeOpenAIServer, tmp_path: Path
) -> None:
    guide = write_guide(tmp_path / "guide", "pump")
    config = by_model(server, price_in=2.0, price_out=8.0)
    at_once = planned(tmp_path / "index", guide, config=config).calls
    batched = replace(config, llm=replace(config.llm, batch=True, price_batch=0.25))
    later = planned(tmp_path / "index", guide, config=batched).calls
    assert at_once.price is not None
    assert (later.calls, later.price) == (at_once.calls, pytest.approx(at_once.price / 4, rel=0.01))


def test_pages_to_be_read_natively_are_counted_and_kept_readings_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    names = ("alder", "birch", "cedar", "damson", "elder")
    scanned_pdf(folder / "line.pdf", [[f"Station {name} of the northern line."] for name in names])
    with FakeVisionServer() as server:
        seeing = VisionSettings(base_url=server.base_url, model="fake-vision-1", tokens=300, price_in=1.0)
        config = replace(CONFIG, load=LoadSettings(pdf="native"), vision=seeing)
        options: dict[str, Any] = {"config": config, "without": ("tree", "graph")}
        plan = planned(tmp_path / "index", folder, **options)
        assert server.asked == []
        report = build(tmp_path / "index", folder, **options)
        assert plan.pages == {"native": 5}
        assert plan.stages["native"].calls == report.tokens["native"]["calls"] == 5
        assert plan.stages["native"].tokens_in > 0
        assert any("1 pages: taken to be" in line for line in plan.estimates)
        scanned_pdf(folder / "line.pdf", [[f"Station {name} of the northern line."] for name in names[:3]])
        plan = planned(tmp_path / "index", folder, **options)
        assert (plan.read_before, plan.calls.calls, len(server.asked)) == ({"native": 3}, 0, 5)


def test_work_that_was_cut_short_is_planned_to_be_gone_on_with(tmp_path: Path) -> None:
    index = tmp_path / "index"
    folder = manual(tmp_path / "m", **{f"p{n}": f"# P{n}\n\nText {n}.\n" for n in range(9)})
    embedder = FakeHashEmbedder()
    embedder.fails = lambda text: len(embedder.embedded) >= 4
    with pytest.raises(treegraph.ModelUnavailable):
        build(index, folder, embedder=embedder, config=replace(CONFIG, embed=EmbedSettings(batch=1)))
    plan = planned(index, folder)
    again = FakeHashEmbedder()
    report = build(index, folder, embedder=again, without=("tree",))
    assert plan.embedded == report.embedded < 9
    assert plan.chunks == report.chunks == 9


def test_a_plan_can_be_stopped_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        planned(tmp_path / "index", write_guide(tmp_path / "guide", "pump"), cancel=cancel)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("kept", [b'{"documents": "\xff', b'{"structures": [], "cap": null}', b"[" * 100_000])
def test_a_kept_plan_that_is_none_stops_no_build(kept: bytes, tmp_path: Path) -> None:
    (tmp_path / "index.plan.json").write_bytes(kept)
    report = build(tmp_path / "index", write_guide(tmp_path / "guide", "pump"), config=GUIDE)
    assert (report.generation, report.plan) == (1, None)


def test_a_server_that_reports_no_usage_is_planned_for_all_the_same(tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide", "pump")
    silent = FakeOpenAIServer(lambda prompt, number: Answer(writer()(prompt, number).text, usage=False))
    with silent as server:
        config = by_model(server)
        plan = planned(tmp_path / "index", guide, config=config)
        report = build(tmp_path / "index", guide, config=config)
    counted = sum(taken["in"] for taken in report.tokens.values())
    assert plan.calls.tokens_in == pytest.approx(counted, rel=NEAR)
    assert any("prompts as counted here, which is rather too many" in line for line in plan.estimates)


def test_what_a_killed_rehearsal_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    left, held, other = (temporary / name for name in ("treegraph-plan-a", "treegraph-plan-b", "mine"))
    for folder in (left, held, other):
        folder.mkdir(parents=True)
        (folder / "ledger.db").write_text("what a document says")
    with writer_lock(held):
        for folder in (left, held, other):
            os.utime(folder, (0, 0))
        drop_killed_rehearsals()
        assert sorted(temporary.iterdir()) == sorted([held, other])
