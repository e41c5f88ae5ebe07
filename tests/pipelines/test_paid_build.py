"""Builds under caps on paid work: what a cap leaves out is told and made later, nothing is paid for twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from fake_openai import Answer, count_tokens
from folder_copies import copy_folder
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from paid_server import PaidServer, by_model, kind_of, right_answer
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.pipelines.verification.verify import verify

SCRIPT = Path(__file__).parents[1] / "support" / "paid_build.py"
LATER = ("tree", "graph")


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plant(tmp_path_factory.mktemp("paid") / "plant", 1, 2)


@pytest.fixture(scope="module")
def whole(plant: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """An index that was built at once, and how many calls that took."""
    index = tmp_path_factory.mktemp("whole") / "index"
    with PaidServer() as server:
        report = build(index, plant, config=by_model(server, PLANT), index_id=INDEX_ID)
    assert (report.degraded, report.owed) == ({}, {})
    assert sum(report.cost.values()) == pytest.approx(server.money)
    return index, server.total


@pytest.mark.parametrize("share", [0.05, 0.65])
def test_a_later_build_makes_just_what_the_cap_left_out(
    share: float, plant: Path, whole: tuple[Path, int], tmp_path: Path
) -> None:
    """After a cap within the contexts, and after one within the graph."""
    index, (reference, calls) = tmp_path / "index", whole
    allowed = int(share * calls)
    with PaidServer() as server:
        config = by_model(server, PLANT)
        first = build(index, plant, config=config, index_id=INDEX_ID, max_calls=allowed)
        assert (server.total, first.generation) == (allowed, 1)
        assert first.owed == treegraph.status(index)["owed"] != {}
        assert first.degraded == {f"{stage}: budget spent": count for stage, count in first.owed.items()}
        assert verify(index, config=config, embedder=FakeHashEmbedder(), deep=True).findings == []
        none = build(index, plant, config=config, max_calls=0)
        assert (none.generation, none.owed, none.degraded) == (None, first.owed, {})
        second = build(index, plant, config=config, max_calls=calls)
        assert (second.owed, second.degraded, server.total) == ({}, {}, calls)
        assert build(index, plant, config=config).generation is None
        assert verify(index, config=config, embedder=FakeHashEmbedder()).findings == []
    assert published_content(index) == published_content(reference)


def test_a_cap_on_money_holds_with_eight_calls_at_once(
    plant: Path, whole: tuple[Path, int], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    with PaidServer() as server:
        config = by_model(server, PLANT, concurrency=8)
        spent = 0.0
        for cap in (0.7, 0.4):
            report = build(index, plant, config=config, index_id=INDEX_ID, max_cost=cap)
            assert 0 < server.money - spent <= cap
            assert sum(report.cost.values()) == pytest.approx(server.money - spent)
            assert report.owed
            spent = server.money
        assert build(index, plant, config=config).owed == {}
    assert server.total == whole[1]
    assert published_content(index) == published_content(whole[0])


def test_what_was_paid_for_before_a_kill_stays_and_the_next_run_has_a_cap_of_its_own(
    plant: Path, whole: tuple[Path, int], tmp_path: Path
) -> None:
    index, (reference, calls) = tmp_path / "index", whole
    with PaidServer(lambda prompt, number: Answer(right_answer(prompt), delay=0.02)) as server:
        command = [sys.executable, str(SCRIPT), str(plant), str(index), server.base_url]
        process = subprocess.Popen(command)
        while server.total < 0.6 * calls and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        made, under_way = server.total, 4
        config = by_model(server, PLANT)
        report = build(index, plant, config=config, index_id=INDEX_ID, max_calls=5)
        assert server.total == made + 5
        assert report.owed
        build(index, plant, config=config)
        assert calls <= server.total <= calls + under_way
        told = treegraph.runs(index)["runs"]
        counted = [tokens["calls"] for run in told for tokens in run["tokens"].values()]
        assert [run["outcome"] for run in told] == ["published", "published", "killed"]
        assert server.total - under_way <= sum(counted) <= server.total
        dearest = max(map(count_tokens, server.prompts)) * 1e-4 + 0.05
        assert 0 <= server.money - sum(run["cost"] for run in told) + 1e-9 <= under_way * dearest
    assert published_content(index) == published_content(reference)


def test_what_failed_is_owed_as_well_and_told_apart(plant: Path, tmp_path: Path) -> None:
    index, down = tmp_path / "index", True

    def answer(prompt: str, number: int) -> Answer:
        failing = down and kind_of(prompt) != "extraction"
        return Answer("no such model", 404) if failing else Answer(right_answer(prompt))

    with PaidServer(answer) as server:
        config = by_model(server, PLANT)
        first = build(index, plant, config=config)
        assert first.degraded == {"call failed": sum(first.owed.values())}
        _check_named(index, first.owed)
        assert sorted(first.owed) == ["context", "graph reports", "tree"]
        down = False
        asked = server.total
        second = build(index, plant, config=config)
        assert (second.owed, second.degraded) == ({}, {})
        assert server.total - asked <= sum(first.owed.values())
        assert server.calls["extraction"] == first.tokens["graph"]["calls"], "they were not made again"


def _check_named(index: Path, owed: dict[str, int]) -> dict[str, int]:
    """All that is owed is listed by its documents, what stands in a section with that."""
    listed = treegraph.status(index)["owing"]
    counts = {stage: sum(item["count"] for item in listed if item["stage"] == stage) for stage in owed}
    assert (counts, {item["stage"] for item in listed}) == (owed, set(owed))
    assert all(source.startswith("plant/") for item in listed for source in item["sources"])
    assert all(item["sources"] for item in listed)
    one = [item for item in listed if len(item["sources"]) == 1 and item["stage"] in ("tree", "graph")]
    assert all(item["sections"] for item in one)
    return owed


def test_taking_documents_out_and_going_back_keep_what_is_owed(plant: Path, tmp_path: Path) -> None:
    source, index = copy_folder(plant, tmp_path / "plant"), tmp_path / "index"
    with PaidServer() as server:
        config = by_model(server, PLANT)
        first = build(index, source, config=config, index_id=INDEX_ID, max_calls=0)
        treegraph.remove(index, ["plant/unit2.md"], config=config, yes=True)
        assert server.calls["extraction"] == 0, "what is left is not made by the way"
        fewer = _check_named(index, treegraph.status(index)["owed"])
        assert 0 < fewer["graph"] < first.owed["graph"]
        assert 0 < fewer["context"] < first.owed["context"]
        build(index, source, config=config)
        assert treegraph.status(index)["owed"] == {}
        paid = server.total
        treegraph.rollback(index)
        assert treegraph.status(index)["owed"] == fewer
        assert sum(item["count"] for item in treegraph.status(index)["owing"]) == sum(fewer.values())
        assert build(index, source, config=config).owed == {}
        assert server.total == paid


def test_once_the_time_is_over_the_rest_is_finished_without_a_model(plant: Path, tmp_path: Path) -> None:
    with PaidServer() as server:
        report = build(tmp_path / "index", plant, config=by_model(server, PLANT), max_seconds=0.0)
    assert (server.total, report.generation, report.behind) == (0, 1, {})
    assert report.owed["tree"] == report.nodes
    assert report.owed["context"] == report.owed["graph"] == report.chunks


@pytest.mark.parametrize("said", [None, 0, -100_000, 10**30])
def test_tokens_that_the_provider_does_not_count_are_said_to_be_estimates(
    said: int | None, plant: Path, tmp_path: Path
) -> None:
    """One that says nothing, or what cannot be, as servers do that do not count."""

    def answer(prompt: str, number: int) -> Answer:
        return Answer(right_answer(prompt), usage=said is not None, tokens_in=said)

    with PaidServer(answer) as server:
        config = by_model(server, PLANT)
        report = build(tmp_path / "index", plant, config=config, without=LATER, max_cost=0.5)
    counted = report.tokens["context"]
    assert counted["estimated"] == counted["calls"] == server.total > 0
    assert report.cost["context"] == pytest.approx((counted["in"] * 100 + counted["out"] * 300) / 1e6)


def test_the_caps_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_plant(tmp_path / "plant", 1)
    model = "fake-paid-1@{}"
    with PaidServer() as server:
        llm = ("--llm", model.format(server.base_url), "--without", "tree,graph")
        unpriced = here("build", "plant", *llm, "--max-cost", "1")
        assert unpriced.code == 2
        assert "[llm] price_in" in unpriced.err
        assert not (tmp_path / "treegraph.index").exists()
        assert here("build", "plant", *llm, "--max-calls", "-1").code == 2
        capped = here("build", "plant", *llm, "--max-calls", "0", "--json").json("build")
        assert server.total == 0
        assert capped["degraded"] == {"context: budget spent": capped["chunks"]}
        assert here("status", "--json").json("status")["owed"] == {"context": capped["chunks"]}
        owing = here("status", "--owed", "--json").json("status")["owing"]
        assert [item["stage"] for item in owing] == ["context"] * len(owing)
        assert all(item["sources"][0] in here("status", "--owed").out for item in owing)
        assert f"owed by models  context {capped['chunks']}" in " ".join(here("status").out.split(" "))
        done = here("build", "plant", *llm, "--max-seconds", "600", "--max-calls", "9")
        assert (done.code, "owed" in done.out, server.total) == (0, False, 1)


def test_of_a_model_without_prices_plan_build_runs_and_status_say_that_money_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_plant(tmp_path / "plant", 1)
    with PaidServer() as server:
        llm = ("plant", "--llm", f"fake-paid-1@{server.base_url}", "--without", "tree,graph")
        assert here("plan", *llm, "--json").json("plan")["price"] is None
        built = here("build", *llm, "--json", "--metrics-file", "m.prom").json("build")
        again = here("build", *llm)
    assert (built["cost"], again.code, server.total) == ({"context": None}, 0, 1)
    newest, first = here("runs", "--json").json("runs")["runs"]
    assert (newest["cost"], first["cost"]) == (0, None)
    assert "cost" not in newest["change"]
    assert "unknown" in here("runs").out
    found = here("status", "--json").json("status")
    assert found["last_build"]["cost"] is None
    assert found["plan"]["price"] == {"planned": None, "actual": None}
    assert here("status").code == 0
    figures = (tmp_path / "m.prom").read_text("utf-8")
    assert "treegraph_run_tokens" in figures
    assert "treegraph_run_cost" not in figures
