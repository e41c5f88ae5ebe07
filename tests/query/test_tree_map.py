"""The tree in memory: places, what is beneath, what a reader may see."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.types import NodeShape
from treegraph.query.access import Access
from treegraph.query.tree_map import TreeMap


def node(name: str, level: int, *children: str, documents: tuple[str, ...] = ("a",)) -> NodeShape:
    return NodeShape(name, level, children, 10, name.upper(), documents)


@st.composite
def trees(draw: st.DrawFn) -> list[NodeShape]:
    """Levels of nodes over up to 30 leaves; some children have two parents."""
    below = [f"leaf{n}" for n in range(draw(st.integers(1, 30)))]
    shapes: list[NodeShape] = []
    level = 0
    while len(below) > 1 or not level:
        level += 1
        size = draw(st.integers(2, 6))
        groups = [below[at : at + size] for at in range(0, len(below), size)]
        names = [f"n{level}.{number}" for number in range(len(groups))]
        for name, group in zip(names, groups, strict=True):
            extra = draw(st.lists(st.sampled_from(below), max_size=2))
            shapes.append(node(name, level, *dict.fromkeys([*group, *extra])))
        below = names
    return draw(st.permutations(shapes))


def naive_leaves(shapes: list[NodeShape], name: str) -> set[str]:
    known = {shape.id: shape for shape in shapes}
    if name not in known:
        return {name}
    return set().union(*(naive_leaves(shapes, child) for child in known[name].children))


@given(trees())
def test_what_is_beneath_and_above_agrees_with_the_shapes(shapes: list[NodeShape]) -> None:
    tree = TreeMap(shapes)
    leaves = [tree.leaf(place) for place in range(tree.leaf_count)]
    assert [tree.place(leaf) for leaf in leaves] == list(range(len(leaves)))
    values = np.arange(len(leaves), dtype=np.float64) + 1
    sums = dict(zip(tree.nodes, tree.sums(values), strict=True))
    sizes = dict(zip(tree.nodes, tree.sizes, strict=True))
    for name in tree.nodes:
        expected = naive_leaves(shapes, name)
        beneath = tree.beneath(name)
        assert list(beneath) == sorted({tree.place(leaf) for leaf in expected})
        assert sizes[name] == len(expected)
        assert sums[name] == pytest.approx(sum(values[place] for place in beneath))
    for leaf in leaves:
        way = [*tree.descent(leaf), leaf]
        assert way[0] in tree.roots
        assert all(below in tree.nodes[above].children for above, below in pairwise(way))


def test_places_follow_the_order_of_reading_where_it_is_known() -> None:
    shapes = [node("odd", 1, "1", "3"), node("even", 1, "0", "2"), node("root", 2, "odd", "even")]
    descending = TreeMap(shapes)
    assert [descending.leaf(place) for place in range(4)] == ["1", "3", "0", "2"]
    reading = TreeMap(shapes, order=[("0", "a"), ("1", "a"), ("new", "a"), ("2", "b"), ("3", "b")])
    assert [reading.leaf(place) for place in range(5)] == ["0", "1", "new", "2", "3"]
    assert reading.stretches.tolist() == [0, 0, 0, 1, 1]
    assert list(reading.beneath("even")) == [0, 3]


def test_without_an_order_the_stretches_are_documents_or_else_siblings() -> None:
    shapes = [
        node("a1", 1, "0", "1"),
        node("a", 2, "a1", "2"),
        node("mixed", 1, "3", "4", documents=("b", "c")),
        node("root", 3, "a", "mixed", documents=("a", "b", "c")),
    ]
    stretches = TreeMap(shapes).stretches
    place = TreeMap(shapes).place
    assert len({int(stretches[place(leaf)]) for leaf in "012"}) == 1  # type: ignore[index]
    assert len({int(stretches[place(leaf)]) for leaf in "234"}) == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("access", "seen"),
    [
        (Access(), {"one", "two", "both"}),
        (Access(classes=("public",)), {"one"}),
        (Access(classes=("public", "staff")), {"one", "two", "both"}),
        (Access(classes=()), set()),
        (Access(documents=("b",)), {"two"}),
        (Access(not_documents=("b",)), {"one"}),
        (Access(classes=("public",), documents=("b",)), set()),
        (Access(documents=("a", "b", "gone")), {"one", "two", "both"}),
    ],
)
def test_a_node_is_readable_by_who_may_read_all_beneath(access: Access, seen: set[str]) -> None:
    shapes = [
        node("one", 1, "0"),
        node("two", 1, "1", documents=("b",)),
        node("both", 2, "one", "two", documents=("a", "b")),
    ]
    tree = TreeMap(shapes, {"a": "public", "b": "staff"})
    assert tree.readable(access) == seen
    assert tree.readable(access) is tree.readable(access)


def test_a_document_that_the_catalogue_does_not_know_is_nobodys_but_the_owners() -> None:
    tree = TreeMap([node("n", 1, "0", documents=("lost",))], {"a": "public"})
    assert tree.readable(Access(classes=("public",))) == set()
    assert tree.readable(Access(not_documents=("a",))) == set()
    assert tree.readable(Access()) == {"n"}


def test_an_empty_tree_has_nothing() -> None:
    tree = TreeMap([], order=[("0", "a")])
    assert tree.leaf_count == 1
    assert tree.roots == []
    assert len(tree.sums(np.ones(1))) == 0
    assert tree.descent("0") == []
