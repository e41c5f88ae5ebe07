"""Builds whose calls go into batches: submitted, remembered, collected by later runs, lost and made again."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from batch_server import Batch, BatchServer
from command_line import Here
from folder_copies import copy_folder
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from paid_server import MODEL, PaidServer, by_model, kind_of
from small_index import build, manual
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ledger_history import RunHistory

LATER = ("tree", "graph")


def batched(server: BatchServer) -> treegraph.Config:
    config = by_model(server, PLANT)
    return replace(config, llm=replace(config.llm, batch=True))


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plant(tmp_path_factory.mktemp("batched") / "plant", 1, 2)


def test_runs_collect_what_earlier_ones_submitted_until_the_index_is_as_if_called_at_once(
    plant: Path, tmp_path: Path
) -> None:
    index, reference = tmp_path / "index", tmp_path / "reference"
    with PaidServer() as paid:
        build(reference, plant, config=by_model(paid, PLANT), index_id=INDEX_ID)
    with BatchServer() as server:
        config = batched(server)
        first = build(index, plant, config=config, index_id=INDEX_ID)
        assert (first.generation, first.failed, first.cost) == (1, [], {})
        assert first.degraded == {f"{stage}: call waits": count for stage, count in first.owed.items()}
        assert first.waiting == sum(len(batch.lines) for batch in server.batches) > 0
        still = build(index, plant, config=config)
        assert (still.generation, still.owed, still.waiting) == (None, first.owed, first.waiting)
        cost, runs = 0.0, 1
        while server.work():
            report = build(index, plant, config=config)
            cost, runs = cost + sum(report.cost.values()), runs + 1
        assert (report.owed, report.waiting, report.degraded) == ({}, 0, {})
        assert runs <= 6, "one for each level of the tree and what comes before"
        assert (server.direct, server.calls) == (0, paid.calls)
        assert cost == pytest.approx(paid.money / 2) == pytest.approx(server.money)
        assert build(index, plant, config=config).generation is None
    assert published_content(index) == published_content(reference)


def test_lines_that_failed_or_expired_are_told_and_put_into_a_batch_anew(plant: Path, tmp_path: Path) -> None:
    index, why = tmp_path / "index", ("batch_expired", "rate_limit_exceeded")
    with BatchServer() as server:
        config = batched(server)
        build(index, plant, config=config, without=LATER)
        assert len(server.batches[0].lines) == len(why)
        assert server.work(lambda number, _: why[number], "expired") == 0
        second = build(index, plant, config=config, without=LATER)
        for reason in why:
            assert second.degraded[f"context: batch call {reason}"] == 1
        assert second.waiting == len(server.batches[1].lines) == 1, "one was not made"
        assert second.degraded["call failed"] + second.degraded["context: call waits"] == second.chunks
        server.work()
        third = build(index, plant, config=config, without=LATER)
        assert (third.waiting, len(server.batches[2].lines)) == (1, 1), "one failed, and is tried again"
        server.work()
        assert build(index, plant, config=config, without=LATER).owed == {}
    assert len(server.prompts) == 2


def test_a_call_that_always_fails_holds_up_nothing_else(plant: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"

    def bad(number: int, prompt: str) -> str | None:
        return "bad_request" if kind_of(prompt) == "context" and number == 0 else None

    with BatchServer() as server:
        config = batched(server)
        report = build(index, plant, config=config, without=("graph",))
        for _ in range(8):
            server.work(bad)
            report = build(index, plant, config=config, without=("graph",))
            if sorted(report.owed) == ["context"] and server.calls["summary"]:
                break
        assert sorted(report.owed) == ["context"], "and the tree is whole"
        assert 0 < report.owed["context"] < report.chunks


def test_a_batch_that_nobody_said_was_taken_is_found_again_and_not_paid_twice(
    plant: Path, tmp_path: Path
) -> None:
    index, source = tmp_path / "index", copy_folder(plant, tmp_path / "plant")
    with BatchServer() as server:
        config = batched(server)
        server.lost, server.stumbles = True, 2
        first = build(index, source, config=config, without=LATER)
        assert any("not handed over" in reason for reason in first.degraded)
        server.work()
        assert build(index, source, config=config, without=LATER).owed == {}
        assert len(server.batches) == 1
        server.refusing = True
        write_plant(source, 3)
        refused = build(index, source, config=config, without=LATER)
        assert refused.waiting == 0
        assert refused.owed["context"] > 0
        server.refusing = False
        build(index, source, config=config, without=LATER)
        server.work()
        assert build(index, source, config=config, without=LATER).owed == {}


def test_results_that_cannot_be_read_are_no_answers(plant: Path, tmp_path: Path) -> None:
    index, garbage = (
        tmp_path / "index",
        ['{"custom_id": 3', "[]", '{"custom_id": "x", "response": [1]}', "\0", "[" * 100_000],
    )
    with BatchServer() as server:
        config = batched(server)
        build(index, plant, config=config, without=LATER)
        server.work()
        (batch,) = server.batches
        known = [f'{{"custom_id": "{line["custom_id"]}", "response": "yes"}}' for line in batch.lines]
        batch.files["output"] = "\n".join(garbage + known)
        second = build(index, plant, config=config, without=LATER)
        assert second.degraded["context: batch call without an answer"] == len(known)
        server.batches.clear()
        gone = build(index, plant, config=config, without=LATER)
        assert gone.degraded["context: batch call gone"] == len(known)
        server.work()
        assert build(index, plant, config=config, without=LATER).owed == {}


def test_answers_with_line_ends_of_other_scripts_and_counts_that_are_none_are_taken(
    plant: Path, tmp_path: Path
) -> None:
    with BatchServer() as server:
        config = batched(server)
        build(tmp_path / "index", plant, config=config, without=LATER)
        server.work()
        (batch,) = server.batches
        lines = [json.loads(line) for line in batch.files["output"].splitlines()]
        for line, count in zip(lines, (10**400, -5), strict=True):
            body = line["response"]["body"]
            body["choices"][0]["message"]["content"] += "\u2028\x85"
            body["usage"] = {"prompt_tokens": count, "completion_tokens": 1}
        batch.files["output"] = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        done = build(tmp_path / "index", plant, config=config, without=LATER)
    assert (done.owed, done.degraded, len(server.batches)) == ({}, {}, 1)
    assert done.tokens["context"]["estimated"] == len(lines)


def test_at_an_address_that_knows_of_no_batches_none_is_given_up(plant: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with BatchServer() as server:
        config = batched(server)
        first = build(index, plant, config=config, without=LATER)
        server.work()
        astray = replace(config, llm=replace(config.llm, base_url=f"{server.base_url}/astray"))
        lost = build(index, plant, config=astray, without=LATER)
        assert (lost.waiting, lost.degraded) == (first.waiting, {"context: batch not asked for": 1})
        assert build(index, plant, config=config, without=LATER).owed == {}
    assert len(server.batches) == 1


def test_a_lost_batch_is_found_behind_others(plant: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with BatchServer() as server:
        config = batched(server)
        server.lost = True
        build(index, plant, config=config, without=LATER)
        server.work()
        server.batches += [Batch(f"batch-{number}", [], {}) for number in range(1, 250)]
        assert build(index, plant, config=config, without=LATER).owed == {}
        assert server.batches[-1].id == "batch-249"


def test_batches_are_as_large_as_the_server_takes_in_any_script(tmp_path: Path) -> None:
    most = 8_000
    texts = {f"m{n}": "# 泵\n\n" + f"第{n}号泵的压力在启动之前检查。\n\n" * 20 for n in range(6)}
    with BatchServer() as server:
        config = batched(server)
        config = replace(config, llm=replace(config.llm, batch_bytes=most))
        report = build(tmp_path / "index", manual(tmp_path / "m", **texts), config=config, without=LATER)
        assert report.waiting == sum(len(batch.lines) for batch in server.batches)
        for batch in server.batches:
            assert sum(len(json.dumps(line)) + 1 for line in batch.lines) <= most
        assert 1 < len(server.batches) < report.waiting


def test_another_server_is_not_handed_what_waits_at_the_first_and_another_key_collects_it(
    plant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = tmp_path / "index"
    with BatchServer() as server, BatchServer() as other:
        config = batched(server)
        config = replace(config, llm=replace(config.llm, batch_calls=1))
        first = build(index, plant, config=config, without=LATER)
        assert [len(batch.lines) for batch in server.batches] == [1] * first.waiting
        astray = build(index, plant, config=batched(other), without=LATER)
        assert astray.degraded["context: batch of another server or key"] == first.waiting
        assert (other.batches, astray.waiting) == ([], first.waiting)
        assert server.base_url in caplog.text
        assert "build without --batch" in caplog.text
        server.work()
        monkeypatch.setenv("TREEGRAPH_LLM_API_KEY", "a-key-that-is-new")
        assert build(index, plant, config=config, without=LATER).owed == {}
        assert len(server.batches) == first.waiting
    assert b"a-key-that-is-new" not in (index / "ledger.db").read_bytes()


def test_nothing_that_a_server_says_of_what_it_was_asked_is_kept(plant: Path, tmp_path: Path) -> None:
    """A reason is in the history of runs and in the metrics, which outlive the documents."""
    index = tmp_path / "index"
    with BatchServer() as server:
        config = batched(server)
        build(index, plant, config=config, without=LATER)
        server.work(lambda number, prompt: f"cannot take {number}: {prompt[-90:]}")
        second = build(index, plant, config=config, without=LATER)
        assert second.degraded == {"context: batch call failed": 2, "call failed": second.chunks}
        server.refusing = True
        third = build(index, plant, config=config, without=LATER)
        waits = {"context: call waits": third.chunks}
        assert third.degraded == {"context: batch not handed over": 2, **waits}


def test_caps_hold_when_calls_are_put_into_a_batch(plant: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with BatchServer() as server:
        config = batched(server)
        first = build(index, plant, config=config, without=LATER, max_calls=1)
        assert [len(batch.lines) for batch in server.batches] == [1]
        assert sorted(first.degraded) == ["context: budget spent", "context: call waits"]
        server.work()
        second = build(index, plant, config=config, without=LATER, max_calls=0)
        assert 0 < second.owed["context"] < first.owed["context"], "what was paid for is collected"
        assert len(server.batches) == 1


def test_the_command_line_says_what_waits_and_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_plant(tmp_path / "plant", 1)
    assert here("build", "plant", "--batch").code == 2
    with BatchServer() as server:
        command = (
            "build",
            "plant",
            "--llm",
            f"{MODEL}@{server.base_url}",
            "--batch",
            "--without",
            "tree,graph",
        )
        first = here(*command)
        assert first.code == 0
        assert "waiting    1 calls in batches" in first.out
        waiting = here(*command, "--json").json("build")
        assert (waiting["waiting"], waiting["generation"]) == (1, None)
        assert here("status", "--json").json("status")["waiting"] == 1
        server.work()
        done = here(*command, "--json").json("build")
        assert (done["waiting"], done["owed"]) == (0, {})


def test_a_purge_withdraws_what_a_server_works_on_or_names_it(
    plant: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index, source = tmp_path / "index", copy_folder(plant, tmp_path / "plant")
    with BatchServer() as server:
        config = batched(server)
        build(index, source, config=config, without=LATER)
        options = {"config": config, "embedder": FakeHashEmbedder(), "yes": True}
        purged = treegraph.purge(index, ["plant/unit2.md"], **options).purged
        assert (purged["batches"], server.batches[0].status) == (1, "cancelling")
        assert server.deleted == ["input-batch-0"]
        assert "was not cancelled" not in caplog.text
        build(index, source, config=config, without=LATER)
        server.batches.clear()
        assert treegraph.purge(index, ["plant/unit1.md"], **options).purged["batches not withdrawn"] == 1
        assert "batch-1, which was handed over to" in caplog.text
        assert server.base_url in caplog.text
    assert treegraph.status(index)["waiting"] == 0


@pytest.mark.parametrize("days", [4000, -4000])
def test_a_night_with_a_clock_that_is_wrong_loses_no_answer_and_no_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    index, source = tmp_path / "index", write_plant(tmp_path / "plant", 1)
    with BatchServer() as server, BatchServer() as other:
        config = batched(server)
        build(index, source, config=config, without=LATER)
        with monkeypatch.context() as night:
            right = time.time
            night.setattr(time, "time", lambda: right() + days * 86400)
            astray = build(index, source, config=batched(other), without=LATER)
            assert (astray.waiting, other.batches) == (1, [])
        server.work()
        away = (source / "unit1.md").rename(tmp_path / "unit1.md")
        write_plant(source, 2)
        build(index, source, config=config, without=LATER, yes=True)
        with monkeypatch.context() as night:
            night.setattr(time, "time", lambda: right() + days * 86400)
            build(index, source, config=config, without=LATER)
        away.rename(source / "unit1.md")
        server.work()
        assert build(index, source, config=config, without=LATER).owed == {}
    assert (server.calls["context"], len(server.batches)) == (2, 2), "each was paid for once"


def test_a_batch_that_nobody_knows_is_given_up_after_runs_on_many_days(
    plant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    with BatchServer() as server, BatchServer() as other:
        first = build(index, plant, config=batched(server), without=LATER)
        with closing(IndexFolder.open(index)) as folder:
            history = RunHistory(folder.ledger)
            for number in range(1, 31):
                history.begin(f"night {number}", "build", 1, "host", time.time() + number * 86400)
        assert build(index, plant, config=batched(other), without=LATER).waiting == first.waiting
        assert len(other.batches) == 1, "its calls are made by the server that is named now"
