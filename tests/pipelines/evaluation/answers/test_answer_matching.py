"""What an answer's text is worth, by cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.pipelines.evaluation.answers.matching import answer_tokens, gold_answers, matches


@pytest.mark.parametrize(
    ("said", "gold", "exact", "f1", "contains"),
    [
        ("The Pittsburgh Pirates.", ["pittsburgh  pirates"], 1, 1, 1),
        # cat sat on mat, and cat on mat: three shared of four and three.
        ("The cat sat on a mat.", ["a cat, on the mat"], 0, 6 / 7, 0),
        # A word counts as often as both have it: one of two and three.
        ("pump pump", ["pump is red"], 0, 2 / 5, 0),
        ("It fell to $842 million in 2021.", ["842 million"], 0, 4 / 9, 1),
        ("It fell to 8421.", ["842"], 0, 0, 0),
        ("1,234 (57%)", ["1234 57"], 1, 1, 1),
        # Six characters and four, all four shared.
        ("恢复出厂设置。", ["出厂设置"], 0, 8 / 10, 1),
        ("ＵＳＢを接続", ["USB を 接続"], 1, 1, 1),
        ("", ["yes"], 0, 0, 0),
        # The best of several answers, for each measure by itself.
        ("New York Mets", ["Pirates", "Mets"], 0, 2 / 4, 1),
    ],
)
def test_matches(said: str, gold: list[str], exact: float, f1: float, contains: float) -> None:
    assert matches(said, gold) == {
        "exact": exact,
        "f1": pytest.approx(f1),
        "contains": contains,
    }


def test_what_has_no_right_answer_is_not_scored() -> None:
    assert matches("anything", ()) == {}


@settings(max_examples=40)
@given(st.text(max_size=12), st.lists(st.text(max_size=12), min_size=1, max_size=2))
def test_an_exact_match_has_every_other_measure_too(said: str, gold: list[str]) -> None:
    found = matches(said, [*gold, said]) if answer_tokens(said) else {"exact": 1, "f1": 1, "contains": 1}
    assert found == {"exact": 1, "f1": 1, "contains": 1}


def test_every_right_answer_of_a_set_counts_once() -> None:
    fields = {"answer": "Pirates", "aliases": ["Mets", "Pirates", "..."], "answers": 7, "type": "fact"}
    assert gold_answers(fields) == ("Pirates", "7", "Mets")
    assert gold_answers({"answer": None, "aliases": []}) == ()
