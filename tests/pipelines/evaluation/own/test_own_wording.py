"""What sentences and titles are taken for, in several languages: each table a guard of its precision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.types import Section
from treegraph.pipelines.evaluation.own.candidates import Candidate, sampled, together
from treegraph.pipelines.evaluation.own.definitions import sentence_definition
from treegraph.pipelines.evaluation.own.entries import entry_definition, is_glossary
from treegraph.pipelines.evaluation.own.pointing import pointing
from treegraph.pipelines.evaluation.own.scope import asked_title, says_something
from treegraph.pipelines.evaluation.own.wording import asks_what, leans_on_before, words_said


@pytest.mark.parametrize(
    ("sentence", "said", "numbers"),
    [
        ("Set a start delay for such a load (see 6.3).", "Set a start delay for such a load.", ["6.3"]),
        ("The pen is chosen (see Section 12.3.1, page 88).", "The pen is chosen.", ["12.3.1"]),
        ("Use a cell array (see Chapter 6 [Cells], page 131) for it.", "Use a cell array for it.", ["6"]),
        ("For details on relay wear, see Section 7.2.", "relay wear.", ["7.2"]),
        ("See Section 4.2 for more information about fuses.", "fuses.", ["4.2"]),
        ("The interlock is described in detail in Section 6.5.", "The interlock.", ["6.5"]),
        ("Der Kern wird geladen (siehe Abschnitt 4.5.4 weiter unten).", "Der Kern wird geladen.", ["4.5.4"]),
        ("Weitere Informationen zur Firmware finden Sie in Kapitel 6.", "Firmware.", ["6"]),
        ("Die Partitionierung wird in Abschnitt 6.3 beschrieben.", "Die Partitionierung.", ["6.3"]),
        ("原生软件包（参见第5章）不使用这些文件。", "原生软件包不使用这些文件。", ["5"]),
        ("路径由多体系结构决定，参见Section 5.22。", "路径由多体系结构决定。", ["5.22"]),
        ("シェルの使い方については項1.1.4を参照下さい。", "シェルの使い方。", ["1.1.4"]),
        ("배터리를 교체합니다 (5.1.2절 참조).", "배터리를 교체합니다.", ["5.1.2"]),
        ("미리 설정에 대한 자세한 내용은 B.4절을 참고하십시오.", "미리 설정.", ["B.4"]),
    ],
)  # fmt: skip
def test_a_reference_is_taken_out_of_its_sentence(sentence: str, said: str, numbers: list[str]) -> None:
    found = pointing(sentence)
    assert found is not None
    assert (found.said, list(found.numbers)) == (said, numbers)


@pytest.mark.parametrize(
    "sentence",
    [
        "Section 4.2 shows what the relays do.",
        "As Chapter 3 and its tables say, the fuse is slow.",
        "See Chapter 7 of Advanced Programming in the Environment.",
        "Siehe Abschnitt 3 der Lizenz, die beiliegt.",
        "There are 4.2 V at the terminal.",
        "The voltage (4.2 V) is measured.",
        "Call section2(4) with a pen.",
        "3D plots need a camera.",
    ],
)
def test_what_is_no_reference_or_a_part_of_its_sentence_is_not(sentence: str) -> None:
    assert pointing(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A *watchdog* is a timer that restarts the device.", "What is a watchdog?"),
        ("A date vector is a vector with six elements of a date.", "What is a date vector?"),
        ("RGB stands for Red, Green, Blue.", "What is RGB?"),
        ("The term “dead band” means the range without reaction.", "What is dead band?"),
        ("Ein Live-System ist ein vorkonfiguriertes System in einem Format.", "Was ist ein Live-System?"),
        ("Unter Drift versteht man die Änderung eines Wertes.", "Was ist Drift?"),
        ("LVM steht für Logical Volume Manager.", "Was ist LVM?"),
        ("看门狗是指在超时后重启设备的定时器。", "什么是看门狗？"),
        ("ウォッチドッグとは、装置を再起動するタイマーです。", "ウォッチドッグとは何ですか？"),
        ("인터페이스란 설치할 때 사용할 장치를 말합니다.", "인터페이스은(는) 무엇입니까?"),
    ],
)  # fmt: skip
def test_a_definition_is_recognised(sentence: str, question: str) -> None:
    found = sentence_definition(sentence)
    assert found is not None
    assert found.certain
    assert asks_what(found.asked, found.language, found.plural) == question


@pytest.mark.parametrize(
    "sentence",
    [
        "This is a timer that restarts the device.",
        "A typical case is a timer that is too slow.",
        "The result is a vector of six elements.",
        "It is a timer.",
        "A better way is a timer that restarts the device.",
        "Dies ist ein System, das neu startet.",
        "这是指定时器的重启。",
        "これとは別に、装置を再起動することです。",
        "Press the key for five seconds.",
    ],
)
def test_a_sentence_that_defines_nothing_is_not_a_certain_definition(sentence: str) -> None:
    found = sentence_definition(sentence)
    assert found is None or not found.certain


def test_an_uncertain_definition_says_so() -> None:
    found = sentence_definition("The margin is the distance between the border and the edge.")
    assert found is not None
    assert not found.certain
    assert asks_what(found.asked, found.language) == "What is the margin?"


@pytest.mark.parametrize(
    ("paragraph", "in_glossary", "term"),
    [
        ("**BP7** — the battery pack, twelve volts, with a sensor.", False, "BP7"),
        ("- **Dead time:** the pause between two movements of a relay.", False, "Dead time"),
        ("Fallback\n: What a rule does when it has no usable reading.", False, "Fallback"),
        ("Fallback: what a rule does when it has no usable reading.", True, "Fallback"),
        ("Fallback\nWhat a rule does when it has no usable reading.", True, "Fallback"),
        ("Fallback: what a rule does when it has no usable reading.", False, None),
        ("**Note:** the pause between two movements of a relay counts.", False, None),
        ("**Warning** - never open the lid under rain or heavy snow.", True, None),
        ("**BP7** — yes.", False, None),
    ],
)
def test_an_entry_is_recognised_by_its_layout(paragraph: str, in_glossary: bool, term: str | None) -> None:
    assert entry_definition(paragraph, "en", in_glossary) == term


def test_a_glossary_is_known_by_its_title_alone() -> None:
    assert is_glossary(["Heron 4", "B Glossary of terms"])
    assert is_glossary(["用語集"])
    assert not is_glossary(["23.8.2 Macro Definition Documentation"])


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("4 Modes", "Modes"),
        ("12.3.1 Light properties", "Light properties"),
        ("1.1General safety", "General safety"),
        ("Appendix B: Wiring", "Wiring"),
        ("第4章 配線", "配線"),
        ("IV. Use", "Use"),
        ("3D plots", "3D plots"),
        ("A Brief Introduction", "A Brief Introduction"),
        ("64-bit PC", "64-bit PC"),
        ("7", "7"),
    ],
)
def test_a_title_is_asked_without_its_number(title: str, asked: str) -> None:
    assert asked_title(Section(title, 1, 0)) == asked


@pytest.mark.parametrize(
    ("title", "language", "says"),
    [
        ("Relay drivers", "en", True),
        ("Basics of plotting", "en", True),
        ("Introduction", "en", False),
        ("General Information", "en", False),
        ("Examples and Notes", "en", False),
        ("Automatisieren der Installation", "de", True),
        ("Übersicht", "de", False),
        ("简单例子", "zh", False),
        ("库软件包", "zh", True),
        ("はじめに", "ja", False),
        ("ネットワークの設定", "ja", True),
        ("소개", "ko", False),
        ("부팅 파라미터", "ko", True),
        ("3.2", "en", False),
    ],
)
def test_a_title_must_say_something_alone(title: str, language: str, says: bool) -> None:
    assert says_something(title, language) == says


def test_sentences_that_lean_on_the_one_before_are_known() -> None:
    for sentence in ("This option sets it.", "Dieser Wert gilt.", "这个选项", "この設定", "(It is so.)"):
        assert leans_on_before(sentence), sentence
    for sentence in ("Itemise the bill.", "Erste Schritte", "设备重启", "設定", "Theses are printed."):
        assert not leans_on_before(sentence), sentence


def test_words_are_counted_by_what_they_say() -> None:
    assert words_said("What is the relay of a driver?", "en") == 2
    assert words_said("看门狗定时器", "zh") == 3
    assert words_said("1 2 3", "en") == 0


def candidate(text: str, place: str = "m.pdf@1") -> Candidate:
    return Candidate("index", text, "m.pdf", (place,))


_TEXTS = st.lists(st.text("abcdef ", min_size=1, max_size=6), unique=True, max_size=30)


@given(_TEXTS, _TEXTS, st.integers(0, 3), st.integers(1, 12))
def test_a_sample_only_loses_what_others_displace(
    first: list[str], more: list[str], seed: int, most: int
) -> None:
    """Of a sample from more candidates, what belongs to the first ones was in the sample from them."""
    before = together(map(candidate, first))
    after = together(map(candidate, [*more, *first]))
    small, large = sampled(before, seed, most), sampled(after, seed, most)
    known = {each.id for each in before}
    assert len(small) == min(most, len(before))
    assert {each.id for each in large} & known <= {each.id for each in small}


def test_equal_questions_are_one_with_all_places() -> None:
    (one,) = together([candidate("Relay", "a@1"), candidate("relay ", "b@2"), candidate("relay", "a@1")])
    assert one.text == "Relay"
    assert one.places == ("a@1", "b@2")
