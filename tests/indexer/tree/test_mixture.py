"""The paper's shape. Its packages take seconds to import and compile, so the tests are few."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import NoReturn

import numpy as np
import pytest
from leafy import flat, leaves
from treegraph.indexer.errors import ModelUnavailable
from treegraph.indexer.tree.shapes import load_shape
from treegraph.indexer.tree.skeleton import Leaves, Limits, Skeleton
from treegraph.indexer.tree.soundness import cohesion, faults

LIMITS = Limits()


@pytest.fixture
def paper(require_or_skip: Callable[[str, str], NoReturn]) -> None:
    if find_spec("umap") is None or find_spec("sklearn") is None:
        require_or_skip("tree-paper", "the extra tree-paper is not installed")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ModelUnavailable, match=r"treegraph\[tree-paper\]"):
        load_shape("gmm")


@pytest.mark.usefixtures("paper")
@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_few_leaves_need_no_mixture(count: int) -> None:
    held = leaves(flat(count))
    tree = load_shape("gmm").grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []
    assert len(tree.branches) == (count > 1)


@pytest.mark.slow
@pytest.mark.usefixtures("paper")
def test_mixtures_are_sound_whatever_the_order_and_go_on_from_before() -> None:
    pairs = flat(70)
    held = leaves(pairs)
    tree = load_shape("gmm").grow(held, LIMITS)
    assert faults(tree, held, LIMITS) == []
    assert cohesion(tree, held) > 0.8
    order = list(range(70))[::-1]
    turned = Leaves([held.items[at] for at in order], held.vectors[order])
    assert load_shape("gmm").grow(turned, LIMITS) == tree
    assert load_shape("gmm").grow(held, LIMITS, tree) == tree
    fewer = leaves(pairs[5:])
    assert faults(load_shape("gmm").grow(fewer, LIMITS, tree), fewer, LIMITS) == []
    assert load_shape("gmm").grow(leaves([]), LIMITS, tree) == Skeleton()


@pytest.mark.slow
@pytest.mark.usefixtures("paper")
def test_identical_vectors_still_make_a_tree() -> None:
    pairs = flat(52)
    same = leaves((leaf, np.asarray(pairs[0][1])) for leaf, _ in pairs)
    tree = load_shape("gmm").grow(same, LIMITS)
    assert faults(tree, same, LIMITS) == []
