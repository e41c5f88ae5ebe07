"""The figures of a run for Prometheus: right by the format's grammar, whatever became of the run."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import COMMAND, Here, environment
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_text import parse
from small_index import build, manual, moved
from treegraph.pipelines.metrics import RunFigures, gauges, write_metrics
from treegraph.pipelines.metrics_text import Gauge, rendered

DOCS = Path(__file__).parents[2] / "docs" / "runs.md"


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), st.text()), st.floats(allow_nan=False), st.text())
def test_any_label_and_value_is_read_back_as_it_was(labels: dict[str, str], value: float, text: str) -> None:
    gauge = Gauge("treegraph_any", "What \\ and\nwhat not.", [({**labels, "own": text}, value)])
    ((found, read),) = parse(rendered([gauge], {"index": "a"}))["treegraph_any"].samples.items()
    assert read == value
    asked = {**labels, "index": "a", "own": text}
    assert dict(found) == {n: v.encode("utf-8", "backslashreplace").decode() for n, v in asked.items()}


def test_a_build_tells_what_it_did_and_what_the_index_holds(copied: Here) -> None:
    moved(copied.path / "treegraph.index", copied.path / "manuals")
    file = copied.path / "treegraph.prom"
    before = time.time()
    assert copied("build", "manuals", "--metrics-file", "treegraph.prom").code == 0
    found = parse(file.read_text())
    assert found["treegraph_run_outcome"].by("outcome") == {
        "published": 0,
        "unchanged": 1,
        "failed": 0,
        "stopped": 0,
    }
    changes = found["treegraph_run_documents"].by("change")
    assert (changes["unchanged"], changes["failed"], changes["added"]) == (3, 1, 0)
    for name, value in {"documents": 3, "failures": 1, "generation": 1, "pages": 2}.items():
        assert list(found[f"treegraph_index_{name}"].samples.values()) == [value]
    (labels,) = found["treegraph_index_disk_bytes"].samples
    assert dict(labels) == {"index": str(copied.path / "treegraph.index"), "command": "build"}
    assert found["treegraph_index_disk_bytes"].samples[labels] > 10_000
    (good,) = found["treegraph_run_good_timestamp_seconds"].samples.values()
    assert before <= good <= time.time()
    (run,) = found["treegraph_run_info"].by("run")
    assert run == copied("runs", "--json").json("runs")["runs"][0]["id"]
    assert os.stat(file).st_mode & 0o004, "the collector is another user"
    copied("build", "manuals", "--dry-run", "--metrics-file", "dry.prom")
    assert sorted(path.name for path in copied.path.iterdir() if "prom" in path.name) == ["treegraph.prom"]


def test_a_run_that_failed_tells_so_and_when_one_was_good(copied: Here) -> None:
    moved(copied.path / "treegraph.index", copied.path / "manuals")
    assert copied("build", "unmounted", "--metrics-file", "m.prom").code == 3
    found = parse((copied.path / "m.prom").read_text())
    assert found["treegraph_run_outcome"].by("outcome")["failed"] == 1
    assert list(found["treegraph_run_info"].by("reason")) == ["source unreadable"]
    (good,) = found["treegraph_run_good_timestamp_seconds"].samples.values()
    (ended,) = found["treegraph_run_finished_timestamp_seconds"].samples.values()
    assert good < ended
    assert list(found["treegraph_index_documents"].samples.values()) == [3]
    assert "treegraph_index_pages" not in found
    assert copied("build", "manuals", "--llm", "nonsense", "--metrics-file", "m.prom").code == 2
    assert list(parse((copied.path / "m.prom").read_text())["treegraph_run_info"].by("reason")) == [
        "configuration error"
    ]
    assert copied("build", "x", "-i", "none", "--metrics-file", "m.prom").code == 3
    assert "treegraph_index_documents" not in parse((copied.path / "m.prom").read_text())


def test_a_run_that_is_stopped_tells_so(tmp_path: Path) -> None:
    manual(tmp_path / "m", **{f"part{n}": f"# Part {n}\n\n" + "word " * 500 for n in range(20)})
    process = subprocess.Popen(
        [*COMMAND, "build", "m", "--metrics-file", "m.prom"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"building treegraph.index ...\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    found = parse((tmp_path / "m.prom").read_text())
    assert found["treegraph_run_outcome"].by("outcome")["stopped"] == 1
    assert "treegraph_run_good_timestamp_seconds" not in found


def test_a_file_that_cannot_be_written_is_a_warning_and_no_failure(copied: Here) -> None:
    moved(copied.path / "treegraph.index", copied.path / "manuals")
    (copied.path / "taken").mkdir()
    os.mkfifo(copied.path / "pipe")
    told = "it is there, and is no file"
    for place, why in (("nowhere/m.prom", "No such file"), ("taken", told), (".", told), ("pipe", told)):
        done = copied("build", "manuals", "--metrics-file", place)
        assert done.code == 0
        assert f"the metrics are not in {place}: " in done.err
        assert why in done.err
    assert list((copied.path / "taken").iterdir()) == []
    assert (copied.path / "pipe").is_fifo(), "no device and no pipe is replaced"
    assert not [path for path in copied.path.iterdir() if path.name.startswith(".")]


def test_money_tokens_and_what_was_degraded_or_is_owed_have_their_labels() -> None:
    tokens = {"context": {"in": 900, "out": 80, "calls": 3, "cached": 2}, "native": {"in": 5, "calls": 1}}
    report = {
        "documents": {"added": 2, "failed": 1, "new_failures": 1},
        "cost": {"context": 0.25, "native": None},
        "tokens": tokens,
        "degraded": {'page "7": budget spent': 4},
        "owed": {"tree": 9},
        "seconds": {"load": 1.5, "total": 4.0},
        "pages": 12,
    }
    failed = RunFigures(
        "build", "f00", "failed", "store full", 1.0, 5.0, 4.0, {"documents": 7}, report, None, 3, 4096
    )
    found = parse(rendered(gauges(failed), {"index": "i"}))
    assert {
        (dict(labels)["stage"], dict(labels)["direction"]): count
        for labels, count in found["treegraph_run_tokens"].samples.items()
    } == {("context", "in"): 900, ("context", "out"): 80, ("native", "in"): 5}
    assert found["treegraph_run_cost"].by("stage") == {"context": 0.25}
    assert found["treegraph_run_degraded"].by("reason") == {'page "7": budget spent': 4}
    assert found["treegraph_run_owed"].by("stage") == {"tree": 9}
    assert found["treegraph_run_documents"].by("change") == {"failed": 1}
    assert list(found["treegraph_index_documents"].samples.values()) == [7]
    assert "treegraph_index_pages" not in found
    well = parse(rendered(gauges(replace(failed, outcome="published")), {"index": "i"}))
    assert well["treegraph_run_documents"].by("change") == {"added": 2, "failed": 1}
    assert list(well["treegraph_index_pages"].samples.values()) == [12]
    told = DOCS.read_text("utf-8")
    for gauge in gauges(failed):
        assert f"`{gauge.name}`" in told or f"`_{gauge.name.removeprefix('treegraph_index_')}`" in told


def test_stages_and_memory_are_those_of_the_report(tmp_path: Path) -> None:
    index, source = tmp_path / "in dex", manual(tmp_path / "m", a="# A\n\nOne.\n")
    report = build(index, source)
    assert report.run is not None
    write_metrics(tmp_path / "m.prom", index, "build", report.run, 1.0, None)
    found = parse((tmp_path / "m.prom").read_text())
    stages = found["treegraph_run_stage_duration_seconds"].by("stage")
    assert {"load", "chunk", "embed", "publish"} <= set(stages)
    assert "total" not in stages
    assert list(found["treegraph_run_peak_memory_bytes"].samples.values()) == [report.peak_memory]
    with pytest.raises(OSError):
        write_metrics(tmp_path / "m" / "a.md" / "m.prom", index, "build", report.run, 1.0, None)
    assert treegraph.status(index)["generation"] == 1
