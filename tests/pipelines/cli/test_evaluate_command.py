"""``treegraph eval``: what it measures, writes and returns."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMAND, Done, Here, environment, treegraph
from small_set import QUESTIONS, write_lines, write_pages, write_records


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sets, and the work folder that the tests share."""
    folder = tmp_path_factory.mktemp("sets")
    write_records(folder / "records")
    write_pages(folder / "pages")
    return folder


@pytest.fixture
def there(sets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here.entered(sets, monkeypatch, capsys)


def measured(there: Here, *arguments: str) -> Any:
    """The JSON of an evaluation that went well."""
    done = there("eval", *arguments, "--work", "work", "--json")
    assert done.code == 0, done.err
    return done.json("eval")


def test_a_set_of_records_is_measured(there: Here) -> None:
    document = measured(there, "records")
    (row,) = document["rows"]
    assert (document["set"], row["queries"], row["failed"]) == ("records", 4, 0)
    for name in ("recall@5", "hit@1", "all-gold@5", "mrr", "ndcg@10", "tokens"):
        assert row["metrics"][name]["low"] <= row["metrics"][name]["mean"] <= row["metrics"][name]["high"]
    assert row["metrics"]["recall@5"]["mean"] == 1.0
    assert set(row["seconds"]) >= {"p50", "p95", "build"}
    assert {(found["field"], found["value"]) for found in row["slices"]} >= {("type", "fact")}


def test_pages_of_pdfs_are_measured_with_their_evidence(there: Here) -> None:
    (row,) = measured(there, "pages")["rows"]
    assert {"page_recall", "page_f1", "terms", "pages"} <= set(row["metrics"])
    assert row["metrics"]["page_recall"]["mean"] == 1.0


def test_a_grid_is_compared_and_what_cannot_be_is_said(there: Here) -> None:
    grid = ("--compare", "fusion=adaptive,dense,sparse", "--compare", "rerank=off,on")
    document = measured(there, "records", *grid)
    assert [row["config"]["fusion"] for row in document["rows"]] == ["adaptive", "dense", "sparse"]
    assert set(document["left_out"]) == {"rerank=on"}
    compared = {(found["config"]["fusion"], found["metric"]) for found in document["differences"]}
    assert {("dense", "mrr"), ("sparse", "recall@5")} <= compared
    shown = there("eval", "records", *grid, "--work", "work")
    assert shown.code == 0
    for part in ("adaptive", "sparse", "recall@5", "difference from the first", "left out: rerank=on"):
        assert part in shown.out
    assert "measuring records" in shown.err


def test_the_same_index_serves_again(there: Here) -> None:
    measured(there, "records")
    before = {path: path.stat().st_mtime_ns for path in Path("work/indexes").glob("*/index.toml")}
    assert len(before) >= 1
    measured(there, "records", "--compare", "fusion=rrf,minmax")
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_limit_draws_a_seeded_sample_and_slices_can_be_left_out(there: Here) -> None:
    (row,) = measured(there, "records", "--limit", "2", "--seed", "5", "--no-slices")["rows"]
    assert (row["queries"], row["slices"]) == (2, [])


def earlier_run(there: Here, name: str, change: float = 0.0) -> Path:
    """A run of now on disk, with ``change`` added to the means of hit@1."""
    document = measured(there, "records")
    for row in document["rows"]:
        row["metrics"]["hit@1"]["mean"] += change
    file = there.path / name
    file.write_text(json.dumps(document), "utf-8")
    return file


def test_a_loss_is_named_and_exits_5_after_the_whole_result(there: Here) -> None:
    earlier = earlier_run(there, "better.json", change=0.25)
    arguments = ("eval", "records", "--work", "work", "--against", str(earlier))
    done = there(*arguments, "--json")
    document = done.json("eval")
    assert (done.code, len(document["rows"])) == (5, 1)
    (loss,) = document["against"]["losses"]
    assert (loss["metric"], loss["before"] - loss["now"]) == ("hit@1", pytest.approx(0.25))
    assert re.search(rf"lost: records, .*hit@1 was {loss['before']:.4f}, is {loss['now']:.4f}", done.err)
    shown = there(*arguments, "-q")
    assert (shown.code, "recall@5" in shown.out, "lost: records" in shown.err) == (5, True, True)
    assert there(*arguments, "--tolerance", "0.3").code == 0


def test_no_loss_is_exit_0(there: Here) -> None:
    earlier = earlier_run(there, "same.json")
    assert measured(there, "records", "--against", str(earlier))["against"]["losses"] == []


def test_what_cannot_be_compared_is_exit_2(there: Here) -> None:
    (there.path / "foreign.json").write_text("{}", "utf-8")
    refused = there("eval", "records", "--work", "work", "--against", "foreign.json", "--json")
    assert (refused.code, refused.json("error")["error"]["type"]) == (2, "ConfigurationError")
    assert "foreign.json" in refused.err
    earlier = earlier_run(there, "other.json")
    other = there("eval", "pages", "--work", "work", "--against", str(earlier), "--json")
    assert (other.code, len(other.json("eval")["rows"])) == (2, 1)
    assert "can be compared" in other.err


def test_the_page_is_written_and_its_folder_is_checked_first(there: Here) -> None:
    done = there("eval", "pages", "--work", "work", "--html", "page.html")
    assert done.code == 0
    page = (there.path / "page.html").read_text("utf-8")
    assert all(text in page for text, _, _ in QUESTIONS.values())
    missing = there("eval", "pages", "--work", "work", "--html", "nowhere/page.html")
    assert (missing.code, "no folder nowhere" in missing.err) == (2, True)
    (there.path / "locked.html").symlink_to("nowhere/page.html")
    unwritten = there("eval", "pages", "--work", "work", "--html", "locked.html", "--json")
    assert (unwritten.code, len(unwritten.json("eval")["rows"])) == (3, 1)
    assert "cannot write locked.html" in unwritten.err


def test_an_index_that_is_there_is_measured_as_it_is(there: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    assert there("build", "pages/pdf", "-i", "mine.index", "-q").code == 0
    (row,) = measured(there, "pages", "-i", "mine.index", "--compare", "fusion=rrf")["rows"]
    assert (row["seconds"]["build"], row["config"]["fusion"]) == (0, "rrf")
    refused = there("eval", "pages", "-i", "mine.index", "--compare", "chunk=fixed,structure")
    assert (refused.code, "leave out -i" in refused.err) == (2, True)
    assert there("eval", "pages", "-i", "nowhere.index", "--work", "work").code == 3
    monkeypatch.setenv("TREEGRAPH_INDEX", "nowhere.index")
    measured(there, "pages")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere"),
        (("records", "--compare", "chnuk=fixed"), "did you mean chunk"),
        (("records", "--llm", "small"), "MODEL@URL"),
        (("own",), "SOURCE"),
        (("own", "pages/pdf", "--questions", "riddles"), "captions"),
        (("own", "pages/pdf", "--questions", "written"), "language model"),
        ((), "SET"),
    ],
)
def test_wrong_usage_is_exit_2(there: Here, arguments: tuple[str, ...], said: str) -> None:
    done = there("eval", *arguments)
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.fixture(scope="module")
def manuals(sets: Path) -> Path:
    """A manual with captions and defined terms."""
    folder = sets / "manuals"
    folder.mkdir()
    (folder / "manual.md").write_text(
        "# Pump manual\n\n## Terms\n\n**Dead time** — the pause between opening one valve and the next.\n\n"
        "**Backwash** — water that is pressed through the membrane filter against its direction.\n\n"
        "## Limits\n\nTable 1. Pressure limits of the intake\n\n"
        "| Part | Limit |\n|---|---|\n| intake | 4 bar |\n",
        "utf-8",
    )
    return folder


