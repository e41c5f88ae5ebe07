"""Marks in a model's answer, in the ways that models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.query.answer.marks import read_marked, set_apart

WORDS = st.lists(st.sampled_from(["valve", "opens", "at", "8", "bar", "RV-7", "3.5"]), min_size=1, max_size=6)
NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True)
WAYS = (
    lambda text, numbers: f"{text}. {''.join(f'[{n}]' for n in numbers)}",
    lambda text, numbers: f"{text} {''.join(f'[{n}]' for n in numbers)}.",
    lambda text, numbers: f"{text} [{', '.join(map(str, numbers))}].",
    lambda text, numbers: f"{text}.{' '.join(f'【{n}】' for n in numbers)}",
)


@given(st.lists(st.tuples(WORDS, NUMBERS), min_size=1, max_size=5), st.sampled_from(WAYS))
def test_each_sentence_gets_its_own_numbers(said: list[tuple[list[str], list[int]]], way: object) -> None:
    texts = [f"The {' '.join(words)} thing" for words, _ in said]
    answer = " ".join(way(text, numbers) for text, (_, numbers) in zip(texts, said, strict=True))  # type: ignore[operator]
    found = read_marked(answer)
    assert [marked.text for marked in found] == [f"{text}." for text in texts]
    assert [list(marked.numbers) for marked in found] == [numbers for _, numbers in said]
    assert all(marked.closed for marked in found)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("第一句。[1]第二句【2】。", [("第一句。", (1,)), ("第二句。", (2,))]),
        ("See rows [2-4].", [("See rows.", (2, 3, 4))]),
        ("`argv[1]` is the name [2].", [("`argv[1]` is the name.", (2,))]),
        ("- open it [1]\n- close it [2]", [("- open it", (1,)), ("- close it", (2,))]),
        ("It opens at 3.5 bar", [("It opens at 3.5 bar", ())]),
        ("One.[1] [2]\n\n[3]", [("One.", (1, 2, 3))]),
        ("", []),
    ],
)
def test_marks_stand_in_many_places(answer: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(marked.text, marked.numbers) for marked in read_marked(answer)] == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Pass argv[1] as the path [2].", [("Pass argv[1] as the path.", (2,))]),
        ("It is int x[16].[1]", [("It is int x[16].", (1,))]),
        ("CR4[9] is set[2].", [("CR4[9] is set.", (2,))]),
        ("Pass argv[1][2].", [("Pass argv[1].", (2,))]),
        ("Read m[0][1] [3].", [("Read m[0][1].", (3,))]),
        ("Open the valve[1]. Pass xargv[1].", [("Open the valve.", (1,)), ("Pass xargv.", (1,))]),
        ("设置CR4[9]位[2]。", [("设置CR4[9]位。", (2,))]),
    ],
)
def test_an_index_that_stands_in_a_passage_is_no_mark(
    answer: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    passages = ["Give the path as argv[1]; see int x[16] and m[0][1].", "Bit CR4[9] enables it."]
    assert [(marked.text, marked.numbers) for marked in read_marked(answer, passages)] == expected


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("See [2] for the limits.", "See ⟦2⟧ for the limits."),
        ("It stops by itself.[2][3, 4]", "It stops by itself.⟦2⟧⟦3, 4⟧"),
        ("Read argv[1], m[0][1] and `x = [1, 2]`.", "Read argv[1], m[0][1] and `x = [1, 2]`."),
        ("阀门【2】打开[3]。", "阀门⟦2⟧打开⟦3⟧。"),
        ("Pass argv[1] [2].", "Pass argv[1] ⟦2⟧."),
        ("[1] Smith, 1990", "⟦1⟧ Smith, 1990"),
    ],
)
def test_marks_of_a_document_are_set_apart_from_ours(text: str, apart: str) -> None:
    assert set_apart(text) == set_apart(apart) == apart
    assert not any(marked.numbers for marked in read_marked(apart, [text]))


@given(st.text(alphabet="ab. []1,-【】`\n。", max_size=40))
def test_any_text_can_be_read(answer: str) -> None:
    for marked in read_marked(answer):
        assert marked.text.strip() == marked.text != ""
        assert not marked.lead.strip()
