"""What places are worth, and what is chosen by it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.types import NodeShape
from treegraph.query.tree_choice import choose
from treegraph.query.tree_map import TreeMap
from treegraph.query.tree_settings import TreeReadSettings
from treegraph.query.tree_worth import worth

FAMILIAR, BARE_TERM = 0.8, 0.2


def book(sections: int = 20, size: int = 10, tokens: int = 100) -> TreeMap:
    """One document: sections of ``size`` chunks, five of them to a chapter, all below one root."""
    names = [[f"{section}.{chunk}" for chunk in range(size)] for section in range(sections)]
    shapes = [
        NodeShape(f"s{number}", 1, tuple(chunks), tokens, f"S{number}", ("d",))
        for number, chunks in enumerate(names)
    ]
    chapters = [tuple(f"s{n}" for n in range(at, min(at + 5, sections))) for at in range(0, sections, 5)]
    shapes += [NodeShape(f"c{at}", 2, held, tokens, f"C{at}", ("d",)) for at, held in enumerate(chapters)]
    shapes.append(NodeShape("root", 3, tuple(f"c{at}" for at in range(len(chapters))), tokens, "R", ("d",)))
    return TreeMap(shapes, order=[(chunk, "d") for chunks in names for chunk in chunks])


def chosen(
    tree: TreeMap, scores: Mapping[str, float], familiarity: float = FAMILIAR, **options: float
) -> list[list[str]]:
    settings = TreeReadSettings(**options)  # type: ignore[arg-type]
    ranked = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    found = worth(tree, ranked, familiarity, settings)
    return choose(tree, found, dict.fromkeys(ranked, 150), frozenset(tree.nodes), settings, 40)


def test_worth_spreads_within_a_document_and_only_for_a_familiar_question() -> None:
    shapes = [NodeShape("n", 1, tuple("abcd"), 10, "", ("x", "y"))]
    tree = TreeMap(shapes, order=[("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")])
    settings = TreeReadSettings(width=4.0)
    found = worth(tree, {"b": 1.0}, FAMILIAR, settings)
    assert found.own.tolist() == [0, 1, 0, 0]
    assert found.spread[0] > 0
    assert found.spread[2:].tolist() == [0, 0]
    assert worth(tree, {"b": 1.0}, BARE_TERM, settings).spread.tolist() == [0, 1, 0, 0]


@given(st.lists(st.integers(0, 199), min_size=1, max_size=40, unique=True), st.floats(0.5, 30))
def test_spreading_moves_worth_and_makes_none(places: list[int], width: float) -> None:
    tree = book()
    scores = {tree.leaf(place): 1 / (1 + rank) for rank, place in enumerate(places)}
    found = worth(tree, scores, FAMILIAR, TreeReadSettings(around=1.0, width=width))
    assert found.spread.sum() <= found.own.sum() * (1 + 1e-9)
    assert found.spread.min() >= 0
    assert found.spread.max() <= found.own.max()


def test_a_section_that_is_about_the_question_is_chosen_whole_and_nothing_above_it() -> None:
    scores = {f"7.{chunk}": 1 - chunk / 40 for chunk in range(10)} | {"15.2": 0.2, "1.1": 0.2}
    first = chosen(book(), scores)[0]
    assert "s7" in first
    assert {"root", "c1"}.isdisjoint(first)
    assert {pick for pick in first if "." in pick} <= {f"7.{chunk}" for chunk in range(10)}


def test_scattered_chunks_of_a_bare_term_are_chosen_one_by_one() -> None:
    scores = {f"{section}.4": 1.0 - section / 100 for section in range(0, 20, 3)}
    first = chosen(book(), scores, BARE_TERM)[0]
    assert set(first) == set(scores)


def test_a_summary_that_takes_no_less_than_its_one_chunk_is_not_worth_it() -> None:
    shapes = [NodeShape("n", 1, ("a",), 150, "", ("x",)), NodeShape("r", 2, ("n", "b"), 150, "", ("x",))]
    tree = TreeMap(shapes, order=[("a", "x"), ("b", "x")])
    assert chosen(tree, {"a": 1.0, "b": 0.01}, lead=0)[0][0] == "a"


def test_more_text_comes_from_the_places_that_are_covered() -> None:
    """Once a section is chosen its chunks say more of it; chunks far off that are no better do not."""
    scores = {f"7.{chunk}": 0.9 for chunk in range(10)} | {f"{s}.0": 0.5 for s in (0, 3, 12, 16, 18)}
    first = chosen(book(), scores, lead=0)[0]
    inside = [pick for pick in first if pick.startswith("7.")]
    assert first[0] == "s7"
    assert len(inside) == len(first) - 1


@given(
    st.dictionaries(st.integers(0, 199), st.floats(0.01, 2.0), min_size=1, max_size=60),
    st.integers(100, 3000),
    st.integers(0, 8),
    st.sampled_from([FAMILIAR, BARE_TERM]),
)
def test_budgets_are_kept_and_nothing_is_chosen_twice(
    found: dict[int, float], budget: int, lead: int, familiarity: float
) -> None:
    tree = book()
    scores = {tree.leaf(place): score for place, score in found.items()}
    budgets = chosen(tree, scores, familiarity, budget=budget, lead=lead)
    picks = [pick for held in budgets for pick in held]
    assert len(picks) == len(set(picks))
    best = sorted(scores, key=lambda leaf: (-scores[leaf], leaf))[:lead]
    if budgets:
        assert budgets[0][: len(best)] == best
    for number, held in enumerate(budgets):
        tokens = sum(100 if pick in tree else 150 for pick in held)
        forced = len(best) if number == 0 else 0
        assert tokens <= budget or len(held) == max(1, forced)
    assert budgets == chosen(tree, dict(reversed(scores.items())), familiarity, budget=budget, lead=lead)


def test_only_readable_nodes_are_chosen() -> None:
    tree = book()
    scores = {f"7.{chunk}": 1.0 for chunk in range(10)}
    settings = TreeReadSettings()
    found = worth(tree, scores, FAMILIAR, settings)
    budgets = choose(tree, found, dict.fromkeys(scores, 150), {"c1"}, settings, 40)
    assert {pick for held in budgets for pick in held if pick in tree} <= {"c1"}


def test_chunks_of_which_the_tree_knows_nothing_leave_nothing_to_choose() -> None:
    assert chosen(book(), {"elsewhere": 1.0}) == []
    assert np.all(worth(book(), {}, 0.0, TreeReadSettings()).spread == 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"read": "sideways"}, {"candidates": 0}, {"power": 0.0}, {"around": 1.5}, {"width": 0.0},
        {"admission": -0.1}, {"fidelity": 2.0}, {"detail": -1.0}, {"lead": -1}, {"evenness": 0.0},
        {"budget": 0}, {"beam": 0}, {"citations": 0},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=f"tree_read.{next(iter(wrong))} "):
        TreeReadSettings(**wrong)  # type: ignore[arg-type]
