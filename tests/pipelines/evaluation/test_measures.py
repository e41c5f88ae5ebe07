"""Metrics of rankings against a case that is computed by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.pipelines.evaluation.measures import f1, ranking_metrics

RANKINGS = {
    "two of three": ["x", "b", "a", "y", "z", "w", "c"],
    "first": ["only"],
    "nothing": ["x", "y"],
}
GOLD = {
    "two of three": {"a": 2, "b": 1, "c": 1},
    "first": {"only": 1},
    "nothing": {"a": 1},
    "not asked": {"a": 1},
}


def test_metrics_are_those_computed_by_hand() -> None:
    values = ranking_metrics(RANKINGS, GOLD)

    found = values["two of three"]
    # b stands at 2, a at 3, c at 7
    assert found["recall@1"] == 0
    assert found["recall@3"] == pytest.approx(2 / 3)
    assert found["recall@5"] == pytest.approx(2 / 3)
    assert found["recall@10"] == 1
    assert (found["hit@1"], found["hit@3"]) == (0, 1)
    assert (found["all-gold@5"], found["all-gold@10"]) == (0, 1)
    assert found["mrr"] == pytest.approx(1 / 2)
    gain = 1 / log2(3) + 2 / log2(4) + 1 / log2(8)
    best = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert found["ndcg@10"] == pytest.approx(gain / best, abs=1e-6)
    assert all(value == 1 for value in values["first"].values())
    assert all(value == 0 for value in values["nothing"].values())
    assert all(value == 0 for value in values["not asked"].values())


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_recall_and_hits_are_shares_of_the_first_k(ranking: list[str], gold: set[str]) -> None:
    values = ranking_metrics({"q": ranking}, {"q": dict.fromkeys(gold, 1)})["q"]

    for k in (1, 3, 5, 10, 20):
        right = sum(place in gold for place in ranking[:k])
        assert values[f"recall@{k}"] == pytest.approx(right / len(gold))
        assert values[f"hit@{k}"] == float(right > 0)
    assert values["all-gold@5"] == float(gold <= set(ranking[:5]))


def test_f1_of_a_set_of_places() -> None:
    assert f1({"a", "b", "x", "y"}, {"a": 1, "b": 1, "c": 1}) == pytest.approx(
        2 * (0.5 * 2 / 3) / (0.5 + 2 / 3)
    )
    assert f1(set(), {"a": 1}) == 0
    assert f1({"x"}, {"a": 1}) == 0
