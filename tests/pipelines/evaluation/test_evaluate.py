"""Whole evaluations over small real sets: rows, reuse, going on after an interruption, failures."""

import json
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build
from treegraph.indexer.errors import Cancelled, ConfigurationError, StoreError, StoreUnreachable
from treegraph.pipelines.evaluation import kept_hits
from treegraph.pipelines.evaluation.evaluate import Measuring, evaluate
from treegraph.pipelines.evaluation.grid import parse_grid
from treegraph.pipelines.evaluation.indexes import GivenModels
from treegraph.pipelines.evaluation.outcomes import EvaluationReport
from treegraph.pipelines.evaluation.places import page_place
from treegraph.pipelines.evaluation.questions import EvaluationSet, Part, Question, Withheld
from treegraph.pipelines.events import Event
from treegraph.query.index import Index

PAGES = (
    "The watchdog resets the controller when no heartbeat arrives for two seconds.",
    "The relay driver switches the pump and needs firmware 2.4 or later.",
    "The battery must not be charged below zero degrees.",
    "Error E42 means that the sensor cable is broken.",
)


@pytest.fixture
def manuals(tmp_path: Path) -> Path:
    folder = tmp_path / "pdf"
    folder.mkdir()
    _write(folder / "heron.pdf", PAGES)
    return folder


def _write(path: Path, texts: Sequence[str]) -> None:
    """A PDF of pages long enough that each is a chunk of its own."""
    with pymupdf.open() as pdf:
        for text in texts:
            filler = f"{text.split()[1]} notes follow here for the reader of this page of the manual. " * 16
            pdf.new_page().insert_textbox((72, 72, 500, 700), f"{text}\n{filler}")
        pdf.save(path)


def _place(page: int) -> str:
    return page_place("pdf/heron.pdf", page)


@pytest.fixture
def chosen(manuals: Path) -> EvaluationSet:
    questions = (
        Question("q1", "heartbeat of the watchdog", {_place(1): 1}, {"type": "fact"}),
        Question("q2", "firmware of the relay driver", {_place(2): 1}, {"type": "fact"}),
        Question("q3", "E42", {_place(4): 1}, {"type": "code"}),
        Question("q4", "battery and zebra", {_place(3): 1, _place(1): 1}, {"type": "code"}),
    )
    return EvaluationSet("heron", (Part("heron", (str(manuals),), questions, "page"),))


def _evaluate(
    chosen: EvaluationSet,
    work: Path,
    grid: Sequence[str] = (),
    *,
    seen: list[Event] | None = None,
    cancel: threading.Event | None = None,
    config: treegraph.Config = CONFIG,
    index: Path | None = None,
    limit: int | None = None,
) -> EvaluationReport:
    listen = (lambda event: None) if seen is None else seen.append
    found = parse_grid(grid, config)
    return evaluate(
        chosen,
        found.variants,
        Measuring(work, index=index, limit=limit),
        left_out=found.left_out,
        models=GivenModels(FakeHashEmbedder()),
        on_event=listen,
        cancel=cancel,
    )


def test_a_row_has_every_metric_with_its_interval(chosen: EvaluationSet, tmp_path: Path) -> None:
    (row,) = _evaluate(chosen, tmp_path / "work").rows

    assert row.queries == 4
    assert {
        "recall@5",
        "hit@1",
        "all-gold@10",
        "mrr",
        "ndcg@10",
        "page_f1",
        "page_recall",
        "pages",
        "terms",
    } <= (row.metrics.keys())
    assert {"tokens", "tokens@10"} <= row.metrics.keys()
    assert row.metrics["hit@5"].mean == 1
    assert all(each.low <= each.mean <= each.high for each in row.metrics.values())
    assert row.config["route"] == "auto"
    assert 0 < row.seconds["p50"] <= row.seconds["p95"]
    assert row.seconds["build"] > 0


def test_an_outcome_tells_where_the_gold_stood(chosen: EvaluationSet, tmp_path: Path) -> None:
    (row,) = _evaluate(chosen, tmp_path / "work").rows

    first = row.outcomes[0]
    assert first.standing[_place(1)]["final"] == 1
    assert first.standing[_place(1)]["sparse"] == 1
    assert first.standing[_place(1)]["reranked"] is None
    assert first.hits[0].gold
    assert first.hits[0].cited == "pdf/heron.pdf p. 1"
    assert first.hits[0].places == (_place(1),)


def test_slices_are_by_the_fields_that_group(chosen: EvaluationSet, tmp_path: Path) -> None:
    (row,) = _evaluate(chosen, tmp_path / "work").rows

    assert {(each.field, each.value, each.queries) for each in row.slices} == {
        ("type", "fact", 2),
        ("type", "code", 2),
    }


