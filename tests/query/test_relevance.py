"""Relevance and result values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.phrases import NOTHING, Match
from treegraph.query.relevance import relevance
from treegraph.query.result import page_list, record_source
from treegraph.query.settings import SearchSettings

shares = st.floats(0, 1)


@given(st.floats(-1, 1), shares, shares, shares)
def test_relevance_is_a_probability_that_grows_with_the_evidence(
    cosine: float, terms: float, pairs: float, heading: float
) -> None:
    match = Match(terms, pairs, heading, frozenset())
    value = relevance(cosine, match)
    assert 0 < value < 1
    assert relevance(min(1, cosine + 0.1), match) >= value
    assert relevance(cosine, replace(match, terms=1.0)) >= value
    assert relevance(cosine, replace(match, pairs=1.0)) >= value


def test_nothing_in_common_is_hardly_relevant_and_everything_is() -> None:
    assert relevance(0.0, NOTHING) < 0.1
    assert relevance(0.8, Match(1.0, 1.0, 1.0, frozenset())) > 0.95


@pytest.mark.parametrize(
    ("source", "record", "expected"),
    [
        ("a/b.pdf", None, "a/b.pdf"),
        ("corpus.jsonl#doc", "doc#3", "corpus.jsonl#doc#3"),
        ("corpus.jsonl", "doc#3", "corpus.jsonl#doc#3"),
        ("c#.jsonl#d#1", "d#1#0", "c#.jsonl#d#1#0"),
        ("corpus.jsonl", "7", "corpus.jsonl#7"),
    ],
)
def test_a_record_is_cited_by_its_own_id(source: str, record: str | None, expected: str) -> None:
    assert record_source(source, record) == expected


def test_every_page_is_listed() -> None:
    assert page_list({"first_page": 3, "last_page": 5}) == (3, 4, 5)
    assert page_list({"first_page": None, "last_page": None}) is None


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"prefetch": 0}, {"weight": 1.5}, {"min_relevance": 2}, {"neighbours": -1}]
)
def test_settings_out_of_range_are_named(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(ConfigurationError, match=name):
        SearchSettings(**wrong)  # type: ignore[arg-type]