def test_own_questions_are_made_saved_and_asked_again(there: Here, manuals: Path) -> None:
    made = there("eval", "own", "manuals", "--only-questions", "--save", "own", "--work", "work", "--json")
    document = made.json("eval")
    assert (made.code, document["rows"]) == (0, [])
    count = sum(document["questions"].values())
    assert count >= 2
    assert document["questions"]["terms"] == 2
    (row,) = measured(there, "own", "manuals")["rows"]
    assert row["queries"] == count
    (again,) = measured(there, "./own")["rows"]  # the folder; "own" alone is the word
    assert again["metrics"]["recall@5"] == row["metrics"]["recall@5"]
    shown = there("eval", "own", "manuals", "--only-questions", "--work", "work")
    assert "terms" in shown.out


def test_what_is_wrong_is_said_before_questions_are_made(there: Here, manuals: Path) -> None:
    done = there("eval", "own", "manuals", "--save", "unsaved", "--compare", "chnuk=fixed", "--work", "work")
    assert (done.code, "did you mean chunk" in done.err) == (2, True)
    assert "making questions" not in done.err
    assert not (there.path / "unsaved").exists()
    taken = there("eval", "own", "manuals", "--save", "pages", "--work", "work")
    assert (taken.code, "holds other things" in taken.err) == (2, True)
    assert "making questions" not in taken.err


