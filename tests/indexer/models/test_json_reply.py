"""What a model wrote as JSON: read, or a fault of that answer alone, however it is built."""

from __future__ import annotations

import pytest
from treegraph.indexer.contextual_reply import check_reply
from treegraph.indexer.models.json_reply import read_json
from treegraph.indexer.tree.reply import read_answer

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("text", ["", "{", '{"a": }', '"a\nb"', DEEP])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_json(text)


def test_line_breaks_may_stand_in_strings_where_that_is_allowed() -> None:
    assert read_json('"a\nb"', strict=False) == "a\nb"


def test_an_answer_nested_too_deeply_is_no_more_than_unusable() -> None:
    assert read_answer(f'{{"summary": "The pump starts.", "more": {DEEP}}}') == "The pump starts."
    reply = check_reply(f'{{"1": "It says when the pump starts.", "2": {DEEP}}}', {1: "The pump starts."}, 60)
    assert reply.contexts == {1: "It says when the pump starts."}
