"""Answers measured: citations by hand, modes of answering, and whole runs over small sets."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from command_line import Here
from fake_openai import Answer as Reply
from fake_openai import FakeOpenAIServer
from hash_embedder import FakeHashEmbedder
from rich.console import Console
from small_index import CONFIG
from small_report import report, row
from small_set import QUESTIONS, write_lines, write_records
from treegraph.indexer.errors import Cancelled, ConfigurationError, StoreError, WorkError
from treegraph.indexer.models import load_llm
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.types import Citation
from treegraph.pipelines.evaluation.against import against
from treegraph.pipelines.evaluation.answers.asking import Answering
from treegraph.pipelines.evaluation.answers.judging import Judge
from treegraph.pipelines.evaluation.answers.measuring import AnswerMeasuring
from treegraph.pipelines.evaluation.answers.scoring import values_of
from treegraph.pipelines.evaluation.evaluate import Measuring, evaluate
from treegraph.pipelines.evaluation.grid import parse_grid
from treegraph.pipelines.evaluation.indexes import GivenModels
from treegraph.pipelines.evaluation.outcomes import EvaluationReport
from treegraph.pipelines.evaluation.questions import Part, Question
from treegraph.pipelines.evaluation.report_json import to_json
from treegraph.pipelines.evaluation.sets.reading import read_set
from treegraph.pipelines.evaluation.table import rows_table
from treegraph.pipelines.spending import Caps, Spending
from treegraph.query.answer.result import Answer, Sentence, TokenCount
from treegraph.query.index import Index
from treegraph.query.result import SearchResult

LABELS = Path(__file__).parents[4] / "corpora" / "labels"
ANSWERS = {"q1": "holding the green key", "q2": "every 400 hours", "q3": "the drain valve"}


def citation(*pages: int) -> Citation:
    return Citation("d1", "m.pdf", "M", pages, (), f"c{pages[0]}")


def answer(*cited: Sequence[int], flags: tuple[str, ...] = (), found: bool = True) -> Answer:
    citations = tuple(citation(*pages) for pages in cited)
    sentences = (Sentence("Open valve VX-12.", citations, flags),) if found else ()
    return Answer(
        question="?",
        text="Open valve VX-12. [1]",
        sentences=sentences,
        citations=citations,
        grounded=found and not flags,
        found=found,
        nearest=(),
        conflicts=(),
        result=cast(SearchResult, SimpleNamespace(degraded=())),
        calls=2,
        tokens=TokenCount(30, 4),
    )


PART = Part("m", (), (), "page", left_out=frozenset({"m.pdf@9"}))
ASKED = Question("q", "?", {"m.pdf@1": 1, "m.pdf@4": 1}, {"answer": "VX-12"})


def test_what_is_cited_is_held_against_the_gold_places() -> None:
    # Pages 1, 2 and 3 count, page 9 is left out: one of three is gold, one of two gold pages is cited.
    values = values_of(answer([1, 2], [2, 3], [9]), PART, ASKED)
    assert values["cited_precision"] == pytest.approx(1 / 3)
    assert values["cited_recall"] == 1 / 2
    assert values["cited_f1"] == pytest.approx(2 / 5)
    assert values["contains"] == 1
    assert values["f1"] == pytest.approx(2 / 4)
    assert (values["grounded"], values["refused"]) == (1, 0)
    assert (values["calls"], values["tokens_in"], values["tokens_out"]) == (2, 30, 4)
    assert values_of(answer([1], flags=("number 9",)), PART, ASKED)["grounded"] == 0


def test_a_refusal_says_and_cites_nothing() -> None:
    values = values_of(answer(found=False), PART, ASKED)
    assert (values["refused"], values["f1"], values["cited_recall"]) == (1, 0, 0)
    assert not values.keys() & {"cited_precision", "grounded"}


class Asked:
    """What an index is asked, and with what."""

    def __init__(self) -> None:
        self.documents = {name: SimpleNamespace(id=name, source=f"{name}.pdf") for name in ("m", "n")}
        self.options: list[dict[str, Any]] = []

    def ask(self, question: str, **options: Any) -> Answer:
        self.options.append(options)
        return answer([1], found="id!=m" not in options["filters"])


@pytest.mark.parametrize("mode", ["extract", "single", "agentic"])
def test_only_the_agentic_mode_asks_for_more_searches(mode: str) -> None:
    index = Asked()
    asking = Answering(mode, "tree", 500, len, frozenset({"q"}))
    values = asking.ask(cast(Index, index), PART, ASKED).outcome.values
    assert [options.get("agentic", False) for options in index.options] == [mode == "agentic"] * 2
    assert [options["filters"] for options in index.options] == [(), ("id!=m",)]
    assert {(options["route"], options["budget"]) for options in index.options} == {("tree", 500)}
    assert (values["refused"], values["withheld_refused"], values["withheld_calls"]) == (0, 1, 2)


def test_the_axis_of_answers_needs_a_model_and_answers(tmp_path: Path) -> None:
    grid = parse_grid(["ask=extract,single,agentic"], CONFIG)
    assert [variant.ask for variant in grid.variants] == ["extract"]
    assert set(grid.left_out) == {"ask=single", "ask=agentic"}
    assert "language model" in grid.left_out["ask=single"]
    known = parse_grid(["ask=extract,single,agentic answer.budget=500,900"], CONFIG, llm=True)
    assert (len(known.variants), known.building) == (6, ())
    with pytest.raises(ConfigurationError, match="extract, single or agentic"):
        parse_grid(["ask=twice"], CONFIG)
    with pytest.raises(ConfigurationError, match="add --answers"):
        evaluate(read_set(write_records(tmp_path / "set")), grid.variants, Measuring(tmp_path))


def test_more_refusals_are_a_loss(tmp_path: Path) -> None:
    file = tmp_path / "earlier.json"
    file.write_text(json.dumps({"schema": 1, **to_json(report(row({"refused": 0.1, "calls": 1.0})))}))
    (loss,) = against(report(row({"refused": 0.2, "calls": 9.0})), file).losses
    assert (loss.metric, loss.now) == ("refused", 0.2)
    assert not against(report(row({"refused": 0.0, "calls": 1.0})), file).losses


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A set of records in which three of the four questions have an answer."""
    folder = write_records(tmp_path / "records")
    lines = [{"_id": q, "text": text, "answer": ANSWERS.get(q)} for q, (text, _, _) in QUESTIONS.items()]
    write_lines(folder / "queries.jsonl", lines)
    return folder


