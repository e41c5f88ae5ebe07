"""The history of runs: what each did, how it ended, and how it differs from the run before."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import pytest
import treegraph
from command_line import COMMAND, Here, environment, validate
from hash_embedder import FakeHashEmbedder
from killed_builds import finished, killed_in
from small_index import CONFIG, build, manual, open_small
from small_set import write_records
from treegraph.pipelines.evaluation.evaluate import Measuring, evaluate
from treegraph.pipelines.evaluation.grid import parse_grid
from treegraph.pipelines.evaluation.indexes import GivenModels
from treegraph.pipelines.evaluation.sets.reading import read_set
from treegraph.pipelines.runs import runs

NOTE = treegraph.Document("note", "note", "Note", content=treegraph.Content("Four.", "text/plain"))


def test_every_command_that_writes_leaves_a_run_with_its_difference(tmp_path: Path) -> None:
    index, source = tmp_path / "index", manual(tmp_path / "m", a="# A\n\nOne.\n", b="# B\n\nTwo.\n")
    first = build(index, source)
    build(index, source)
    (source / "c.md").write_text("# C\n\nThree.\n")
    build(index, source, dry_run=True)
    second = build(index, source)
    treegraph.remove(index, ["m/c.md"], config=CONFIG, embedder=FakeHashEmbedder())
    treegraph.rollback(index)
    treegraph.gc(index)
    with open_small(index) as opened:
        opened.upsert([NOTE])
        opened.delete(["note"])

    found = runs(index)
    validate("runs", found)
    told = [(run["command"], run["outcome"], run["documents"]) for run in reversed(found["runs"])]
    assert told == [
        ("build", "published", 2),
        ("build", "unchanged", 2),
        ("build", "published", 3),
        ("remove", "published", 2),
        ("rollback", "published", 3),
        ("gc", "unchanged", 3),
        ("upsert", "published", 4),
        ("delete", "published", 3),
    ]
    oldest, unchanged, grown, removed, *_ = reversed(found["runs"])
    assert oldest["id"] == first.run != second.run == grown["id"]
    assert (oldest["generation"], unchanged["generation"], grown["generation"]) == (1, None, 2)
    assert (oldest["change"], grown["change"]["documents"], removed["change"]["documents"]) == ({}, 1, -1)
    assert grown["report"]["documents"]["added"] == 1
    assert "m/c.md" not in json.dumps(found["runs"])
    assert [run["id"] for run in runs(index, 2)["runs"]] == [run["id"] for run in found["runs"][:2]]


def test_what_failed_or_was_stopped_says_why(tmp_path: Path) -> None:
    index, source = tmp_path / "index", manual(tmp_path / "m", a="# A\n\nOne.\n")
    build(index, source)
    with pytest.raises(treegraph.SourceUnreadable):
        build(index, tmp_path / "unmounted")
    (source / "a.md").write_text("# A\n\nAnother.\n")
    cancel = threading.Event()
    with pytest.raises(treegraph.Cancelled):
        build(index, source, cancel=cancel, on_event=lambda event: cancel.set())
    stopped, failed, _ = runs(index)["runs"]
    assert (failed["outcome"], failed["reason"], failed["documents"]) == ("failed", "source unreadable", 1)
    assert "unmounted" in failed["message"]
    assert (stopped["outcome"], stopped["reason"], stopped["generation"]) == ("stopped", "", None)
    build(index, source)
    assert runs(index, 1)["runs"][0]["outcome"] == "published"


def test_a_killed_run_is_found_by_the_next(tmp_path: Path) -> None:
    index, source = tmp_path / "index", manual(tmp_path / "m", a="# A\n\nOne.\n", b="# B\n\nTwo.\n")
    killed_in("index", source, index, random.Random(1), 0.0)
    (alone,) = runs(index)["runs"]
    assert (alone["outcome"], alone["finished"], alone["seconds"]) == ("killed", None, None)
    finished(source, index)
    new, old = runs(index)["runs"]
    assert (new["outcome"], old["outcome"], old["id"]) == ("published", "killed", alone["id"])
    with sqlite3.connect(index / "ledger.db") as ledger:
        assert ledger.execute("SELECT outcome FROM runs ORDER BY number").fetchall() == [
            ("killed",),
            ("published",),
        ]


def test_a_second_run_is_refused_names_the_first_and_is_in_the_history(tmp_path: Path) -> None:
    index, source = tmp_path / "index", manual(tmp_path / "m", a="# A\n\nOne.\n")
    seen: list[dict[str, object]] = []
    refused: list[str] = []

    def meanwhile(event: treegraph.Event) -> None:
        if event.stage != "index" or refused:
            return
        with pytest.raises(treegraph.IndexLocked) as locked:
            build(index, source)
        refused.append(str(locked.value))
        done = subprocess.run(
            [*COMMAND, "runs", "--json", "-i", str(index)],
            env=environment(),
            capture_output=True,
            check=True,
            timeout=60,
        )
        seen.extend(json.loads(done.stdout)["runs"])

    build(index, source, on_event=meanwhile)
    today = time.strftime("%Y-%m-%d")
    assert f"process {os.getpid()} on" in refused[0]
    assert f"since {today}" in refused[0]
    assert [(run["outcome"], run["reason"]) for run in seen] == [("failed", "index locked"), ("running", "")]
    newest = [run["outcome"] for run in runs(index)["runs"]]
    assert newest == ["failed", "published"]


def test_a_clock_that_jumps_changes_no_duration_and_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, source = tmp_path / "index", manual(tmp_path / "m", a="# A\n\nOne.\n")
    real, jumped = time.time, threading.Event()
    monkeypatch.setattr(time, "time", lambda: real() - (86_400.0 if jumped.is_set() else 0.0))
    report = build(index, source, on_event=lambda event: jumped.set())
    (source / "a.md").write_text("# A\n\nAnother.\n")
    again = build(index, source)
    newest, oldest = runs(index)["runs"]
    assert oldest["finished"] < oldest["started"]
    assert 0 <= oldest["seconds"] < 60
    assert all(0 <= value < 60 for value in report.seconds.values())
    assert (oldest["id"], newest["id"]) == (report.run, again.run)
    assert newest["started"] < oldest["started"]
    assert newest["change"]["documents"] == 0


def test_what_was_measured_of_a_generation_is_with_the_run_that_published_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index, folder = tmp_path / "index", write_records(tmp_path / "set")
    chosen = read_set(folder)

    def measured() -> float:
        row = evaluate(
            chosen,
            parse_grid((), CONFIG).variants,
            Measuring(tmp_path / "work", index=index),
            models=GivenModels(FakeHashEmbedder()),
        ).rows[0]
        return row.metrics["recall@5"].mean

    build(index, folder)
    before = measured()
    lines = (folder / "corpus.jsonl").read_text().splitlines(keepends=True)
    build(index, folder)
    others = "".join(f'{{"_id": "o{n}", "title": "Part {n}", "text": "VX-12 {n}"}}\n' for n in range(9))
    (folder / "corpus.jsonl").write_text("".join(lines).replace("VX-12", "WZ-99") + others)
    build(index, folder, yes=True)
    after = measured()
    assert after < before
    newest, between, first = runs(index)["runs"]
    assert between["quality"] == {}
    assert first["quality"]["set"]["metrics"]["recall@5"] == before
    assert newest["quality"]["set"]["metrics"]["recall@5"] == after
    assert newest["change"]["quality"]["set"]["recall@5"] == after - before
    shown = Here.entered(tmp_path, monkeypatch, capsys)("runs", "-i", str(index)).out.splitlines()
    assert shown[1].endswith(f"set recall@5 {after:.3f} ({after - before:+.3f})")
    assert "recall" not in shown[2]
    assert shown[3].endswith(f"set recall@5 {before:.3f}")


def test_an_index_from_before_there_was_a_history_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index, source = tmp_path / "treegraph.index", manual(tmp_path / "m", a="# A\n\nOne.\n")
    (source / "b.pdf").write_bytes(b"%PDF-1.7\nno more\n")
    build(index, source)
    with sqlite3.connect(index / "ledger.db") as ledger:
        ledger.execute("DROP TABLE runs")
        ledger.execute("ALTER TABLE failures DROP COLUMN reported")
    here = Here.entered(tmp_path, monkeypatch, capsys)
    done = here("runs")
    assert (done.code, done.out) == (0, "no run has written to this index since its history began\n")
    assert here("status", "--failed", "--json").json("status")["failed"][0]["known"] is True
    report = build(index, source)
    assert [failure.known for failure in report.failed] == [True]
    done = here("runs")
    assert [line.split()[3:6] for line in done.out.splitlines()[1:]] == [["build", "unchanged", "1"]]
