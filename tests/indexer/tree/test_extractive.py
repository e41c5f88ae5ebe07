"""Summaries without a model: what they hold, what they leave out, and that they keep to their budget."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.checks.faithful import faults
from treegraph.indexer.models.tokenizer import PlainTokenizer
from treegraph.indexer.tree.extractive import ExtractiveSummarizer
from treegraph.indexer.tree.summarizer import Passage, Request
from treegraph.indexer.words import words

ROOT = Path(__file__).parents[3]
TOKENIZER = PlainTokenizer()


def passages(texts: Sequence[str], leaves: int = 1) -> list[Passage]:
    return [
        Passage(str(n), text, TOKENIZER.count(text), f"a.pdf p. {n + 1}", leaves)
        for n, text in enumerate(texts)
    ]


def summary(texts: Sequence[str], tokens: int = 60, language: str | None = "en", terms: bool = True) -> str:
    made = ExtractiveSummarizer(TOKENIZER, terms).summarize(Request(passages(texts), tokens, language))
    assert made.tokens == TOKENIZER.count(made.text) <= tokens
    return made.text


def sample(name: str, size: int = 900) -> list[str]:
    """A chapter of the sample in passages of whole paragraphs."""
    parts: list[str] = [""]
    for paragraph in (ROOT / "corpora" / name).read_text(encoding="utf-8").split("\n\n"):
        if len(parts[-1]) > size:
            parts.append("")
        parts[-1] += paragraph + "\n\n"
    return parts


PUMP = [
    "The pump is driven by a brushless motor. The motor is fed from the 24 V rail. It hums.",
    "The rotor of the motor turns in a ceramic bearing, which needs no oil. Never run the pump dry.",
    "A pressure sensor in the outlet measures up to 10 bar. The controller stops the motor above 8 bar.",
    "The controller reports the pressure and the temperature of the motor over CAN every 100 ms.",
]


def test_sentences_stand_whole_and_in_reading_order() -> None:
    text = summary(PUMP, 40, terms=False)
    together = " ".join(" ".join(PUMP).split())
    sentences = [s.strip(". ") for s in text.split(". ")]
    places = [together.index(sentence) for sentence in sentences]
    assert len(places) >= 2
    assert places == sorted(places)
    assert all(together[at - 2 : at] in ("", ". ") for at in places)


@pytest.mark.parametrize("terms", [True, False])
def test_every_child_is_spoken_of(terms: bool) -> None:
    things = ("rotor", "bearing", "filter", "valve", "gasket", "impeller")
    texts = [f"The {x} is checked daily by hand. The {x} is cleaned weekly. It needs care." for x in things]
    text = summary(texts, 70, terms=terms)
    assert [thing for thing in things if thing not in text] == []


def test_repeated_passages_add_nothing() -> None:
    assert summary(PUMP, 40, terms=False) == summary([*PUMP, PUMP[1], PUMP[2]], 40, terms=False)


def test_passages_that_fit_are_the_summary() -> None:
    assert summary(["One short chunk.", "And one more."], 60) == "One short chunk.\n\nAnd one more."
    table = "| Code | Meaning |\n| --- | --- |\n| E-101 | supply too low |"
    assert summary([table], 60) == table


def test_key_terms_add_to_what_sentences_hold() -> None:
    shares = {True: 0, False: 0}
    for name in ("3-installing", "4-modes", "5-sampling", "6-relays", "7-maintenance", "8-troubleshooting"):
        parts = sample(f"field_guide/{name}.md")
        counts = Counter(word for word in words("\n".join(parts), "en") if len(word) > 4)
        wanted = {word for word, _ in counts.most_common(50)}
        for terms in shares:
            shares[terms] += len(wanted & set(words(summary(parts, 120, terms=terms), "en")))
        line = summary(parts, 120).rpartition("\n")[2]
        assert line.startswith("▸ ")
        assert line.count(", ") >= 5
    assert shares[True] > 1.2 * shares[False]


def test_options_commands_and_phrases_are_named_as_they_are_written() -> None:
    part = "Pass --max-len to \\pgfkeys and the interrupt handler of SIGHUP calls it again. "
    parts = [
        part * 2 + f"Paragraph about {subject} and nothing else of interest."
        for subject in ("wind", "rain", "snow")
    ]
    held = summary(parts, 70)
    line = held.rpartition("\n")[2]
    assert all(term in held for term in ("--max-len", "\\pgfkeys", "SIGHUP"))
    assert "the" not in line.removeprefix("▸ ").split(", ")


def test_key_terms_of_children_go_up_and_their_line_is_no_sentence() -> None:
    lower = [
        f"The {name} is part of the drive unit of this machine.\n▸ torque, {name} shaft, RD2"
        for name in ("rotor", "stator", "gear")
    ]
    text = summary(lower * 3, 40)
    body, _, line = text.rpartition("\n")
    assert "▸" not in body
    assert "torque" in line
    assert "RD2" in line


def test_headings_contents_and_broken_rows_are_left_out() -> None:
    title = "4.2 Setting up the device"
    noise = f"{title}\n\n{title} ........ 17\n\n| 17 | broken row of a table |\n\n"
    text = summary([noise + part for part in PUMP], 70, terms=False)
    assert "Setting up" not in text
    assert "|" not in text
    assert "broken row" not in text


def test_legal_text_is_used_only_where_there_is_no_other() -> None:
    legal = (
        "Copyright 2020 by the authors, all rights reserved in every country. "
        "The program comes without any warranty of fitness. "
    )
    assert "warranty" not in summary([legal + part for part in PUMP], 60)
    only = summary(
        [legal * 5, "Permission is granted to copy this licence verbatim and to distribute it. " * 4], 40
    )
    assert "Permission is granted" in only or "warranty" in only


def test_rows_carry_their_columns_where_there_is_nothing_but_tables() -> None:
    rows = "\n".join(f"| E-{n} | supply {n} is too low for the relay |" for n in range(100, 140))
    text = summary([f"| Code | Meaning |\n| --- | --- |\n{rows}"], 50, terms=False)
    assert "Code: E-1" in text
    assert "Meaning: supply" in text


def test_code_alone_still_has_a_summary() -> None:
    code = "\n".join(f"  timer_{n}.start(PRESCALER_{n}); /* channel {n} */" for n in range(40))
    text = summary([code, code.replace("start", "stop")], 40)
    assert "timer_" in text or "PRESCALER" in text


def test_no_sentence_takes_the_whole_budget_where_there_are_shorter_ones() -> None:
    long = "The controller " + ", ".join(f"reads sensor number {n}" for n in range(12)) + " and the motor."
    text = summary([f"{long} {part}" for part in PUMP], 60)
    assert "reads sensor number 11" not in text
    assert "reads sensor" in summary([long] * 3 + ["and so on " * 30], 60)


CHINESE = [
    "多架构支持让同一系统可以安装多种架构的软件包。共享库安装到多架构路径。" * 2,
    "多架构路径由编译器提供。请检查路径是否正确。",
    "软件包的共享库必须声明多架构字段。不要修改其他文件。",
]
JAPANESE = [
    "コントローラーはモーターの温度を監視します。温度が高いと停止します。" * 2,
    "モーターの軸受は油を必要としません。",
    "コントローラーは圧力センサーの値を毎秒読み出します。",
]
GERMAN = [
    "Der Regler überwacht die Temperatur des Motors. Er schaltet bei Übertemperatur ab.",
    "Das Lager des Motors braucht kein Öl. Die Temperatur wird jede Sekunde gemessen.",
    "Der Drucksensor sitzt am Ausgang der Pumpe.",
]


@pytest.mark.parametrize(
    ("language", "texts", "held"),
    [("zh", CHINESE, "多架构"), ("ja", JAPANESE, "モーター"), ("de", GERMAN, "Temperatur")],
)
def test_other_languages(language: str, texts: list[str], held: str) -> None:
    text = summary([f"{part}{'' if language != 'de' else ' '}" * 3 for part in texts], 50, language)
    assert held in text
    assert faults(text, texts, language) == []
    body = text.partition("\n▸")[0]
    assert body.endswith(("。", "."))
    assert language == "de" or "。 " not in body, "no space between two sentences"


def test_summaries_of_the_sample_say_nothing_new_and_never_change() -> None:
    files = [*ROOT.glob("corpora/field_guide/[0-9b]*.md"), ROOT / "corpora/sample/protocol.md"]
    for file in files:
        parts = sample(str(file.relative_to(ROOT / "corpora")))
        once = summary(parts, 120)
        assert once
        assert once == summary(parts, 120)
        assert faults(once, parts, "en") == []


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text(max_size=400), max_size=8),
    st.integers(0, 80),
    st.sampled_from([None, "en", "de", "zh", "ja", "ko", "th", "xx"]),
)
def test_any_text_within_any_budget(texts: list[str], tokens: int, language: str | None) -> None:
    text = summary(texts, tokens, language)
    if tokens and any(TOKENIZER.count(part) for part in texts):
        assert text


@pytest.mark.parametrize("seed", range(3))
def test_the_request_alone_decides(seed: int) -> None:
    parts = sample("field_guide/4-modes.md")
    random.Random(seed).shuffle(parts)
    one = ExtractiveSummarizer(TOKENIZER)
    for _ in range(2):
        one.summarize(Request(passages(sample("field_guide/2-safety.md")), 90, "en"))
        made = one.summarize(Request(passages(parts), 90, "en"))
        assert made == ExtractiveSummarizer(TOKENIZER).summarize(Request(passages(parts), 90, "en"))