def replies(prompt: str, number: int) -> Reply:
    """The judge likes nothing and once forgets the form; the writer quotes the first passage."""
    if "You grade an answer" in prompt:
        return Reply("no" if "every 400" in prompt else '{"verdict": 0}')
    return Reply("Hold the green key [1].")


def measure(
    records: Path,
    work: Path,
    server: FakeOpenAIServer,
    grid: str,
    caps: Caps | None = None,
    **answers: Any,
) -> EvaluationReport:
    config = replace(CONFIG, llm=LLMSettings(server.base_url, "writer"))
    return evaluate(
        read_set(records),
        parse_grid([grid], config).variants,
        Measuring(work, answers=AnswerMeasuring(**answers), spending=Spending(caps) if caps else None),
        models=GivenModels(FakeHashEmbedder()),
    )


def test_extracts_and_a_model_s_answers_are_compared(records: Path, tmp_path: Path) -> None:
    with FakeOpenAIServer(replies) as server:
        judge = load_llm(LLMSettings(server.base_url, "strict"))
        assert judge is not None
        made = measure(
            records,
            tmp_path / "w",
            server,
            "ask=extract,single answer.floor=0",
            withhold=2,
            judge=Judge(judge),
        )
    extract, single = made.rows
    assert (extract.config["ask"], single.config["ask"]) == ("extract", "single")
    assert extract.metrics["contains"].mean == 1  # of the three that have an answer
    assert extract.metrics["calls"].mean == 0
    assert single.metrics["calls"].mean >= 1
    # A malformed verdict is counted, and is none.
    assert single.metrics["malformed"].mean == pytest.approx(1 / 3)
    assert [o.values.get("judged") for o in single.outcomes] == [0, None, 0, None]
    assert single.tokens["judge"]["calls"] == 3
    assert single.tokens["answer"]["calls"] >= 4
    assert single.tokens["withheld"]["in"] > 0
    assert {"answer"}.isdisjoint(extract.tokens)
    assert sum("withheld_refused" in outcome.values for outcome in single.outcomes) == 2
    shown = io.StringIO()
    Console(file=shown, width=220).print(rows_table(made))
    headings = (
        "ask",
        "exact",
        "f1",
        "contains",
        "judged",
        "cited_precision",
        "withheld_refused",
        "tokens_in",
    )
    assert [name for name in headings if name not in shown.getvalue()] == []
    assert {"contains", "cited_recall", "judged"} <= {found.metric for found in made.differences}


