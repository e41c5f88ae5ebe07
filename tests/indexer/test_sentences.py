import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.sentences import sentence_ends


def sentences(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in itertools.pairwise([0, *sentence_ends(text)])]


@pytest.mark.parametrize(
    "parts",
    [
        ["Open the valve.", "Wait 3.5 seconds.", "Is it warm?", "Then close it!"],
        ["See Fig. 3 and No. 5 of the U.S. Manual.", "It holds, e.g. Water."],
        ['He said "Stop."', "Then he left."],
        ["Dr. J. R. Smith wrote it.", "Others read it."],
        ["Das gilt z. B. Für Pumpen.", "Am 3. Oktober endet es.", "Danach d. h. Später nicht."],
        ["هل هذا صمام؟", "نعم، هذا صمام.", "شكرا"],
        ["یہ ایک پمپ ہے۔", "یہ گرم ہے۔"],
        ["이것은 펌프입니다.", "저것은 밸브입니다."],
        ["यह पंप है।", "वह वाल्व है।"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts: list[str]) -> None:
    assert sentences(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [["これは弁です。", "「開けて。」", "閉めましたか？", "はい"], ["这是泵。", "热吗？", "关掉它！"]],
)
def test_wide_terminators_need_no_space(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts


def test_lists_rows_headings_and_blank_lines_end_sentences() -> None:
    parts = ["Do this:", "1. Open it", "2. Close it", "- a bolt", "• a nut", "| a | b |", "## Next", "End"]
    assert sentences("\n".join(parts[:-1]) + "\n\n" + parts[-1]) == parts


def test_a_wrapped_line_does_not_end_one() -> None:
    assert sentences("The pump must\nbe primed before\nuse.") == ["The pump must\nbe primed before\nuse."]


def test_nothing_has_no_sentences() -> None:
    assert sentence_ends("") == []


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("aB.!?。؟ \n\t-|#1\"')」"), max_size=120))
def test_they_tile_the_text(text: str) -> None:
    ends = sentence_ends(text)
    assert ends == sorted(set(ends))
    assert not text or ends[-1] == len(text)
    if text.strip():
        assert all(part.strip() for part in (text[a:b] for a, b in itertools.pairwise([0, *ends])))


def test_time_grows_with_the_text_and_no_faster() -> None:
    def seconds(text: str) -> float:
        begun = time.process_time()
        sentence_ends(text)
        return time.process_time() - begun

    for piece in ("a.", "\n", " ", "x", "1. "):
        assert seconds(piece * 40_000) < 2.0, piece
