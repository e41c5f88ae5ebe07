"""The quality of the defaults on our own sample, with labels of our own: what must not get worse.

The floors stand a little under what is measured (``treegraph eval corpora/labels``), by about what one or
two of the 150 questions are worth: another processor rounds an embedding differently, and moves no more.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from treegraph import Config
from treegraph.pipelines.evaluation.evaluate import Measuring, evaluate
from treegraph.pipelines.evaluation.grid import parse_grid
from treegraph.pipelines.evaluation.outcomes import Row
from treegraph.pipelines.evaluation.sets.reading import read_set

LABELS = Path(__file__).parents[1] / "corpora" / "labels"
FLOORS = {
    "hit@1": 0.77,
    "hit@5": 0.93,
    "recall@5": 0.84,
    "recall@20": 0.91,
    "all-gold@5": 0.71,
    "mrr": 0.84,
    "ndcg@10": 0.81,
    "page_recall": 0.89,
    "terms": 0.76,
}


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Row:
    """The labels asked of an index with every setting at its default."""
    grid = parse_grid([], Config())
    report = evaluate(read_set(LABELS), grid.variants, Measuring(tmp_path_factory.mktemp("eval")))
    assert report.notes == ()
    (row,) = report.rows
    return row


@pytest.mark.parametrize("metric", FLOORS)
def test_quality_does_not_fall(row: Row, metric: str) -> None:
    assert row.queries == 150
    assert row.metrics[metric].mean >= FLOORS[metric]


@pytest.mark.parametrize(
    ("kind", "floor"),
    [("identifier", 0.9), ("table", 0.85), ("code", 0.9), ("comparison", 0.85), ("link", 0.75)],
)
def test_quality_does_not_fall_for_a_kind_of_question(row: Row, kind: str, floor: float) -> None:
    (found,) = (found for found in row.slices if (found.field, found.value) == ("type", kind))
    assert found.metrics["mrr"].mean >= floor


def test_japanese_questions_find_the_japanese_page(row: Row) -> None:
    asked = [json.loads(line) for line in (LABELS / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    there = {each["_id"] for each in asked if each["asked_in"] == "ja" and 20 in each.get("pages0", ())}
    first = [outcome for outcome in row.outcomes if outcome.question in there]
    assert len(first) == 8
    assert sum(outcome.values["hit@1"] for outcome in first) >= 7


def test_every_labelled_place_is_one_that_hits_can_have(row: Row) -> None:
    """A label with a slip in it would lower every figure for ever."""
    unseen = [
        (outcome.question, place)
        for outcome in row.outcomes
        for place, ranks in outcome.standing.items()
        if ranks["final"] is None
    ]
    assert unseen == []
