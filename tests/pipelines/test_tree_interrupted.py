"""The growth of a tree may stop at any instant: what was made is kept, and the same tree comes of it."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from fake_openai import Answer, FakeOpenAIServer
from folder_copies import copy_folder
from grown_tree import whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from killed_builds import finished, killed_in
from small_guide import GUIDE, INDEX_ID, write_guide
from small_index import build
from treegraph.indexer.errors import StoreUnreachable
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.stores.edge_writer import EdgeWriter
from treegraph.indexer.tree.settings import TreeSettings

TRIALS = 3


@pytest.mark.slow
def test_kills_while_the_tree_grows_end_in_the_same_index(tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide")
    calm = tmp_path / "calm"
    finished(guide, calm)
    first = published_content(calm)
    copy_folder(calm, tmp_path / "before")
    write_guide(guide, "pump", "valve", edited="membrane")
    write_guide(guide, "boiler", edited="burner")
    finished(guide, calm)
    expected = published_content(calm)
    assert expected["nodes"].keys() != set()
    assert expected["nodes"] != first["nodes"]
    rng = random.Random(11)
    for trial in range(TRIALS):
        index = tmp_path / f"killed{trial}"
        copy_folder(tmp_path / "before", index)
        for _ in range(2):
            killed_in("tree", guide, index, rng, 0.6)
            assert published_content(index) in (first, expected), "a reader saw half a tree"
        finished(guide, index)
        assert published_content(index) == expected
        assert treegraph.status(index)["unfinished"] is None


def test_a_store_that_goes_away_under_the_tree_costs_no_chunk_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide, calm, index = write_guide(tmp_path / "guide"), tmp_path / "calm", tmp_path / "index"
    build(calm, guide, config=GUIDE, index_id=INDEX_ID)
    upsert, written = EdgeWriter.upsert, []

    def away_after_the_first_nodes(self: EdgeWriter, rows: list) -> None:
        if rows[0].payload["kind"] == "node":
            written.append(len(rows))
            if len(written) == 2:
                raise StoreUnreachable("gone for a moment")
        upsert(self, rows)

    monkeypatch.setattr(EdgeWriter, "upsert", away_after_the_first_nodes)
    with pytest.raises(StoreUnreachable):
        build(index, guide, config=GUIDE, index_id=INDEX_ID)
    assert treegraph.status(index)["generation"] is None
    again = FakeHashEmbedder()
    report = build(index, guide, config=GUIDE, index_id=INDEX_ID, embedder=again)
    assert (report.generation, report.embedded) == (1, 0)
    assert len(again.embedded) == report.nodes - written[0]
    assert published_content(index) == published_content(calm)


def test_an_embedder_that_goes_away_under_the_tree_stops_a_build_that_embedded(tmp_path: Path) -> None:
    guide, index = write_guide(tmp_path / "guide"), tmp_path / "index"
    chunks: list[str] = []
    embedder = FakeHashEmbedder()
    stage: list[str] = []
    embedder.fails = lambda text: "tree" in stage
    with pytest.raises(treegraph.ModelUnavailable, match="fails for every summary"):
        build(index, guide, config=GUIDE, embedder=embedder, on_event=lambda event: stage.append(event.stage))
    chunks += embedder.embedded
    again = FakeHashEmbedder()
    report = build(index, guide, config=GUIDE, embedder=again)
    assert (report.embedded, len(chunks)) == (0, report.chunks)
    whole_tree(index)


def test_a_text_that_cannot_be_embedded_leaves_its_node_to_the_words_and_is_tried_again(
    tmp_path: Path,
) -> None:
    guide, index = write_guide(tmp_path / "guide"), tmp_path / "index"
    chunk_texts = FakeHashEmbedder()
    build(tmp_path / "bare", guide, config=GUIDE, embedder=chunk_texts, without=("tree",))
    known = set(chunk_texts.embedded)
    picky = FakeHashEmbedder(fails=lambda text: text not in known and text.startswith("The pump > Membrane"))
    report = build(index, guide, config=GUIDE, embedder=picky)
    assert (report.generation, report.failed) == (1, [])
    assert report.degraded["summary not embedded"] >= 1
    bare = {name for name, row in published_content(index)["nodes"].items() if row[1] is None}
    assert len(bare) == report.degraded["summary not embedded"]
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        assert opened.search("the membrane of the pump", route="tree").hits
    still = build(index, write_guide(guide, "valve", edited="gasket"), config=GUIDE, embedder=picky)
    assert still.degraded == report.degraded
    mended = build(index, write_guide(guide, "valve"), config=GUIDE)
    assert mended.degraded == {}
    tree = whole_tree(index)
    assert bare <= tree.nodes.keys()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return write_guide(tmp_path / "guide")


def by_model(server: FakeOpenAIServer, timeout: float = 30.0) -> treegraph.Config:
    llm = LLMSettings(base_url=server.base_url, model="m", window=8000, concurrency=2, timeout=timeout)
    return replace(GUIDE, tree=TreeSettings(summary="model"), llm=replace(llm, price_in=1.0, price_out=2.0))


def good(prompt: str, number: int) -> Answer:
    return Answer('{"summary": "The parts are inspected in steps, each turned by degrees."}')


def test_cancelling_keeps_summaries_and_none_is_paid_for_twice(written: Path, tmp_path: Path) -> None:
    index, cancel = tmp_path / "index", threading.Event()

    def slowly(prompt: str, number: int) -> Answer:
        if number == 7:
            cancel.set()
        return replace(good(prompt, number), delay=0.02)

    with FakeOpenAIServer(slowly) as server:
        config = by_model(server)
        with pytest.raises(treegraph.Cancelled):
            build(index, written, config=config, index_id=INDEX_ID, cancel=cancel)
        paid = len(server.prompts)
        assert 8 <= paid <= 10
        spent = treegraph.status(index)["spend"]["tree"]
        assert 0 < spent["calls"] <= paid
        report = build(index, written, config=config)
        assert report.degraded == {}
        assert len(server.prompts) == len(set(server.prompts)) == report.nodes
        assert report.tokens["tree"]["calls"] + report.tokens["tree"]["cached"] == report.nodes
        assert report.tokens["tree"]["cached"] > 0
        total = treegraph.status(index)["spend"]["tree"]
        assert total["calls"] == report.nodes
        assert total["tokens_in"] > spent["tokens_in"] > 0
        assert total["cost"] > report.cost["tree"] > 0
        calm = tmp_path / "calm"
        build(calm, written, config=config, index_id=INDEX_ID)
        assert published_content(index) == published_content(calm)
    whole_tree(index)


def test_what_was_rejected_before_a_stop_is_not_paid_for_again(written: Path, tmp_path: Path) -> None:
    index, cancel = tmp_path / "index", threading.Event()

    def wrong(prompt: str, number: int) -> Answer:
        if number == 7:
            cancel.set()
        return Answer('{"summary": "The parts are inspected in steps of 987654 degrees."}')

    with FakeOpenAIServer(wrong) as server:
        config = by_model(server)
        one_by_one = replace(config, llm=replace(config.llm, concurrency=1))
        with pytest.raises(treegraph.Cancelled):
            build(index, written, config=one_by_one, index_id=INDEX_ID, cancel=cancel)
        assert len(server.prompts) == 8, "two for each of four summaries"
        assert treegraph.status(index)["generation"] is None
        report = build(index, written, config=one_by_one)
        assert len(server.prompts) == len(set(server.prompts)) == 2 * report.nodes
        counted = report.tokens["tree"]
        assert (counted["calls"], counted["cached"]) == (2 * (report.nodes - 4), 4)
        assert report.degraded == {"number that no passage contains": 2 * report.nodes}
        calm = tmp_path / "calm"
        build(calm, written, config=GUIDE, index_id=INDEX_ID)
        assert {name: row[0]["text"] for name, row in published_content(index)["nodes"].items()} == {
            name: row[0]["text"] for name, row in published_content(calm)["nodes"].items()
        }
