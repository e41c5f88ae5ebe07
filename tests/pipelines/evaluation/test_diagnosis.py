"""Where a gold place was lost: the step that moved it out of the first five."""

from __future__ import annotations

import pytest
from page_report import outcome, row, standing
from treegraph.pipelines.evaluation.page.diagnosis import (
    FAILED,
    FOUND,
    LOW,
    NOWHERE,
    VERDICTS,
    verdict,
    verdicts,
)
from treegraph.pipelines.evaluation.shown import headline


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (standing(5, dense=80, fused=5), FOUND),
        (standing(None), NOWHERE),
        (standing(30, dense=12, sparse=9, blended=20, fused=20), LOW),
        (standing(30, dense=1, sparse=9, blended=20, fused=20), "sank when the lists were blended"),
        (standing(9, dense=1, blended=2, fused=9), "sank after blending, by phrases and neighbours"),
        (standing(9, dense=1, blended=2, fused=2, reranked=8), "sank when reranked"),
        (standing(9, dense=1, blended=2, fused=2), "behind other places of the hits before it"),
        (standing(9, dense=1, blended=9, fused=3, reranked=9), "sank when reranked"),
        (standing(None, sparse=2), "behind other places of the hits before it"),
    ],
)
def test_the_step_that_lost_it_is_named(ranks: dict[str, int | None], expected: str) -> None:
    assert verdict(ranks) == expected
    assert expected in VERDICTS


def test_each_gold_place_has_its_verdict_and_a_failed_search_one() -> None:
    assert verdicts(outcome("q", {"a": standing(1), "b": standing(None)})) == [FOUND, NOWHERE]
    assert verdicts(outcome("q", {}, error="gone")) == [FAILED]


def test_questions_that_ask_for_whole_topics_are_ordered_by_page_f1() -> None:
    three = {page: standing(1) for page in ("a@1", "a@2", "a@3")}
    whole, one = outcome("q1", three), outcome("q2", {"a@1": standing(1)})
    with_f1 = [
        type(each)(each.question, {**each.values, "page_f1": 0.2}, each.standing, (), 0.1)
        for each in (whole, one)
    ]
    assert headline(row({}, with_f1[:1])) == "page_f1"
    assert headline(row({}, with_f1)) == "recall@5"
    assert headline(row({}, [whole])) == "recall@5"
    assert headline(row({}, [])) == ""
