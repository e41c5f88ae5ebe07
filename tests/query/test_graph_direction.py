"""Which way a question looks from a name in it."""

from __future__ import annotations

import pytest
from treegraph.query.graph_direction import direction

OUT = (
    "what does SSE require?",
    "what SSE requires",
    "which bit must the system set before SSE can be used",
    "what is required by SSE",
    "what is needed for SSE",
    "which bits can SSE change?",
    "SSE requires what?",
)
IN = (
    "what requires SSE?",
    "which instructions need SSE",
    "who wrote SSE",
    "what depends on SSE?",
    "what is SSE required by?",
    "what refers to the SSE unit",
)
UNCLEAR = (
    "tell me about SSE",
    "is SSE there",
    "what is SSE",
    "was verlangt",
    "SSE",
    "SSE and AVX",
    "warum SSE",
)


@pytest.mark.parametrize("question", OUT)
def test_what_a_name_does(question: str) -> None:
    assert direction(question, "SSE") == "out"


@pytest.mark.parametrize("question", IN)
def test_what_is_done_to_a_name(question: str) -> None:
    assert direction(question, "SSE") == "in"


@pytest.mark.parametrize("question", UNCLEAR)
def test_what_is_not_clear_goes_both_ways(question: str) -> None:
    assert direction(question, "SSE") == "both"


def test_a_name_that_is_not_there_says_nothing() -> None:
    assert direction("what requires AVX", "SSE") == "both"
    assert direction("what requires AVX", "") == "both"