def test_own_is_found_behind_options(there: Here, manuals: Path) -> None:
    before = there("eval", "--json", "--work", "work", "own", "--only-questions", "manuals")
    assert before.json("eval")["questions"]["terms"] == 2
    assert "--per-kind" in there("eval", "own", "--help").out
    assert "--pdfs" in there("eval", "--help").out


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path: Path) -> None:
    write_records(tmp_path / "many")
    queries = [
        {"_id": f"{name}-{n}", "text": f"{text} {n}", "gold": gold}
        for n in range(400)
        for name, (text, (gold, *_), _) in QUESTIONS.items()
    ]
    write_lines(tmp_path / "many" / "queries.jsonl", ({k: q[k] for k in ("_id", "text")} for q in queries))
    qrels = "".join(f"{query['_id']}\t{query['gold']}\t1\n" for query in queries)
    (tmp_path / "many" / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{qrels}", "utf-8")
    command = ("eval", "many", "--work", "work", "--json")
    process = subprocess.Popen(
        [*COMMAND, *command], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for_answers(process, tmp_path / "work" / "journals")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    stopped = Done(process.returncode, out.decode(), err.decode())
    assert (stopped.code, stopped.json("error")["error"]["type"]) == (130, "Cancelled")
    assert "the same command goes on" in stopped.err
    (journal,) = (tmp_path / "work" / "journals").iterdir()
    kept = journal.read_bytes().splitlines()
    assert 0 < len(kept) < len(queries)
    # All but a few of the answers, as if it had been stopped near its end: only those are asked again.
    answers = [json.loads(line) for line in kept if line.strip()]
    made_up = [
        {**answers[0], "outcome": {**answers[0]["outcome"], "question": q["_id"]}} for q in queries[8:]
    ]
    write_lines(journal, made_up)
    finished = treegraph(tmp_path, *command)
    assert finished.code == 0, finished.err
    (row,) = finished.json("eval")["rows"]
    assert (row["queries"], row["failed"]) == (len(queries), 0)
    assert list((tmp_path / "work" / "journals").iterdir()) == []


def wait_for_answers(process: subprocess.Popen[bytes], journals: Path) -> None:
    """Until a few questions are answered: their journal has lines."""
    for _ in range(600):
        if process.poll() is not None:
            break
        if journals.is_dir() and any(path.stat().st_size > 2000 for path in journals.iterdir()):
            return
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(process.communicate()[1].decode())


def test_routes_are_compared_over_sets(there: Here) -> None:
    done = there("eval", "routes", "records", "--half", "2", "--work", "work", "--json")
    assert done.code == 0, done.err
    (records,) = done.json("eval-routes")["sets"]
    assert (records["set"], records["questions"], records["metric"]) == ("records", 2, "recall@5")
    assert set(records["means"]) == {"hybrid", "auto", "tree", "graph"}
    assert records["best_of_each"] >= records["best_of_set"] >= records["means"]["hybrid"]
    shown = there("eval", "routes", "records", "--limit", "2", "--work", "work")
    assert "x hybrid" in shown.out
    assert "there is no gap to close" in shown.out
