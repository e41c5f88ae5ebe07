"""What choosing a route buys: against cases worked out by hand, and over a real set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from treegraph.indexer.errors import ConfigurationError
from treegraph.pipelines.config import Config
from treegraph.pipelines.evaluation.grid import parse_grid
from treegraph.pipelines.evaluation.intervals import means
from treegraph.pipelines.evaluation.outcomes import Outcome, Row
from treegraph.pipelines.evaluation.parts import halved
from treegraph.pipelines.evaluation.questions import Part, Question
from treegraph.pipelines.evaluation.routes import compare_routes


def row(name: str, route: str, values: Sequence[float], gold: int = 1, p50: float = 0.02) -> Row:
    metric = "page_f1" if gold >= 3 else "recall@5"
    places: Mapping[str, Mapping[str, int | None]] = {f"m.pdf@{n}": {} for n in range(gold)}
    outcomes = tuple(Outcome(f"q{n}", {metric: value}, places, (), p50) for n, value in enumerate(values))
    return Row(
        name,
        {"route": route},
        len(values),
        means([each.values for each in outcomes]),
        {"p50": p50},
        outcomes=outcomes,
    )


FACTS = (
    row("facts", "hybrid", [1, 0, 1, 0]),
    row("facts", "auto", [1, 1, 1, 0], p50=0.03),
    row("facts", "tree", [0, 1, 1, 0]),
    row("facts", "graph", [1, 0, 0, 1]),
)
WHOLES = (
    row("wholes", "hybrid", [0.2, 0.4], gold=3),
    row("wholes", "auto", [0.2, 0.6], gold=3),
    row("wholes", "tree", [0.4, 0.6], gold=3),
)


def test_the_share_of_the_gap_is_that_of_the_means_over_sets() -> None:
    report = compare_routes([*FACTS, *WHOLES])
    facts, wholes = report.sets
    assert (facts.metric, wholes.metric) == ("recall@5", "page_f1")
    assert facts.means == {"hybrid": 0.5, "auto": 0.75, "tree": 0.5, "graph": 0.5}
    assert (facts.best_of_set, facts.best_of_each) == (0.5, 1.0)
    assert (wholes.best_of_set, wholes.best_of_each) == (pytest.approx(0.5), pytest.approx(0.5))
    assert facts.loss.mean == 0.25
    assert facts.loss.low <= facts.loss.mean <= facts.loss.high
    # Auto gains .25 and .1, of the .5 and .2 that there are to gain; the tree of each set none and .2.
    assert report.closed.mean == pytest.approx(0.35 / 0.7)
    assert report.closed.low <= report.closed.mean <= report.closed.high
    assert report.fixed == pytest.approx(0.2 / 0.7)
    assert facts.seconds["auto"] / facts.seconds["hybrid"] == pytest.approx(1.5)


def test_what_auto_finds_beyond_every_route_counts_for_it_alone() -> None:
    rows = [row("x", "hybrid", [0, 0]), row("x", "auto", [1, 1]), row("x", "tree", [0, 1])]
    report = compare_routes(rows)
    assert report.sets[0].best_of_each == 0.5
    assert report.closed.mean == 2.0


def test_a_set_without_auto_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="both hybrid and auto"):
        compare_routes([FACTS[0], FACTS[2]])


def test_halves_part_the_questions_by_their_ids_alone() -> None:
    questions = tuple(Question(f"q{n}", "?", {"a": 1}) for n in range(11))
    part = Part("set", (), questions, "record")
    first, second = (halved(part, half, 0).questions for half in (1, 2))
    assert (len(first), len(second)) == (5, 6)
    assert {question.id for question in (*first, *second)} == {question.id for question in questions}
    other_way = Part("set", (), questions[::-1], "record")
    assert {q.id for q in halved(other_way, 1, 0).questions} == {q.id for q in first}
    assert {q.id for q in halved(part, 1, 1).questions} != {q.id for q in first}


def test_auto_is_measured_with_everything_that_it_chooses_from() -> None:
    grid = parse_grid(["route=hybrid,auto,tree"], Config())
    assert [variant.needs for variant in grid.variants] == [frozenset(), {"tree", "graph"}, {"tree"}]
    (plain,) = parse_grid([], Config()).variants
    assert plain.needs == frozenset()


@pytest.mark.parametrize("axis", ["router.margin=0.1,0.3", "graph.common=0.05,0.1"])
def test_how_a_structure_is_read_shapes_no_index(axis: str) -> None:
    assert parse_grid([axis], Config()).building == ()
