"""What is counted over branches: sections and documents, by code, with the members that were counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.tree.facts import Facts
from treegraph.indexer.tree.skeleton import Branch, Leaf
from treegraph.indexer.tree.stretches import joined
from treegraph.indexer.types import Document, Fact

Path = tuple[str, ...]


def leaves(*paths: Path, document: str = "d") -> list[Leaf]:
    return [Leaf(f"{document}{at}", document, at, path, 10) for at, path in enumerate(paths)]


def counting(items: Sequence[Leaf], **titles: str) -> Facts:
    names = {leaf.document for leaf in items}
    return Facts(items, {name: Document(name, f"m/{name}.md", titles.get(name, name)) for name in names})


def only(found: tuple[Fact, ...]) -> Fact:
    (fact,) = found
    return fact


BOOK = leaves(("A", "A1"), ("A", "A1"), ("A", "A2"), ("B",), ("B", "B1"), ("C",))


def test_sections_are_counted_where_they_stand_whole_and_told_by_their_nodes_or_first_chunks() -> None:
    facts = counting(BOOK)
    assert facts.of(Branch("A1", ("d0", "d1"), 1), ["d"], "en") == ()
    chapter = only(facts.of(Branch("A", ("A1", "d2"), 2), ["d"], "en"))
    assert chapter == Fact("sections", "2 sections: A1; A2", ("A1", "d2"))
    assert facts.of(Branch("B", ("d3", "d4"), 2), ["d"], "en") == (), "one section is no list"
    whole = only(facts.of(Branch("book", ("A", "B", "d5"), 3), ["d"], "en"))
    assert whole == Fact("sections", "3 sections: A; B; C", ("A", "B", "d5"))


def test_a_cluster_counts_what_it_holds_and_no_part_of_a_section() -> None:
    facts = counting(BOOK)
    assert only(facts.of(Branch("x", ("d2", "d0", "d1", "d3", "d5"), 1), ["d"], "en")).members == ("d0", "d5")
    assert facts.of(Branch("y", ("d1", "d2", "d3"), 1), ["d"], "en") == ()
    assert only(facts.of(Branch("z", ("y", "d4", "d5"), 2), ["d"], "en")).members == ("d3", "d5")


def test_a_title_that_comes_twice_is_two_sections_and_one_without_words_is_none() -> None:
    items = leaves(("Notes",), ("Log",), ("Notes",), (" ",))
    fact = only(counting(items).of(Branch("n", tuple(leaf.id for leaf in items), 1), ["d"], "en"))
    assert fact == Fact("sections", "3 sections: Notes; Log; Notes", ("d0", "d1", "d2"))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "2 Abschnitte: A1; A2"),
        ("de-AT", "2 Abschnitte: A1; A2"),
        ("ja", "2 節: A1; A2"),
        ("zh", "2 节: A1; A2"),
        ("ru", "разделы (2): A1; A2"),
        ("xx", "2 sections: A1; A2"),
        (None, "2 sections: A1; A2"),
    ],
)
def test_facts_speak_the_language_of_the_branch(language: str | None, text: str) -> None:
    assert only(counting(BOOK).of(Branch("A", ("d0", "d1", "d2"), 1), ["d"], language)).text == text


def test_documents_are_counted_by_title_or_source_and_branches_over_several_count_no_sections() -> None:
    items = [*leaves(("A",), ("B",), document="y"), *leaves(("C",), ("D",), document="z")]
    facts = counting(items, y="Pumps", z="")
    fact = only(facts.of(Branch("top", ("y0", "y1", "z0", "z1"), 1), ["y", "z"], "en"))
    assert fact == Fact("documents", "2 documents: Pumps; m/z.md", ("y", "z"))


def test_a_long_list_is_cut_in_the_text_and_never_in_the_count() -> None:
    items = leaves(*((f"Section\n number {n}",) for n in range(400)))
    fact = only(counting(items).of(Branch("all", tuple(leaf.id for leaf in items), 1), ["d"], "en"))
    assert fact.members == tuple(leaf.id for leaf in items)
    assert fact.text.startswith("400 sections: Section number 0; Section number 1; ")
    assert fact.text.endswith("; …")
    assert len(fact.text) < 500
    long = leaves(("x" * 5000,), ("y",))
    assert only(counting(long).of(Branch("n", ("d0", "d1"), 1), ["d"], "en")).text == "2 sections"


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), max_size=12))
def test_ranges_join_to_the_same_places_with_gaps_between(spans: list[tuple[int, int]]) -> None:
    ranges = [(start, start + length) for start, length in spans]
    found = joined(ranges)
    assert {p for a, b in found for p in range(a, b)} == {p for a, b in ranges for p in range(a, b)}
    assert all(a[1] < b[0] for a, b in pairwise(found))


PATHS = st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(tuple), min_size=1, max_size=12)


@given(PATHS, st.data())
def test_what_is_counted_is_what_lies_whole_in_a_branch(paths: list[Path], data: st.DataObject) -> None:
    items = leaves(*paths)
    chosen = data.draw(st.sets(st.sampled_from(range(len(items))), min_size=1))
    found = counting(items).of(Branch("n", tuple(items[at].id for at in sorted(chosen)), 1), ["d"], "en")
    expected = _by_hand(paths, chosen)
    assert [fact.members for fact in found] == ([tuple(f"d{at}" for at in expected)] * (len(expected) > 1))


def _by_hand(paths: list[Path], chosen: set[int]) -> list[int]:
    """The first places of the sections directly in the deepest one around ``chosen`` that lie in it."""
    depth, around = 0, set(range(len(paths)))
    while whole := [run for run in _runs(paths, around, depth + 1) if chosen <= run]:
        depth, around = depth + 1, whole[0]
    return sorted(min(run) for run in _runs(paths, around, depth + 1) if run <= chosen)


def _runs(paths: list[Path], around: set[int], depth: int) -> list[set[int]]:
    runs: list[set[int]] = []
    for at in sorted(around):
        if len(paths[at]) < depth:
            continue
        if runs and at - 1 in runs[-1] and paths[at - 1][:depth] == paths[at][:depth]:
            runs[-1].add(at)
        else:
            runs.append({at})
    return runs
