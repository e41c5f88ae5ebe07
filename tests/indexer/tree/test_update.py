"""Updates: only the paths above a change move, and many edits later the tree is as good as a new one."""

from __future__ import annotations

import random
import uuid
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leafy import Pair, beneath, direction, flat, leaves, manual
from treegraph.indexer.tree.shapes import load_shape
from treegraph.indexer.tree.skeleton import Limits, Skeleton
from treegraph.indexer.tree.soundness import cohesion, faults

LIMITS = Limits()
shapes = pytest.mark.parametrize("name", ["outline", "leiden"])


def grown(name: str, pairs: list[Pair], before: Skeleton | None = None, limits: Limits = LIMITS) -> Skeleton:
    held = leaves(pairs)
    tree = load_shape(name).grow(held, limits, before)
    assert faults(tree, held, limits) == []
    return tree


def above(tree: Skeleton, ids: set[str]) -> set[str]:
    """The branches with any of these leaves beneath."""
    return {key for key in tree.branches if beneath(tree, key) & ids}


def edited(pairs: list[Pair], at: int) -> list[Pair]:
    """The pairs with another text in one of them: another id and nearly the same vector."""
    leaf, vector = pairs[at]
    new = replace(leaf, id=str(uuid.uuid5(uuid.NAMESPACE_OID, leaf.id)))
    return [*pairs[:at], (new, direction(np.random.default_rng(at), vector, 0.2)), *pairs[at + 1 :]]


@shapes
@pytest.mark.parametrize("count", [1, 2, 15, 16, 400])
def test_without_a_change_every_branch_is_the_same_object(name: str, count: int) -> None:
    pairs = (manual("a", 12) + flat(160, "b"))[:count]
    before = grown(name, pairs)
    tree = grown(name, pairs, before)
    assert tree == before
    assert all(tree.branches[key] is branch for key, branch in before.branches.items())


@shapes
def test_an_edit_touches_only_the_paths_above_it(name: str) -> None:
    pairs = manual("a", 25) + manual("b", 25) + flat(100, "c")
    before = grown(name, pairs)
    for at in (0, 40, 333, len(pairs) - 1):
        after = edited(pairs, at)
        tree = grown(name, after, before)
        touched = {key for key, branch in tree.branches.items() if before.branches.get(key) is not branch}
        beside = {c for b in before.branches.values() if pairs[at][0].id in b.children for c in b.children}
        assert touched <= above(tree, {after[at][0].id} | beside) | above(before, beside)
        assert 0 < len(touched) < 0.1 * len(tree.branches)
        assert tree.root == before.root


@shapes
def test_a_new_document_joins_and_the_rest_stays(name: str) -> None:
    pairs = manual("a", 25) + flat(200, "b")
    before = grown(name, pairs)
    new = flat(70, "new", seed=4)
    tree = grown(name, pairs + new, before)
    kept = sum(tree.branches.get(key) is branch for key, branch in before.branches.items())
    assert kept > 0.75 * len(before.branches)
    founded = [key for key in tree.branches if beneath(tree, key) <= {leaf.id for leaf, _ in new}]
    assert len(founded) >= 5
    assert grown(name, pairs, tree).root == tree.root


@shapes
def test_removing_everything_leaves_nothing_and_all_but_one_that_one(name: str) -> None:
    pairs = manual("a", 6)
    before = grown(name, pairs)
    assert grown(name, [], before) == Skeleton()
    assert grown(name, pairs[4:5], before) == Skeleton({}, pairs[4][0].id)
    assert grown(name, pairs[4:6], before).root is not None


@shapes
def test_a_tree_grows_from_nothing_and_one(name: str) -> None:
    pairs = flat(40)
    tree = Skeleton()
    for count in (1, 2, 3, 16, 17, 40):
        tree = grown(name, pairs[:count], tree)
    assert cohesion(tree, leaves(pairs)) > 0.9 * cohesion(grown(name, pairs), leaves(pairs))


@shapes
def test_narrower_limits_are_kept_by_an_update(name: str) -> None:
    pairs = manual("a", 9) + flat(90, "b")
    before = grown(name, pairs)
    narrow = Limits(members=6, tokens=700)
    tree = grown(name, pairs, before, narrow)
    assert grown(name, pairs, tree, narrow) == tree


@shapes
def test_two_documents_become_one_and_two_again(name: str) -> None:
    one, two = manual("a", 5), manual("b", 5)
    tree = grown(name, one + two)
    tree = grown(name, one, tree)
    assert {branch.document for branch in tree.branches.values()} == {"a"}
    assert grown(name, one + two, tree).root is not None


def _edit(pairs: list[Pair], rng: random.Random, count: int) -> list[Pair]:
    """One random edit: a chunk changed, some removed, some added beside another, a document gone or new."""
    kinds = ["change", "remove", "add", "drop", "document"]
    kind = rng.choices(kinds, weights=[6, 3, 4, 1, 2])[0]
    at = rng.randrange(len(pairs))
    near = np.random.default_rng(count)
    if kind == "change":
        return edited(pairs, at)
    if kind == "remove":
        return [pair for other, pair in enumerate(pairs) if not at <= other < at + 3] or pairs
    if kind == "add":
        leaf, vector = pairs[at]
        return pairs + [
            (replace(leaf, id=str(uuid.UUID(int=rng.getrandbits(128)))), direction(near, vector))
            for _ in range(rng.randint(1, 3))
        ]
    if kind == "drop" and len({leaf.document for leaf, _ in pairs}) > 6:
        return [pair for pair in pairs if pair[0].document != pairs[at][0].document]
    return pairs + manual(f"new{count}", rng.randint(1, 4), seed=count, per=3)


@shapes
def test_after_200_random_edits_the_tree_is_sound_and_nearly_as_good_as_a_new_one(name: str) -> None:
    rng = random.Random(11)
    pairs = manual("a", 10) + manual("b", 6) + flat(80, "c") + manual("d", 4)
    tree = grown(name, pairs)
    for count in range(200):
        pairs = _edit(pairs, rng, count)
        tree = grown(name, pairs, tree)
    held = leaves(pairs)
    assert len(pairs) > 300
    assert cohesion(tree, held) >= 0.95 * cohesion(grown(name, pairs), held)


@shapes
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 60), edits=st.integers(1, 8))
def test_any_edits_leave_a_sound_tree(name: str, seed: int, size: int, edits: int) -> None:
    rng = random.Random(seed)
    limits = Limits(rng.randint(2, 8), rng.randint(300, 1200), 100)
    pairs = (manual("a", 3, per=rng.randint(1, 9)) + flat(30, "b"))[:size]
    tree = grown(name, pairs, None, limits)
    for count in range(edits):
        pairs = _edit(pairs, rng, count)
        tree = grown(name, pairs, tree, limits)
    assert grown(name, pairs, tree, limits) == tree
