"""What the shapes keep: every leaf covered, one root, the limits, the same tree from the same leaves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from leafy import Pair, beneath, document, flat, leaves, manual
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.tree.shapes import load_shape
from treegraph.indexer.tree.skeleton import Branch, Leaves, Limits, Skeleton
from treegraph.indexer.tree.soundness import cohesion, faults

LIMITS = Limits()
NAMES = ("outline", "leiden")
shapes = pytest.mark.parametrize("name", NAMES)


@shapes
@pytest.mark.parametrize("count", [1, 2, 3, 10, 15, 16, 51, 52, 1000])
def test_a_tree_of_any_size_is_sound(name: str, count: int) -> None:
    held = leaves(flat(count))
    tree = load_shape(name).grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []
    assert (tree.root == held.items[0].id) == (count == 1)
    assert len(tree.branches) <= count


@shapes
def test_nothing_has_no_tree(name: str) -> None:
    empty = Leaves([], np.empty((0, 8), dtype=np.float32))
    assert load_shape(name).grow(empty, LIMITS) == Skeleton()


@shapes
@pytest.mark.parametrize("kind", ["identical", "zero", "duplicates", "opposite"])
def test_vectors_without_a_shape_of_their_own(name: str, kind: str) -> None:
    pairs = flat(300)
    vectors = {
        "identical": lambda at: pairs[0][1],
        "zero": lambda at: np.zeros_like(pairs[0][1]),
        "duplicates": lambda at: pairs[at % 5][1],
        "opposite": lambda at: pairs[0][1] * (-1) ** at,
    }[kind]
    held = leaves((leaf, vectors(at)) for at, (leaf, _) in enumerate(pairs))
    tree = load_shape(name).grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []
    assert len(tree.branches) < 150


@shapes
def test_one_huge_document_and_ten_thousand_tiny_ones(name: str) -> None:
    tiny = [pair for at in range(2000) for pair in document(f"tiny{at}", [("One",)], per=1)]
    held = leaves(tiny + flat(1500, "huge"))
    tree = load_shape(name).grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []


@pytest.mark.slow
@shapes
def test_twenty_thousand_leaves(name: str) -> None:
    pairs = flat(15_000, "huge") + [p for at in range(5_000) for p in document(f"tiny{at}", [()], per=1)]
    held = leaves(pairs)
    tree = load_shape(name).grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []


@shapes
def test_the_order_of_the_leaves_does_not_matter(name: str) -> None:
    held = leaves(manual("a", 9) + manual("b", 5))
    order = list(range(len(held.items)))
    random.Random(5).shuffle(order)
    mixed = Leaves([held.items[at] for at in order], held.vectors[order])
    assert load_shape(name).grow(mixed, LIMITS) == load_shape(name).grow(held, LIMITS)


@shapes
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    script = (
        "import hashlib, sys\n"
        "from leafy import flat, leaves\n"
        "from treegraph.indexer.tree.shapes import load_shape\n"
        "from treegraph.indexer.tree.skeleton import Limits\n"
        "tree = load_shape(sys.argv[1]).grow(leaves(flat(900)), Limits())\n"
        "print(hashlib.sha256(repr(sorted(tree.branches.items())).encode()).hexdigest())\n"
    )
    sums = set()
    for threads in ("1", "2"):
        environment = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), threads)
        environment["PYTHONPATH"] = str(Path(__file__).parents[2] / "support")
        ran = subprocess.run(
            [sys.executable, "-c", script, name], env=environment, capture_output=True, text=True, check=True
        )
        sums.add(ran.stdout)
    assert len(sums) == 1


@shapes
@pytest.mark.parametrize("limits", [Limits(members=2), Limits(tokens=400), Limits(5, 900, 90)])
def test_narrow_limits_are_kept(name: str, limits: Limits) -> None:
    held = leaves(manual("a", 9) + flat(60, "b"))
    tree = load_shape(name).grow(held, limits)
    assert faults(tree, held, limits) == []


@shapes
def test_a_leaf_over_the_limit_stands_alone_and_whole(name: str) -> None:
    pairs = manual("a", 6)
    pairs[7:9] = [(replace(leaf, tokens=9000), vector) for leaf, vector in pairs[7:9]]
    held = leaves(pairs)
    tree = load_shape(name).grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []
    for leaf, _ in pairs[7:9]:
        assert [b.children for b in tree.branches.values() if leaf.id in b.children] == [(leaf.id,)]


@shapes
def test_a_limit_that_no_branch_could_keep_is_refused(name: str) -> None:
    for limits in (Limits(members=1), Limits(tokens=200, summary=120)):
        with pytest.raises(ConfigurationError, match="room for two summaries"):
            load_shape(name).grow(leaves(flat(3)), limits)


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="outline, leiden, gmm"):
        load_shape("oak")


@shapes
def test_ids_are_unique_and_each_says_its_document(name: str) -> None:
    pairs = manual("a", 9) + manual("b", 9)
    tree = load_shape(name).grow(leaves(pairs), LIMITS)
    of = {leaf.id: leaf.document for leaf, _ in pairs}
    for branch in tree.branches.values():
        documents = {of[leaf] for leaf in beneath(tree, branch.id)}
        assert branch.document == (documents.pop() if len(documents) == 1 else None)
    assert not set(of) & set(tree.branches)


def _tree(pairs: list[Pair]) -> tuple[Skeleton, Leaves]:
    held = leaves(pairs)
    return load_shape("outline").grow(held, LIMITS), held


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda b: replace(b, children=b.children[:-1]), "is not beneath the root"),
        (lambda b: replace(b, children=(*b.children, "gone")), "that is not there"),
        (lambda b: replace(b, children=(*b.children, b.id)), "at level"),
        (lambda b: replace(b, children=(*b.children, b.children[0])), "a child twice"),
        (lambda b: replace(b, children=b.children[:1]), "less than two children"),
        (lambda b: replace(b, level=7), "at level 7"),
        (lambda b: replace(b, document="other"), "said to be of document other"),
        (lambda b: replace(b, id="other"), "two ids"),
    ],
)
def test_a_damaged_tree_is_told(damage: object, fault: str) -> None:
    tree, held = _tree(manual("a", 4))
    branch = next(b for b in tree.branches.values() if b.level == 1)
    damaged: Branch = damage(branch)  # type: ignore[operator]
    found = faults(Skeleton({**tree.branches, branch.id: damaged}, tree.root), held, LIMITS)
    assert any(fault in line for line in found)


def test_more_than_the_limits_is_told() -> None:
    tree, held = _tree(manual("a", 4))
    found = faults(tree, held, Limits(members=3, tokens=400))
    assert any("children" in line for line in found)
    assert any("tokens beneath" in line for line in found)
    assert faults(Skeleton(), held, LIMITS) == ["a tree without a root"]
    assert faults(tree, leaves([]), LIMITS) == ["a tree over nothing"]


def test_cohesion_is_what_it_says() -> None:
    pairs = flat(3)
    pairs = [(leaf, vector) for (leaf, _), vector in zip(pairs, np.eye(3, dtype=np.float32), strict=True)]
    tree, held = _tree(pairs)
    assert cohesion(tree, held) == pytest.approx(3**-0.5)
    assert cohesion(Skeleton({}, held.items[0].id), held) == 1.0


def test_clusters_are_closer_than_chance() -> None:
    held = leaves(flat(400))
    tree = load_shape("leiden").grow(held, LIMITS)
    shuffled = Leaves(held.items, held.vectors[np.random.default_rng(1).permutation(len(held.items))])
    assert cohesion(tree, held) > cohesion(tree, shuffled) + 0.15


def test_what_sits_between_two_clusters_has_two_parents_and_few_do() -> None:
    held = leaves(flat(1000))
    tree = load_shape("leiden").grow(held, LIMITS)
    own = {leaf.id for leaf in held.items}
    pairs = sum(child in own for branch in tree.branches.values() for child in branch.children)
    assert 1000 <= pairs <= 1100
    outline = load_shape("outline").grow(held, LIMITS)
    assert sum(child in own for branch in outline.branches.values() for child in branch.children) == 1000
