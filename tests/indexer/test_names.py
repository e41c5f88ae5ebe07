"""Names of texts and questions: what is one, what is none, and the form under which it is looked up."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.names import LONGEST_NAME, QuestionNames, find_names, form


def names(text: str, language: str | None = "en") -> list[str]:
    return [found.name for found in find_names(text, language)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Beatles", "the beatles"),
        ("“Gone with the Wind”", "gone with the  wind"),
        ("x‑ray", "X-Ray"),
        ("O’Brien", "o'brien"),
        ("Curie's", "Curie"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("U.S.", "US"),
        ("St. Louis", "St Louis"),
        ("sample()", "sample"),
        ("ＣＲ４", "CR4"),
        ("「東京タワー」", "東京タワー"),
        ("Linux カーネル", "Linuxカーネル"),
        ("ﾃﾞｰﾀ", "データ"),
    ],
)
def test_writings_of_one_name_have_one_form(one: str, other: str) -> None:
    assert form(one) == form(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CR0", "CR4"),
        ("XMM0", "YMM0"),
        ("C", "C++"),
        ("C#", "C++"),
        (".NET", "NET"),
        ("--max-old-space-size", "max-old-space-size"),
        ("-x", "--x"),
        ("f(x)", "f(y)"),
        ("MAX_SIZE", "MAXSIZE"),
        ("北京", "東京"),
    ],
)
def test_different_technical_names_have_different_forms(one: str, other: str) -> None:
    assert form(one) != form(other)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_a_form_is_its_own_form(text: str) -> None:
    assert form(form(text)) == form(text)


def test_capitalised_spans_are_names_and_sentence_openers_are_not() -> None:
    text = (
        "This began when Dr. Ada Orban left the University of Lenz. When Rome fell, Ludwig van Beek wrote it."
    )
    assert names(text) == ["Dr. Ada Orban", "University of Lenz", "Rome", "Ludwig van Beek"]


def test_a_word_at_the_start_of_a_sentence_needs_evidence() -> None:
    assert names("Water boils. The lid of Water is hot.") == ["Water", "Water"]
    assert names("Boiling water is hot.") == []
    assert [found.name for found in find_names("Orban is a town.", "en", known={"orban"})] == ["Orban"]
    assert names("Orban was founded in 1790.") == ["Orban"]


def test_technical_identifiers_are_kept_whole() -> None:
    text = (
        "Set CR4.OSFXSR and MAX_BUFFER_SIZE with --max-old-space-size, or get HTTP 403 at 0x1F from part "
        "VX-12; "
        "snake_case, camelCase, run_it(), os.path, /etc/fstab, C++, C# and .NET, see RTL::Cell and $HOME."
    )
    assert names(text) == [
        "CR4.OSFXSR", "MAX_BUFFER_SIZE", "--max-old-space-size", "HTTP 403", "0x1F", "VX-12", "snake_case",
        "camelCase", "run_it()", "os.path", "/etc/fstab", "C++", "C#", ".NET", "RTL::Cell", "$HOME",
    ]  # fmt: skip


def test_what_is_no_name_alone_is_left_out() -> None:
    text = (
        "In May 1990, on Monday, it took 5V, 10MB, 1.5e-9 and 20th place (see Table 5, Section IV). "
        "IT MUST NOT BE SO. Write to ada@orban.example or https://orban.example/Lenz. Returns TRUE or NULL."
    )
    assert names(text) == []


def test_german_nouns_are_no_names_but_compounds_and_spans_are() -> None:
    text = (
        "Der Installer liest die Datei vom USB-Stick. Dort startet Angela Orban das Partitionierungsprogramm."
    )
    assert names(text, "de") == ["USB-Stick", "Angela Orban", "Partitionierungsprogramm"]
    assert names("Wenn Sie Debian GNU/Linux starten, sehen Sie Ihre Dateien.", "de") == ["Debian GNU/Linux"]


def test_chinese_marks() -> None:
    found = names("卡万·肖特在《北方的河》中写道，北京大学支持 dpkg 和“职业碗”。", "zh")
    assert found == ["卡万·肖特", "北方的河", "北京大学", "dpkg", "职业碗"]


def test_japanese_marks() -> None:
    found = names("「銀河の旅」で豊臣秀吉はデスクトップ環境と net-tools を使用した。", "ja")
    assert found == ["銀河の旅", "豊臣秀吉", "デスクトップ環境", "net-tools"]


def test_korean_nouns_come_without_their_particles() -> None:
    found = names("부트로더를 설치합니다. GRUB의 파티션은 파티션 메뉴에서 바꿉니다.", "ko")
    assert found == ["부트로더", "GRUB", "파티션", "파티션"]


def test_greek_and_cyrillic_names() -> None:
    assert names("Тогда Анна Орбан жила в Ленце.", "ru") == ["Анна Орбан", "Ленце"]
    assert names("και η Μαρία Όρμπαν ζει", "el") == ["Μαρία Όρμπαν"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.sampled_from(["en", "de", "ja", "zh", "ko", None]))
def test_names_stand_where_they_say_and_never_overlap(text: str, language: str | None) -> None:
    end = 0
    for found in find_names(text, language):
        assert found.start >= end
        assert " ".join(text[found.start : found.end].split()) == found.name
        assert 0 < len(found.name) <= LONGEST_NAME
        end = found.end


@pytest.mark.parametrize(
    "unit", ["a", "A ", "Ab ", "a.", "a/", "-", "../", "x@", "特", "特·", "“漢", "ア", "가", "의 "]
)
def test_repetitive_text_costs_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    find_names(text, "en")
    assert time.process_time() - started < 5


def test_questions_in_small_letters_give_their_words_and_runs() -> None:
    found = QuestionNames().names("which control register bit enables addps", ["en"])
    assert {"control register", "register bit", "addps"} <= set(found)
    assert "which" not in found
    assert found.index("control register") < found.index("addps")


def test_questions_with_names_give_no_single_plain_words() -> None:
    found = QuestionNames().names(
        "Who was the wife of the mayor of Lenz, and what does CR4.OSFXSR enable?", ["en"]
    )
    assert {"Lenz", "CR4.OSFXSR", "mayor of Lenz"} <= set(found)
    assert "wife" not in found
    assert QuestionNames().certain("Where does Ada Orban live?", ["en"]) == ["Ada Orban"]


def test_a_name_is_given_once_and_its_longest_span_first() -> None:
    found = QuestionNames().names("Is Ada Orban of Lenz the daughter of Ada Orban?", ["en", "de"])
    assert found.index("Ada Orban of Lenz") < found.index("Ada Orban")
    assert len({form(name) for name in found}) == len(found)
