"""An answer that is reviewed while it comes: the same sentences however it is cut into pieces, at about the
same cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from treegraph.indexer.checks import planted
from treegraph.indexer.types import Citation
from treegraph.query.answer import marks
from treegraph.query.answer import review as review_module
from treegraph.query.answer.arriving import Sentences
from treegraph.query.answer.evidence import Source
from treegraph.query.answer.marks import read_marked
from treegraph.query.answer.review import Handed, Review, Reviewed

PASSAGE = "The valve opens at 8 bar, on 3. März 2024. See Fig. 3 and argv[1]."
FRAGMENTS = (
    "The valve opens", "at 8 bar", "the lid", "Lid", "A", "I", "See Fig", "e.g", "U.S", "12", "3", "am 3. ",
    "März", "Mai", "argv", "`x[1]`", "好阀门", "`", ".", ". ", "...", "?", "。", "」", ")", ":", ",", " ",
    "   ", "\n", "\n\n", "\n- ", "\n1. ", "| a |", "[1]", " [2]", "[1][2]", "【1】", "[1，2]", "[1, 2]", "[",
    "1", "]", "[99]", "[1-2]", "<", "<b>", "NOT-IN-PASSAGES",
)  # fmt: skip
THOUGHTS = (*FRAGMENTS, "<think>", "</think>", "<thi", "</think")


def source(number: int) -> Source:
    citation = Citation(
        document=str(number), source=f"{number}.md", title="", pages=None, section=(), chunk=str(number)
    )
    return Source(PASSAGE, citation, None, 1.0, number, language="en")


def review() -> Review:
    sources = {number: source(number) for number in (1, 2)}
    places = {number: f"{number}.md" for number in sources}
    return Review(Handed("When does it open?", "When does it open?", sources, places, "en", "TASK-X"))


def reviewed(pieces: Iterable[str]) -> tuple[Review, list[Reviewed]]:
    """The review of an answer that comes in these pieces, and what it gave on the way."""
    under_way, given_on = review(), []
    for piece in pieces:
        before = under_way.begun_anew
        found = under_way.take(piece)
        if under_way.begun_anew > before:
            given_on.clear()
        given_on += found
    return under_way, [*given_on, *under_way.end()]


def cut(text: str, at: Sequence[int]) -> list[str]:
    ends = sorted({0, *(place % (len(text) + 1) for place in at), len(text)})
    return [text[a:b] for a, b in pairwise(ends)]


def texts(fragments: Sequence[str], most: int = 24) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(fragments), max_size=most).map("".join)


@settings(max_examples=300, deadline=None)
@given(texts(THOUGHTS), st.lists(st.integers(0, 400), max_size=12))
@example("Es wird am 3. März gereinigt. [1] Das war es.", range(50))
@example("第一句。[1，2]第二句。[2]", range(20))
@example("好。A. 12. Lid [1]. Lid", range(30))
def test_any_cutting_gives_the_same_sentences_in_the_same_order(text: str, at: Sequence[int]) -> None:
    whole, once = reviewed([text])
    parted, given_on = reviewed(cut(text, at))
    assert parted.sentences == whole.sentences
    assert (parted.wrong, parted.nothing, parted.faults) == (whole.wrong, whole.nothing, whole.faults)
    if not whole.wrong:
        assert given_on == once == whole.sentences


@settings(max_examples=300, deadline=None)
@given(texts(FRAGMENTS, 40))
def test_letter_by_letter_gives_what_is_read_at_once(text: str) -> None:
    stream = Sentences([PASSAGE])
    found = [sentence for letter in text for sentence in stream.take(letter)]
    assert [*found, *stream.end()] == read_marked(text, [PASSAGE])


LONG = {
    "sentences": "The relief valve opens at 8 bar, e.g. in the pump of Fig. 3 [1]. ",
    "none": "the relief valve and the lid, ",
    "abbreviations": "e.g. the lid, i.e. it ",
    "codes": "a.b.c.d.",
    "lines": "the relief valve\nopens ",
    "marks": "The lid opens. [1] [2] ",
    "chinese": "阀门在八巴时打开",
}


@pytest.mark.parametrize("kind", LONG)
def test_many_pieces_cost_about_what_one_does(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (LONG[kind] * 2000)[:20_000]
    looked_at = 0
    split = marks.sentence_ends

    def counting(text: str, start: int = 0) -> list[int]:
        nonlocal looked_at
        looked_at += len(text)
        return split(text, start)

    monkeypatch.setattr(marks, "sentence_ends", counting)
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    stream = Sentences()
    found = [sentence for piece in pieces for sentence in stream.take(piece)]
    assert [*found, *stream.end()] == read_marked(text)
    in_one = len(text)
    assert looked_at - in_one <= 7 * in_one


def test_the_passages_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    divided = planted.divided

    def counting(passages: Sequence[str]) -> tuple[str, str]:
        looked.append(len(passages))
        return divided(passages)

    for module in (planted, review_module):
        monkeypatch.setattr(module, "divided", counting, raising=False)
    under_way, _ = reviewed([f"The valve opens at {number} bar [1]. " for number in range(50)])
    assert (len(under_way.sentences), looked) == (50, [2])
