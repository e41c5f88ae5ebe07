"""What makes a passage whole."""

from __future__ import annotations

import pytest
from treegraph.query.answer.completing import completed, reflow


@pytest.mark.parametrize(
    ("before", "text", "after", "head", "tail"),
    [
        ("", "The valve opens.", "It closes.", "", ""),
        ("", "The valve then\n", "opens at once. It closes.", "", " opens at once."),
        ("It waits. When full, the valve\n", "opens at once.", "", "When full, the valve", ""),
        ("", "Do this:\n", "- open\n- close\n\nThen go.", "", "\n- open\n- close"),
        ("", "Steps:\n\n- open\n", "- close\n\nThen go.", "", "\n- close"),
        ("The parts are:\n", "- a pump\n- a drum", "", "The parts are:", ""),
        ("| A | B |\n| --- | --- |\n| 1 | 2 |\n", "| 3 | 4 |", "", "| A | B |\n| --- | --- |", ""),
        ("| A | B |\n| --- | --- |\n| 1 | 2 |\n", "| A | B |\n| --- | --- |\n| 3 | 4 |", "", "", ""),
        ("", "The heading of this\n\n", "Another Title\n\nText.", "", ""),
    ],
)
def test_a_passage_gets_what_it_lacks_and_nothing_else(
    before: str, text: str, after: str, head: str, tail: str
) -> None:
    assert completed(before, text, after) == (head, tail)


def test_lines_with_empty_ones_between_are_joined_where_a_sentence_goes_on() -> None:
    broken = (
        "It writes back the high part of the stack pointer and\n\nthen the low part of it.\n\n"
        "A Title\n\nThe next sentence stands alone.\n\n- an item\n\n- another"
    )
    assert reflow(broken) == (
        "It writes back the high part of the stack pointer and then the low part of it.\n\n"
        "A Title\n\nThe next sentence stands alone.\n\n- an item\n\n- another"
    )


def test_scripts_without_spaces_are_joined_without_one() -> None:
    line = "缓存控制寄存器在复位之后由引导程序设置并且在此之后不能被任何用户程序修改"
    assert reflow(f"{line}\n\n除非先解锁。") == f"{line}除非先解锁。"
