"""Facts that are counted over members."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.models.tokenizer import PlainTokenizer
from treegraph.indexer.tree.facts import Member, facts

COUNT = PlainTokenizer().count


def members(*titles: str) -> list[Member]:
    return [Member(f"id-{n}", title) for n, title in enumerate(titles)]


def test_sections_are_counted_and_listed_with_their_ids() -> None:
    (fact,) = facts(members("Safety", "Installing\n the pump", "Relays"), "en", 60, COUNT)
    assert fact.text == "3 sections: Safety; Installing the pump; Relays"
    assert fact.members == ("id-0", "id-1", "id-2")


@pytest.mark.parametrize(
    ("language", "begin"),
    [("de", "2 Abschnitte: "), ("zh", "2 节: "), ("ja", "2 節: "), (None, "2 sections: ")],
)
def test_in_the_language_of_the_summary(language: str | None, begin: str) -> None:
    assert facts(members("A", "B"), language, 60, COUNT)[0].text.startswith(begin)


def test_members_without_a_title_are_not_counted() -> None:
    assert facts(members("", "Only one", "  "), "en", 60, COUNT) == []
    assert facts(members("", "One", "Two"), "en", 60, COUNT)[0].members == ("id-1", "id-2")


@given(st.lists(st.text("ab c", max_size=12), max_size=12), st.integers(0, 30))
def test_the_number_is_that_of_all_however_many_titles_fit(titles: list[str], tokens: int) -> None:
    titled = [title for title in titles if title.strip()]
    for fact in facts(members(*titles), "en", tokens, COUNT):
        assert COUNT(fact.text) <= tokens
        assert fact.text.startswith(f"{len(titled)} sections")
        assert len(fact.members) == len(titled)
        listed = fact.text.partition(": ")[2].split("; ") if ": " in fact.text else []
        assert len(listed) == len(titled) or listed[-1:] in ([], ["…"])
