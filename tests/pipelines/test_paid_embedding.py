"""Builds whose embedding is paid for: caps hold it, what is left out comes later, nothing is paid twice."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from corruptions_vectors import VECTORS
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from paid_server import PaidServer, by_model
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph import Document
from treegraph.indexer.errors import WorkError
from treegraph.indexer.models.settings import EmbedSettings
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.types import Content
from treegraph.pipelines.verification.verify import verify

pytest.importorskip("llama_index.core")
from paid_embedding import PaidEmbedding

PRICED = replace(PLANT, embed=EmbedSettings(price_in=1000.0))
"""Money for a million tokens."""


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plant(tmp_path_factory.mktemp("paid") / "plant", 1, 2)


@pytest.fixture(scope="module")
def whole(plant: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PaidEmbedding, int]:
    """An index that was built at once, its embedding, and how many calls its language model had."""
    index, embedding = tmp_path_factory.mktemp("whole") / "index", PaidEmbedding()
    with PaidServer() as server:
        report = build(index, plant, config=by_model(server, PRICED), embedder=embedding, index_id=INDEX_ID)
    assert (report.degraded, report.owed) == ({}, {})
    assert report.tokens["embed"]["calls"] == embedding.calls == report.tokens["embed"]["estimated"]
    assert report.cost["embed"] == pytest.approx(report.tokens["embed"]["in"] / 1000)
    return index, embedding, server.total


@pytest.mark.parametrize("seed", range(2))
def test_over_random_caps_no_text_is_paid_for_twice_and_the_index_becomes_the_same(
    seed: int, plant: Path, whole: tuple[Path, PaidEmbedding, int], tmp_path: Path
) -> None:
    rng, index, embedding = random.Random(seed), tmp_path / "index", PaidEmbedding()
    reference, once, calls = whole
    with PaidServer() as server:
        config = by_model(server, PRICED, concurrency=rng.choice((1, 8)))
        owed = {"embed": 2}
        while owed:
            before, cap = server.total + embedding.calls, rng.randrange(calls)
            report = build(index, plant, config=config, embedder=embedding, index_id=INDEX_ID, max_calls=cap)
            assert server.total + embedding.calls - before <= cap
            owed = report.owed
            named = sorted(one.source for one in report.failed)
            assert len(named) == owed.get("embed", 0)
            assert {one.reason for one in report.failed} <= {"budget spent"}
        assert build(index, plant, config=config, embedder=embedding).generation is None
        assert verify(index, config=config, embedder=embedding).findings == []
    assert Counter(embedding.texts) == Counter(once.texts)
    assert server.total == calls
    assert published_content(index) == published_content(reference)


def test_what_a_cap_keeps_out_stays_as_it_was_and_is_no_failure_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_plant(tmp_path / "plant", 1)
    (tmp_path / "treegraph.toml").write_text(
        'version = 1\n[embed]\nmodel = "llama:paid_embedding.PaidEmbedding"\n'
        '[chunk]\ntokenizer = "words"\nsize = 40\n'
    )
    assert "[embed] price_in" in here("build", "plant", "--max-cost", "1").err
    assert here("build", "plant").code == 0
    write_plant(tmp_path / "plant", 1, 2, edition=1)
    held = treegraph.status("treegraph.index")["documents"]
    capped = here("build", "plant", "--max-calls", "0")
    assert (capped.code, treegraph.status("treegraph.index")["documents"]) == (0, held)
    assert "2 documents are not embedded" in capped.err
    status = here("status", "--json").json("status")
    assert status["owed"] == {"embed": 2}
    failed = {one["source"]: (one["reason"], one["stale"]) for one in status["failed"]}
    assert failed == {"plant/unit1.md": ("budget spent", True), "plant/unit2.md": ("budget spent", False)}
    assert here("build", "plant", "--max-calls", "0", "--strict").code == 1
    assert here("build", "plant").code == 0
    assert here("status", "--json").json("status")["failed"] == []


def test_embedding_anew_goes_on_over_caps_while_readers_keep_what_they_have(
    plant: Path, tmp_path: Path
) -> None:
    index, reference = tmp_path / "index", tmp_path / "reference"
    build(index, plant, config=PLANT, embedder=FakeHashEmbedder(), index_id=INDEX_ID)
    build(reference, plant, config=PLANT, embedder=PaidEmbedding(), index_id=INDEX_ID)
    embedding = PaidEmbedding()
    with pytest.raises(WorkError, match="the same command goes on"):
        build(index, plant, config=PRICED, embedder=embedding, reembed=True, max_calls=2)
    assert (embedding.calls, treegraph.status(index)["generation"]) == (2, 1)
    report = build(index, plant, config=PRICED, embedder=embedding, reembed=True)
    assert (report.generation, max(Counter(embedding.texts).values())) == (2, 1)
    assert published_content(index)["rows"].keys() == published_content(reference)["rows"].keys()


def test_a_text_that_is_refused_costs_its_neighbours_nothing_twice(tmp_path: Path) -> None:
    source, index = tmp_path / "records.jsonl", tmp_path / "index"
    lines = [{"_id": f"R{n}", "text": f"Record {n} of the {'bad' if n == 3 else 'good'}."} for n in range(8)]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    first = PaidEmbedding(fails="bad")
    report = build(index, source, config=PRICED, embedder=first, without=("tree", "graph"))
    assert [one.source for one in report.failed] == ["records.jsonl#R3"]
    assert _kept(index) == 7
    second = PaidEmbedding()
    report = build(index, source, config=PRICED, embedder=second, without=("tree", "graph"))
    assert (report.failed, report.added) == ([], ["records.jsonl#R3"])
    assert len(first.texts) == 7
    assert (len(second.texts), _kept(index)) == (1, 0)


def _kept(index: Path) -> int:
    """How many vectors the ledger keeps."""
    with closing(IndexFolder.open(index)) as folder:
        return int(folder.ledger.rows("SELECT count(*) FROM embeddings")[0][0])


def test_upsert_and_repair_hold_caps_and_keep_what_is_there(plant: Path, tmp_path: Path) -> None:
    index, embedding = tmp_path / "index", PaidEmbedding()
    build(index, plant, config=PRICED, embedder=embedding, without=("tree", "graph"))
    harms = {each.name: each.harm for each in VECTORS}
    harms["a chunk's dense vector, gone"](index, random.Random(1))
    paid = embedding.calls
    deep = verify(index, config=PRICED, embedder=embedding, deep=True, max_calls=0)
    assert "dense vectors of texts that a cap left no room to embed" in deep.unchecked
    with pytest.raises(WorkError, match="the repair is not done"):
        verify(index, config=PRICED, embedder=embedding, repair=True, max_calls=0)
    assert embedding.calls == paid
    assert verify(index, config=PRICED, embedder=embedding, repair=True).sound
    with treegraph.open_index(index, config=PRICED, embedder=embedding) as opened:
        note = Document("note", "note", "", content=Content("The pump waits for the gate.", "text/plain"))
        refused = opened.upsert([note], max_calls=0)
        assert [(one.source, one.reason) for one in refused.failed] == [("note", "budget spent")]
        assert opened.upsert([note], max_calls=1).added == ["note"]


def test_at_the_cap_a_question_is_answered_by_its_words(plant: Path, tmp_path: Path) -> None:
    index, embedding = tmp_path / "index", PaidEmbedding()
    build(index, plant, config=PRICED, embedder=embedding, without=("tree", "graph"))
    question = "What does the Ring Pressure Monitor set?"
    with PaidServer() as server:
        options = {"config": by_model(server, PRICED), "embedder": embedding}
        with treegraph.open_index(index, **options, max_calls=0) as opened:
            answer = opened.ask(question)
        assert (server.total, answer.found, "--max-calls 0" in answer.failure) == (0, True, True)
        assert set(answer.result.degraded) >= {"dense", "llm"}
        with treegraph.open_index(index, **options, max_calls=50) as opened:
            assert "dense" not in opened.ask(question).result.degraded
        assert server.total > 0


def test_status_holds_a_plan_against_all_runs_that_its_work_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_plant(tmp_path / "plant", 1, 2)
    embedding = '[embed]\nmodel = "llama:paid_embedding.PaidEmbedding"\nprice_in = 1000.0\n'
    chunks = '[chunk]\ntokenizer = "words"\nsize = 40\n'
    (tmp_path / "treegraph.toml").write_text(f"version = 1\n{embedding}{chunks}")
    plain = ("plant", "--without", "tree,graph")
    planned = here("plan", *plain, "--json").json("plan")["structures"]["hybrid"]["stages"]["embed"]
    for cap in ("1", "1", "9"):
        here("build", *plain, "--max-calls", cap)
    runs = here("runs", "--json").json("runs")["runs"]
    plan = here("status", "--json").json("status")["plan"]
    assert (plan["runs"], plan["documents"]["added"]) == (3, {"planned": 2, "actual": 2})
    assert plan["calls"]["planned"] == planned["calls"] > 0
    assert plan["price"]["actual"] == pytest.approx(sum(run["cost"] for run in runs))
    assert plan["price"]["actual"] == pytest.approx(plan["price"]["planned"])
    assert "after 3 runs" in here("status").out
