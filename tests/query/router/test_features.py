"""What a question says of itself, in the languages of the corpus, and how long that takes to see."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.query.router.features import Features, features_of

LANGUAGES = ("en", "de", "zh", "ja", "ko")


def seen(question: str) -> Features:
    return features_of(question, LANGUAGES)


@pytest.mark.parametrize(
    "question",
    [
        "overview of the charging circuit",
        "What does chapter 3 cover?",
        "Summarize the installation manual",
        "tell me about relays",
        "Gib mir einen Überblick über die Sensoren",
        "Worum geht es in Kapitel 3?",
        "充电电路概述",
        "第3章主要内容是什么？",
        "電池の概要",
        "センサーについて教えてください",
        "센서 개요",
        "résumé du chapitre sur les relais",
        "resumen de los sensores",
    ],
)
def test_a_whole_is_asked_for(question: str) -> None:
    assert seen(question).whole


@pytest.mark.parametrize(
    "question",
    [
        "How many relays are there?",
        "Wie viele Relais gibt es?",
        "一共有几个传感器？",
        "センサーはいくつありますか？",
        "센서는 몇 개입니까?",
        "Combien de relais y a-t-il ?",
    ],
)
def test_a_number_is_asked_for(question: str) -> None:
    assert seen(question).count


@pytest.mark.parametrize(
    "question",
    [
        "List all relays",
        "Which relays are there?",
        "Welche Relais gibt es?",
        "列出所有传感器",
        "すべてのセンサー",
        "모든 센서",
    ],
)
def test_all_of_a_kind_are_asked_for(question: str) -> None:
    assert seen(question).listing


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between SSE and AVX?",
        "Unterschied zwischen Relais A und Relais B",
        "SSE和AVX的区别是什么？",
        "SSEとAVXの違いは何ですか",
        "SSE와 AVX의 차이",
    ],
)
def test_a_comparison_is_asked_for(question: str) -> None:
    assert seen(question).compare


@pytest.mark.parametrize(
    "question",
    [
        "How is the pump related to the valve?",
        "What is the relationship between KIV-40 and PUMP-12?",
        "Welcher Zusammenhang besteht zwischen Pumpe und Ventil?",
        "泵和阀门的关系是什么？",
        "ポンプとバルブの関係",
        "펌프와 밸브의 관계",
    ],
)
def test_a_link_is_asked_for(question: str) -> None:
    assert seen(question).link


@pytest.mark.parametrize(
    "question", ["Two-Dimensional Plots", "Sensoren und Fühler", "绘图样式", "描画スタイル", "그래프 양식"]
)
def test_a_bare_subject_asks_nothing(question: str) -> None:
    found = seen(question)
    assert found.bare
    assert not any((found.whole, found.count, found.link, found.compare))


@pytest.mark.parametrize(
    "question",
    [
        "What is the default line width?",
        "when does the valve open",
        "Wann öffnet das Ventil?",
        "阀门什么时候打开？",
        "バルブはいつ開きますか",
        "밸브는 언제 열립니까?",
        "fuse rating?",
    ],
)
def test_a_fact_is_no_bare_subject_and_no_whole(question: str) -> None:
    found = seen(question)
    assert not found.bare
    assert not any((found.whole, found.link, found.compare, found.count))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does E-113 mean?", ("E-113",)),
        ("CR4.OSFXSR and maxBufferSize", ("CR4.OSFXSR", "maxBufferSize")),
        ("when is run_all() called", ("run_all()",)),
        ("the option --dry-run", ("--dry-run",)),
        ("A well-known two-stage pump", ()),
    ],
)
def test_identifiers_are_seen(question: str, names: tuple[str, ...]) -> None:
    assert seen(question).identifiers == names


def test_how_much_a_question_says_is_counted_in_words_of_any_script() -> None:
    assert seen("What is the mayor of the birthplace of Ada Quill?").nested == 2
    assert seen("the mayor of Dunmore").words == 2
    assert seen("绘图样式").words == 2


@given(st.text(max_size=300))
def test_any_text_has_features(text: str) -> None:
    assert seen(text) == seen(text)


def test_it_takes_less_than_five_milliseconds() -> None:
    questions = [
        "What is the seat of the county where the township that Ada Quill was born in is located?",
        "Gib mir einen Überblick über alle Sensoren, die an CR4.OSFXSR hängen, und ihre Unterschiede",
        "第3章主要内容是什么？列出所有传感器，并说明它们之间的关系。",
        "word " * 400,
    ]
    for question in questions:
        seen(question)
    taken = []
    for _ in range(25):
        for question in questions:
            began = time.process_time()
            seen(question)
            taken.append(time.process_time() - began)
    assert np.percentile(taken, 95) < 0.005


@pytest.mark.parametrize(
    "question", ["what is a" + "_a" * 900 + "-?", "fill in " + "_" * 1900 + "-", "::" * 900 + "a-"]
)
def test_no_question_takes_long_to_look_at(question: str) -> None:
    began = time.process_time()
    seen(question)
    assert time.process_time() - began < 0.5


def test_technical_names_are_seen_whole() -> None:
    found = seen("Does my_func() set CR4.OSFXSR, std::map, __init__ or --max-old-space-size?").identifiers
    assert found == ("my_func()", "CR4.OSFXSR", "std::map", "__init__", "--max-old-space-size")
