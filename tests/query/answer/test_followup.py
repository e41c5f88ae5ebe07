"""A question that goes on from earlier ones, without a model."""

from __future__ import annotations

import pytest
from treegraph.query.answer.followup import self_contained, turns_of
from treegraph.query.index import Index

TURNS = [("When does the relief valve RV-7 open?", "At 8 bar.")]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("When does it close again?", "en"),
        ("And at which temperature?", "en"),
        ("Why?", "en"),
        ("What happens after that?", "en"),
        ("Wann schließt es sich wieder, und was geschieht dabei?", "de"),
        ("それはいつ閉まりますか？", "ja"),
        ("그것은 언제 닫힙니까?", "ko"),
        ("它什么时候关闭？", "zh"),
    ],
)
def test_a_question_that_leaves_its_subject_out_gets_the_words_of_the_last(
    question: str, language: str
) -> None:
    whole = self_contained(question, TURNS, language)
    assert whole.startswith(question)
    assert "RV-7" in whole


@pytest.mark.parametrize(
    "question",
    [
        "Which grease does the outer ring of the bearing need?",
        "Which register holds the speed that the pump runs at?",
        "Wie reinige ich das Sieb der großen Mühle?",
        "磨坊的筛子多久清洗一次，用什么水？",
    ],
)
def test_a_question_that_stands_by_itself_stays_as_it_is(question: str) -> None:
    assert self_contained(question, TURNS, "en") == question


def test_a_chain_of_follow_ups_keeps_its_subject() -> None:
    turns = [*TURNS, ("And when does it close?", "Below 6.5 bar.")]
    assert "RV-7" in self_contained("Why?", turns, "en")


def test_history_comes_as_pairs_or_as_a_chat() -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When does the relief valve RV-7 open?"},
        {"role": "assistant", "content": "At 8 bar."},
    ]
    assert turns_of(chat) == turns_of(TURNS) == TURNS


def test_a_follow_up_is_searched_for_with_what_it_leaves_out(mill: Index) -> None:
    answer = mill.ask("When does it close again?", history=TURNS)
    assert "6.5 bar" in answer.text
    assert answer.question == "When does it close again?"
    assert "RV-7" in answer.result.question


def test_an_endless_question_lends_a_few_words() -> None:
    turns = [(" ".join(f"valve{n}" for n in range(5000)), "So it is.")] * 50
    whole = self_contained("Why?", turns, "en")
    assert "valve0" in whole
    assert len(whole) < 500
