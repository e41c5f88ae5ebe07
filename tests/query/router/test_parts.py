"""Questions that ask several things, taken apart by their form."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.query.router.parts import parts_of

LANGUAGES = ("en", "de", "zh", "ja", "ko")


def parts(question: str, most: int = 4) -> list[str]:
    return parts_of(question, LANGUAGES, most)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "Which fuse protects the pump? How often is the membrane filter replaced?",
            ["Which fuse protects the pump?", "How often is the membrane filter replaced?"],
        ),
        (
            "When does the warranty end, and what must happen in frost?",
            ["When does the warranty end", "what must happen in frost?"],
        ),
        (
            "Wie wird der Akku geladen und wann öffnet das Ventil der Pumpe?",
            ["Wie wird der Akku geladen", "wann öffnet das Ventil der Pumpe?"],
        ),
        ("过滤器多久更换一次？阀门什么时候打开？", ["过滤器多久更换一次？", "阀门什么时候打开？"]),
        (
            "list the relays of board A; list the lamps of board B",
            ["list the relays of board A;", "list the lamps of board B"],
        ),
    ],
)
def test_questions_that_stand_alone_are_asked_apart(question: str, asked: list[str]) -> None:
    assert parts(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "What is E-113 and how do I clear it?",
        "Where is the fuse of the pump? How do I replace that?",
        "How long and how wide is the lid of the housing?",
        "What sets CR4.OSFXSR and clears CR0.EM?",
        "Who owns the pump and the valve?",
        "How much did the sales grow between 2020 and 2021, and what were the sums of both years?",
        "relief valve",
        "?",
    ],
)
def test_what_leans_on_the_rest_or_asks_one_thing_stays_whole(question: str) -> None:
    assert parts(question) == [question]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between SSE and AVX?", ["What is SSE?", "What is AVX?"]),
        ("Compare the diesel pump with the steam pump", ["the diesel pump", "the steam pump"]),
        ("Unterschied zwischen Dieselpumpe und Dampfpumpe", ["Dieselpumpe", "Dampfpumpe"]),
        ("柴油泵和蒸汽泵的区别是什么？", ["柴油泵是什么？", "蒸汽泵是什么？"]),
        (
            "ディーゼルポンプと蒸気ポンプの違いは何ですか",
            ["ディーゼルポンプは何ですか", "蒸気ポンプは何ですか"],
        ),
        ("디젤 펌프와 증기 펌프의 차이", ["디젤 펌프", "증기 펌프"]),
    ],
)
def test_both_sides_of_a_comparison_are_asked_beside_it(question: str, sides: list[str]) -> None:
    assert parts(question) == [question, *sides]


def test_there_are_no_more_parts_than_wanted() -> None:
    question = " ".join(
        f"What is the size of valve number {name}?" for name in ("one", "two", "three", "four")
    )
    assert len(parts(question)) == 4
    assert parts(question, 2) == [
        "What is the size of valve number one?",
        "What is the size of valve number two?",
    ]
    assert parts(question, 1) == [question]


@given(st.text(alphabet="ab和と?？;,， \nandwhatu", max_size=80))
def test_parts_come_from_the_question_alone(question: str) -> None:
    found = parts(question)
    assert 1 <= len(found) <= 4
    assert all(set(part) <= set(question) for part in found)


@pytest.mark.parametrize("question", ["how many" + " " * 100_000 + "relays", "what is x? " * 9_000])
def test_a_question_as_long_as_a_text_is_asked_whole_and_at_once(question: str) -> None:
    began = time.process_time()
    assert parts_of(question, ("en", "de"), 4) == [question]
    assert time.process_time() - began < 0.5
