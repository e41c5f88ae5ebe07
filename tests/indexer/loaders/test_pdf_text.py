"""How two lines of a PDF's paragraph become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.loaders.pdf_text import clean, join_lines, shorten_leaders

LINES = st.text(st.sampled_from("abcXY-09.,_ äßéあ漢한글 "), max_size=12)


@pytest.mark.parametrize(
    ("before", "after", "words", "joined"),
    [
        ("the exam-", "ple of", set(), "the example of"),
        ("the well-", "known fault", {"well-known"}, "the well-known fault"),
        ("the well-", "known fault", {"well-known", "wellknown,"}, "the wellknown fault"),
        ("ein Debian-", "Installer", set(), "ein Debian-Installer"),
        ("die Ein-", "und Ausgabe", set(), "die Ein- und Ausgabe"),
        ("a size of x86-", "64 bits", set(), "a size of x86-64 bits"),
        ("set CONFIG_MAX-", "value to", set(), "set CONFIG_MAX-value to"),
        ("from 3 -", "that is", set(), "from 3 - that is"),
        ("regu\u00ad", "lator", set(), "regulator"),
        ("安装之前", "请先", set(), "安装之前请先"),
        ("参照 Linux", "カーネル", set(), "参照 Linuxカーネル"),
        ("다음 플러그를", "뽑고", set(), "다음 플러그를 뽑고"),
        ("설치할 수 있는지 확인하", "십시오.", {"확인하십시오."}, "설치할 수 있는지 확인하십시오."),
        ("", "alone", set(), "alone"),
    ],
)
def test_join(before: str, after: str, words: set[str], joined: str) -> None:
    assert join_lines(before, after, words) == joined


@given(LINES, LINES)
def test_joining_loses_nothing_but_a_hyphen(before: str, after: str) -> None:
    joined = join_lines(before, after, frozenset())
    whole = "".join((before + after).split())
    assert "".join(joined.split()) in (whole, "".join((before.rstrip()[:-1] + after).split()))


@given(st.text(max_size=30))
def test_cleaned_text_is_composed_and_printable(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not any(ord(character) < 32 for character in cleaned)


def test_radicals_become_the_characters_that_they_are_drawn_as() -> None:
    assert clean("\u2f00\u2f46") == "一无"


@pytest.mark.parametrize("leaders", [". . . . . . .", ".........", "……………"])
def test_leaders(leaders: str) -> None:
    assert shorten_leaders(f"Safety {leaders} 12") == "Safety ... 12"


def test_an_ellipsis_stays() -> None:
    assert shorten_leaders("and so on ... 12") == "and so on ... 12"
