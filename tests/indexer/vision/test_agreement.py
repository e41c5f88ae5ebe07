"""A reading against its text layer: how far they agree, and whose values stand."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.pages import DESCRIBED
from treegraph.indexer.vision.agreement import Settled, compare, left_out, settle
from treegraph.indexer.vision.words import telling, trusted

LAYER = (
    "The limit of the relay is 48 V at 20 A.\nSet register RD27 to 0x1F before the Heron starts.\n"
    "The mast is 12 m high, the cable 30 m long. Use xts-plain64 for the Klar-\ntext partition."
)


@pytest.mark.parametrize(
    ("read", "right", "kept", "alone"),
    [
        ("The limit of the relay is 43 V at 20 A.", "The limit of the relay is 48 V at 20 A.", 1, 0),
        ("Set register RD21 to 0x1E before", "Set register RD27 to 0x1F before", 2, 0),
        ("before the Hernon starts", "before the Heron starts", 1, 0),
        ("Use xts-p1ain64 for the", "Use xts-plain64 for the", 1, 0),
        # Another number as likely as not stands in a picture: its place in the layer is taken already.
        ("The mast is 12 m high. In the photo the mast is 15 m high.", None, 0, 1),
        ("The plate says 8877.", None, 0, 1),
        # Another notation, a divided word and what is said of a figure are as they are.
        ("RD-27 and 48V", None, 0, 0),
        ("for the Klar-\n\ntext partition", None, 0, 0),
        (f"> {DESCRIBED} The limit of the relay is 43 V.", None, 0, 0),
    ],
)
def test_whose_value_stands(read: str, right: str | None, kept: int, alone: int) -> None:
    settled = settle(read, LAYER)
    assert settled.markdown == (right or read)
    assert (settled.kept, settled.alone) == (kept, alone)


def test_a_reading_of_the_page_agrees_and_another_pages_does_not() -> None:
    own, other = compare(LAYER, LAYER), compare("Growth came from contracts with harbours.", LAYER)
    assert (own.held, own.borne, own.confidence) == (1.0, 1.0, 1.0)
    assert other.held < 0.1
    described = f"{LAYER}\n\n> {DESCRIBED} Revenue of several quarters, in millions."
    assert compare(described, LAYER).confidence == 1.0  # which has its own marker
    beside = f"{LAYER}\n\nUnchecked words from some photograph beside them all"
    assert 0.5 < compare(beside, LAYER).confidence < 1.0


def test_stretches_that_a_reading_leaves_out_are_told() -> None:
    layer = (
        "Relay manual\n161\nFirst of all the mast is raised\nby four engineers of the con-\nsortium.\n"
        "Then cables follow along.\nR7\nR8 48\nBehind it nothing else remains."
    )
    assert left_out(layer, layer) == []
    assert left_out("Then cables follow along.\n\nBehind it nothing else remains.", layer) == [
        "Relay manual 161 First of all the mast is raised by four engineers of the consortium."
    ]


@pytest.mark.parametrize("layer", ["", "Page 7", "\ufffd\ufffd\ue001\ue002 " * 40])
def test_a_text_layer_of_nothing_says_nothing(layer: str) -> None:
    assert trusted(layer) == ""
    assert trusted(LAYER) == LAYER


def test_words_without_spaces_are_compared_by_their_neighbours() -> None:
    page = "電源を入れる前に、必ず主遮断器を切ってください。中継局の設定値を確認する。"
    assert compare(page, page).held == 1.0
    assert compare("売上高は四半期ごとに増加し、配当を実施した。", page).held < 0.2
    assert "遮断" in telling(page)


def test_of_many_words_in_one_place_none_is_put_in_another_s() -> None:
    few, many = ("".join(f"Now set Relay{at}. " for at in range(count)) for count in (1, 9))
    assert settle("Now set Relay77.", few).kept == 1
    assert settle("Now set Relay77.", many) == Settled("Now set Relay77.", kept=0, alone=1)


@pytest.mark.parametrize(
    ("said", "there"),
    [
        (lambda at: f"is A{_letters(at)}q ", lambda at: f"is A{_letters(at)} "),  # many in one place
        (lambda at: f"k{at % 5000} A{at} k{at % 5000} ", lambda at: f"k{at % 5000} A{at}b k{at % 5000} "),
        (lambda at: f"A{at} ", lambda at: "a1a1a "),  # found everywhere, but never whole
        (lambda at: f"{'a' * 11000}{at} ", lambda at: f"{'a' * 11000}{at}b "),
    ],
)
def test_a_page_that_is_made_to_take_long_does_not(
    said: Callable[[int], str], there: Callable[[int], str]
) -> None:
    read, layer = (
        "".join(map(text, range(most // len(text(0)))))[:most]
        for text, most in ((said, 24_000), (there, 200_000))
    )
    began = time.process_time()
    settle(read, layer, "en")
    compare(read, layer)
    left_out(read, layer)
    assert time.process_time() - began < 2  # under half of it where nothing else runs


def _letters(number: int) -> str:
    return "".join(chr(97 + number // 26**place % 26) for place in range(3))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_whatever_was_read_can_be_held_against_whatever_is_there(read: str, layer: str) -> None:
    agreement, settled = compare(read, layer), settle(read, layer)
    assert 0.0 <= agreement.confidence <= 1.0
    assert settled.kept or settled.markdown == read