def test_a_judge_that_cannot_be_reached_gives_no_malformed_verdict(records: Path, tmp_path: Path) -> None:
    down = Reply("down", status=503, headers={"Retry-After": "0"})

    def script(prompt: str, number: int) -> Reply:
        return down if "You grade an answer" in prompt and "every 400" in prompt else replies(prompt, number)

    with FakeOpenAIServer(script) as server:
        judge = load_llm(LLMSettings(server.base_url, "strict"))
        assert judge is not None
        made = measure(records, tmp_path / "w", server, "ask=single answer.floor=0", judge=Judge(judge))
    (single,) = made.rows
    assert single.metrics["malformed"].mean == 0  # of the two verdicts that there were
    assert single.metrics["unjudged"].mean == pytest.approx(1 / 3)
    assert [o.values.get("judged") for o in single.outcomes] == [0, None, 0, None]


def test_a_cap_stops_a_run_that_goes_on_where_it_was(records: Path, tmp_path: Path) -> None:
    with FakeOpenAIServer(replies) as server:
        with pytest.raises(WorkError, match="after 2 questions of records in this run: 2 of --max-calls 2"):
            measure(records, tmp_path / "w", server, "ask=single answer.floor=0", Caps(calls=2))
        assert len(server.prompts) == 2
        made = measure(records, tmp_path / "w", server, "ask=single answer.floor=0", Caps(calls=9))
        assert len(server.prompts) == len(QUESTIONS) == len(made.rows[0].outcomes)
    assert not any("done without" in note for note in made.notes)


def test_an_interrupted_run_asks_no_question_twice(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, asked = Index.ask, []

    def stopping(index: Index, question: str, *args: Any, **options: Any) -> Answer:
        asked.append(question)
        if len(asked) == 3:
            raise Cancelled("stopped")
        if len(asked) == 4:
            raise StoreError("gone")
        return ask(index, question, *args, **options)

    monkeypatch.setattr(Index, "ask", stopping)
    with FakeOpenAIServer(replies) as server:
        with pytest.raises(Cancelled):
            measure(records, tmp_path / "w", server, "ask=single")
        made = measure(records, tmp_path / "w", server, "ask=single")
    texts = [text for text, _, _ in QUESTIONS.values()]
    assert asked == [*texts[:3], *texts[2:]]
    (failed,) = (outcome for outcome in made.rows[0].outcomes if outcome.error)
    assert (failed.question, failed.values["f1"], failed.values["cited_recall"]) == ("q3", 0, 0)
    assert any("1 of 4 questions failed" in note for note in made.notes)


def test_labels_without_answers_are_measured_by_their_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    command = ("eval", str(LABELS), "--answers", "--limit", "10", "--withhold", "4", "--work", "work")
    (measured,) = here(*command, "--json", "--html", "page.html").json("eval")["rows"]
    metrics = measured["metrics"]
    assert (measured["queries"], measured["failed"], measured["config"]["ask"]) == (10, 0, "extract")
    assert metrics["cited_recall"]["mean"] > 0.4
    assert 0 <= metrics["withheld_refused"]["mean"] <= 1
    assert metrics["grounded"]["mean"] == 1
    assert not metrics.keys() & {"exact", "f1", "contains", "judged"}
    assert "sentence" in (tmp_path / "page.html").read_text("utf-8")
    for options, said in (
        (("--withhold", "4"), "add --answers"),
        (("--answers", "--judge", "m"), "--judge: "),
    ):
        refused = here("eval", str(LABELS), *options)
        assert (refused.code, said in refused.err) == (2, True)
