"""The lines of stdin, in whatever pieces they come."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.models.sound_text import without_halves
from treegraph.query.tools.mcp_stdio import lines_of


@given(st.lists(st.binary(max_size=6).map(lambda piece: piece.replace(b"a", b"\n")), max_size=30))
def test_lines_come_whole_and_the_last_needs_no_end(pieces: list[bytes]) -> None:
    *ended, last = b"".join(pieces).split(b"\n")
    assert list(lines_of(pieces)) == [*ended, *([last] if last else [])]


def test_a_line_comes_as_soon_as_it_ends() -> None:
    lines = lines_of(iter([b"one\ntw", b"o\n", b"three"]))
    assert [next(lines), next(lines), next(lines)] == [b"one", b"two", b"three"]


@given(st.text(st.sampled_from('a\\u\ud83d\ude00d8"😀é'), max_size=12))
def test_half_a_character_is_replaced_and_nothing_else(text: str) -> None:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert json.loads(without_halves(json.dumps(text))) == whole
    line = json.dumps(whole)
    assert without_halves(line) == line
