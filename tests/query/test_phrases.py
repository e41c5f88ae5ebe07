"""What stands of a question in a passage."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.words import words
from treegraph.query.phrases import Matcher, question_forms


def matcher(question: str, language: str | None = "en", **weights: float) -> Matcher:
    forms = question_forms(question, language)
    return Matcher(forms, {form: weights.get(form, 1.0) for form in forms}, language)


def test_neighbours_count_only_side_by_side_and_in_order() -> None:
    asked = matcher("relief valve")
    assert asked.match("Open the relief valve.").pairs == 1
    assert asked.match("Open the valve for relief.").pairs == 0
    assert asked.match("Open the valve for relief.").terms == 1


def test_runs_of_three_count_beside_their_pairs() -> None:
    asked = matcher("main relief valve spring", main=2.0)
    apart = asked.match("The main relief is a relief valve with a valve spring.")
    assert (apart.pairs, apart.threes) == (1, 0)
    assert asked.match("Set the main relief valve.").threes == pytest.approx(4 / 7)
    assert asked.match("Main relief valve springs").threes == 1
    assert matcher("relief valve").match("relief valve").threes == 0


def test_figures_are_the_words_with_a_digit_in_them() -> None:
    asked = matcher("torque of bolt M8 in 2021")
    assert asked.match("Tighten the bolt with the torque given.").figures == 0
    assert asked.match("Bolts, M8").figures == pytest.approx(1 / 2)
    assert asked.match("Torque: M8", context="Report for 2021").figures == 1
    assert matcher("torque of a bolt").match("8").figures == 0


def test_inflected_words_and_capitals_are_the_same_words() -> None:
    assert matcher("installing drivers").match("INSTALL the Driver").pairs == 0
    assert matcher("installing drivers").match("Install drivers: see below").pairs == 1


def test_words_weigh_by_their_weights() -> None:
    asked = matcher("the pump of the boiler", the=0.0, of=0.0, pump=1.0, boiler=3.0)
    assert asked.match("a boiler").terms == pytest.approx(0.75)
    assert asked.match("the of the").terms == 0


def test_the_context_counts_for_words_but_not_for_pairs() -> None:
    match = matcher("relief valve").match("It opens at 8 bar.", context="Pump > Relief valve")
    assert (match.terms, match.pairs) == (1, 0)


def test_a_line_that_says_just_that_is_a_heading() -> None:
    asked = matcher("plot styles")
    exact = asked.match("Plot styles\nThere are many styles of plots here, as the list below says.")
    partly = asked.match("Styles of lines and points and fills\nThere are many.")
    assert exact.heading == 1 > partly.heading > 0
    assert asked.match("x", heading="Plot Styles").heading == 1
    assert asked.match("plot styles " + "and many other words " * 5).heading == 0


@pytest.mark.parametrize(("question", "language"), [("安全阀", "zh"), ("安全弁の点検", "ja")])
def test_unspaced_scripts_match_by_bigrams(question: str, language: str) -> None:
    asked = matcher(question, language)
    whole = asked.match(f"每月检查{question}。")
    assert (whole.terms, whole.pairs) == (1, 1)
    assert asked.match(question).heading == 1
    assert asked.match("水").terms == 0


def test_ligatures_and_soft_hyphens_do_not_hide_words() -> None:
    match = matcher("configuration file").match("the con\u00adfiguration \ufb01le")
    assert (match.terms, match.pairs) == (1, 1)


def test_nothing_asked_matches_nothing() -> None:
    assert matcher("?!").match("anything") == matcher("?!").match("")


sentences = st.lists(
    st.sampled_from(["the", "pump", "valves", "opening", "8", "bar", "安全阀", "Größe"]),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(sentences, sentences)
def test_shares_are_shares_and_a_question_holds_itself(question: str, text: str) -> None:
    match = matcher(question).match(text)
    shares = (match.terms, match.pairs, match.threes, match.figures, match.heading)
    assert all(0 <= share <= 1 + 1e-9 for share in shares)
    whole = matcher(question).match(question)
    assert whole.terms == pytest.approx(1)
    assert whole.heading == pytest.approx(1) or len(question) > 90


@given(
    st.lists(st.sampled_from(["pump", "valves", "opening", "bar", "Größe"]), min_size=1, max_size=12).map(
        " ".join
    )
)
def test_pairs_are_those_of_the_index_words(text: str) -> None:
    """The fast way agrees with the slow one, through the words that the index is made of."""
    question = "opening valves of the pump"
    held = set(pairwise(words(text, "en"))) & set(pairwise(words(question, "en")))
    asked = len(set(pairwise(words(question, "en"))))
    assert matcher(question).match(text).pairs == pytest.approx(len(held) / asked)


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("Übersicht", "de"),
        ("Ubersicht", "de"),
        ("énergie", "fr"),
        ("čerpadlo", "cs"),
        ("máquina", "es"),
        ("Ёмкость", "ru"),
    ],
)
def test_a_word_that_begins_with_an_accent_is_found(word: str, language: str) -> None:
    forms = question_forms(word, language)
    found = Matcher(forms, dict.fromkeys(forms, 1.0), language).match(f"12 {word} 3")
    assert found.terms == 1.0