def test_the_index_is_reused_until_something_that_shapes_it_changes(
    chosen: EvaluationSet, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    first = _evaluate(chosen, work).rows[0]
    assert _evaluate(chosen, work).rows[0].seconds["build"] == first.seconds["build"]
    assert len(list((work / "indexes").glob("*.json"))) == 1

    report = _evaluate(chosen, work, ["context=structure,none fusion=adaptive,0.3"])

    assert len(list((work / "indexes").glob("*.json"))) == 2
    assert [(row.config["context"], row.config["fusion"]) for row in report.rows] == [
        ("structure", "adaptive"),
        ("structure", "0.3"),
        ("none", "adaptive"),
        ("none", "0.3"),
    ]
    assert {json.dumps(dict(each.config)) for each in report.differences} == {
        json.dumps(dict(row.config)) for row in report.rows[1:]
    }


def test_an_index_that_was_removed_costs_nothing_any_more(chosen: EvaluationSet, tmp_path: Path) -> None:
    work = tmp_path / "work"
    _evaluate(chosen, work)
    (spent,) = (work / "indexes").glob("*.json")
    spent.write_text('{"seconds": 1000.0}')
    shutil.rmtree(spent.with_suffix(""))

    assert _evaluate(chosen, work).rows[0].seconds["build"] < 1000


def test_a_changed_file_is_read_again(chosen: EvaluationSet, manuals: Path, tmp_path: Path) -> None:
    _evaluate(chosen, tmp_path / "work")
    _write(manuals / "heron.pdf", PAGES[::-1])

    (row,) = _evaluate(chosen, tmp_path / "work").rows

    assert row.outcomes[2].standing[_place(4)]["final"] != 1


def test_an_interrupted_evaluation_goes_on_where_it_stopped(chosen: EvaluationSet, tmp_path: Path) -> None:
    cancel, seen = threading.Event(), []

    def stop(event: Event) -> None:
        seen.append(event)
        if event.unit == "questions" and event.done == 2:
            cancel.set()

    found = parse_grid([], CONFIG)
    with pytest.raises(Cancelled):
        evaluate(
            chosen,
            found.variants,
            Measuring(tmp_path / "work"),
            models=GivenModels(FakeHashEmbedder()),
            on_event=stop,
            cancel=cancel,
        )
    (journal,) = (tmp_path / "work" / "journals").iterdir()
    with journal.open("a") as file:
        file.write('{"outcome": {"question": "q3", "val')  # as a kill would leave it

    again: list[Event] = []
    report = _evaluate(chosen, tmp_path / "work", seen=again)

    assert [event.done for event in again if event.unit == "questions"] == [3, 4]
    assert [outcome.question for outcome in report.rows[0].outcomes] == ["q1", "q2", "q3", "q4"]
    fresh = _evaluate(chosen, tmp_path / "other").rows[0]
    assert report.rows[0].metrics == fresh.metrics
    assert not list((tmp_path / "work" / "journals").iterdir())


def test_a_question_that_fails_is_counted_and_the_rest_goes_on(
    chosen: EvaluationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Index.search

    def failing(self: Index, question: str, **options: object) -> object:
        if question == "E42":
            raise StoreError("the store went away")
        return ask(self, question, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "search", failing)

    report = _evaluate(chosen, tmp_path / "work")

    outcome = report.rows[0].outcomes[2]
    assert outcome.error is not None
    assert "the store went away" in outcome.error
    assert (outcome.values["hit@5"], outcome.values["page_recall"], outcome.values["terms"]) == (0, 0, 0)
    assert report.rows[0].queries == 4
    assert any("1 of 4 questions failed" in note for note in report.notes)


def test_a_store_that_is_gone_ends_the_evaluation_and_its_answers_are_kept(
    chosen: EvaluationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Index.search
    gone = {"E42": StoreUnreachable("no answer"), "firmware of the relay driver": StoreError("a hiccup")}

    def failing(self: Index, question: str, **options: object) -> object:
        if question in gone:
            raise gone[question]
        return ask(self, question, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "search", failing)
    monkeypatch.setattr("treegraph.pipelines.evaluation.asking.WARMING", 0)
    with pytest.raises(StoreUnreachable):
        _evaluate(chosen, tmp_path / "work")

    gone.clear()
    again: list[Event] = []
    (row,) = _evaluate(chosen, tmp_path / "work", seen=again).rows

    # The first answer stands; the question that failed is asked once more.
    assert [event.done for event in again if event.unit == "questions"] == [2, 3, 4]
    assert [outcome.error for outcome in row.outcomes] == [None] * 4


def test_an_index_that_was_made_anew_is_asked_anew(
    chosen: EvaluationSet, manuals: Path, tmp_path: Path
) -> None:
    mine, cancel = tmp_path / "mine", threading.Event()
    build(mine, manuals)

    def stop(event: Event) -> None:
        if event.unit == "questions":
            cancel.set()

    with pytest.raises(Cancelled):
        evaluate(
            chosen,
            parse_grid([], CONFIG).variants,
            Measuring(tmp_path / "work", index=mine),
            models=GivenModels(FakeHashEmbedder()),
            on_event=stop,
            cancel=cancel,
        )
    shutil.rmtree(mine)
    time.sleep(1.1)  # when a generation was built is kept in whole seconds
    build(mine, manuals)

    again: list[Event] = []
    _evaluate(chosen, tmp_path / "work", index=mine, seen=again)

    assert [event.done for event in again if event.unit == "questions"] == [1, 2, 3, 4]


def test_only_the_worst_questions_keep_their_hits(
    chosen: EvaluationSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_hits, "QUESTIONS", 1)
    monkeypatch.setattr("treegraph.pipelines.evaluation.evaluate.CONFIGURATIONS", 2)
    rows = _evaluate(chosen, tmp_path / "work", ["fusion=adaptive,0.2,0.8"]).rows

    worst = min(
        rows[0].outcomes, key=lambda each: (each.values["recall@5"], each.values["mrr"], each.question)
    )
    held = [{outcome.question for outcome in row.outcomes if outcome.hits} for row in rows]
    assert held == [{worst.question}, {worst.question}, set()]
    assert all(outcome.standing for row in rows for outcome in row.outcomes)


def test_a_file_that_cannot_be_read_is_named(chosen: EvaluationSet, manuals: Path, tmp_path: Path) -> None:
    (manuals / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")

    report = _evaluate(chosen, tmp_path / "work")

    assert any("broken.pdf is not in the index" in note for note in report.notes)


def test_places_left_out_are_in_no_ranking(chosen: EvaluationSet, tmp_path: Path) -> None:
    part = replace(chosen.parts[0], left_out=frozenset({_place(1)}))

    (row,) = _evaluate(replace(chosen, parts=(part,)), tmp_path / "work").rows

    assert row.outcomes[0].values["hit@20"] == 0
    assert row.outcomes[1].values["hit@1"] == 1


def test_withheld_entries_shape_an_index_of_their_own(chosen: EvaluationSet, tmp_path: Path) -> None:
    part = replace(chosen.parts[0], withheld={"pdf/heron.pdf": (Withheld("Anything", 2),)})
    _evaluate(chosen, tmp_path / "work")

    _evaluate(replace(chosen, parts=(part,)), tmp_path / "work")

    assert len(list((tmp_path / "work" / "indexes").glob("*.json"))) == 2


def test_a_sample_is_the_same_for_every_configuration(chosen: EvaluationSet, tmp_path: Path) -> None:
    report = _evaluate(chosen, tmp_path / "work", ["fusion=adaptive,0.2"], limit=2)

    asked = [[outcome.question for outcome in row.outcomes] for row in report.rows]
    assert asked[0] == asked[1]
    assert len(asked[0]) == 2


def test_an_index_that_stands_is_measured_as_it_is(
    chosen: EvaluationSet, manuals: Path, tmp_path: Path
) -> None:
    build(tmp_path / "mine", manuals)

    (row,) = _evaluate(chosen, tmp_path / "work", index=tmp_path / "mine").rows

    assert row.metrics["hit@5"].mean == 1
    assert not (tmp_path / "work" / "indexes").exists()


def test_titles_that_an_index_was_built_with_are_told(
    chosen: EvaluationSet, manuals: Path, tmp_path: Path
) -> None:
    build(tmp_path / "mine", manuals)
    part = replace(chosen.parts[0], withheld={"pdf/heron.pdf": (Withheld("Anything", 2),)})

    report = _evaluate(replace(chosen, parts=(part,)), tmp_path / "work", index=tmp_path / "mine")

    assert any("may stand in" in note for note in report.notes)


def test_an_index_of_other_records_is_refused(manuals: Path, tmp_path: Path) -> None:
    build(tmp_path / "mine", manuals)
    records = EvaluationSet("r", (Part("r", ("corpus",), (Question("q", "E42", {"d1": 1}),), "record"),))

    with pytest.raises(ConfigurationError, match=r"about \(d1\)"):
        _evaluate(records, tmp_path / "work", index=tmp_path / "mine")


def test_an_index_of_other_documents_is_refused(chosen: EvaluationSet, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.md").write_text("# Notes\n\nNothing about it.")
    build(tmp_path / "mine", other)

    with pytest.raises(ConfigurationError, match="holds none of the documents"):
        _evaluate(chosen, tmp_path / "work", index=tmp_path / "mine")
