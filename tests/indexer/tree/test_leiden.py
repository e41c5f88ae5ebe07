"""The graph of likeness and what Leiden makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from leafy import direction, flat, leaves
from treegraph.indexer.models.ports import Vectors
from treegraph.indexer.tree.leiden import Leiden
from treegraph.indexer.tree.likeness import edges
from treegraph.indexer.tree.neighbours import cosines, nearest, on_grid


def rows(count: int, seed: int = 0) -> Vectors:
    rng = np.random.default_rng(seed)
    return on_grid(np.array([direction(rng) for _ in range(count)]))


@pytest.mark.parametrize("count", [3, 11, 31, 33, 400, 4096, 4100])
def test_nearest_are_the_nearest(count: int) -> None:
    vectors = rows(count)
    wanted = min(10, count - 1)
    found, near = nearest(vectors, wanted)
    some = np.unique(np.linspace(0, count - 1, 40).astype(int))
    exact = cosines(vectors[some], vectors)
    exact[np.arange(len(some)), some] = -2
    best = -np.sort(-exact, axis=1)[:, :wanted]
    assert np.array_equal(near[some], best)
    assert np.array_equal(np.take_along_axis(exact, found[some], axis=1), best)


def test_the_grid_keeps_cosines_and_zeros() -> None:
    pairs = leaves(flat(200)).vectors
    exact = pairs @ pairs.T
    assert np.abs(cosines(on_grid(pairs), on_grid(3 * pairs)) - exact).max() < 1e-3
    assert not on_grid(np.zeros((2, 8), dtype=np.float32)).any()


def test_a_sum_on_the_grid_is_exact_in_any_order() -> None:
    wide = on_grid(np.random.default_rng(2).normal(size=(2, 3000)).astype(np.float32))
    order = np.random.default_rng(3).permutation(3000)
    whole = int((wide[0].astype(np.int64) * wide[0].astype(np.int64)).sum())
    assert whole < 2**24
    assert np.dot(wide[0], wide[1]) == np.dot(wide[0][order], wide[1][order])


def test_edges_are_sorted_single_and_positive() -> None:
    found = edges(rows(300), 0.0)
    ends = [(a, b) for a, b, _ in found]
    assert ends == sorted(set(ends))
    assert all(a < b and weight > 0 for a, b, weight in found)


def test_reading_order_adds_to_what_is_next() -> None:
    vectors = rows(50)
    plain = {(a, b): weight for a, b, weight in edges(vectors, 0.0)}
    read = {(a, b): weight for a, b, weight in edges(vectors, 2.0)}
    for at in range(49):
        assert read[at, at + 1] == pytest.approx(plain.get((at, at + 1), 0.0) + 2.0)
    assert len(read) == len(set(plain) | {(at, at + 1) for at in range(49)})


def test_repeats_hang_on_the_first_in_a_chain() -> None:
    vectors = rows(40)
    vectors[[7, 20, 33]] = vectors[2]
    ends = {(a, b) for a, b, _ in edges(vectors, 0.0)}
    assert {(2, 7), (7, 20), (20, 33)} <= ends
    assert not [pair for pair in ends if 33 in pair and pair != (20, 33)]


def test_groups_are_of_one_kind_and_cover_everything() -> None:
    rng = np.random.default_rng(4)
    centres = [direction(rng) for _ in range(8)]
    vectors = on_grid(np.array([direction(rng, centres[at % 8], 0.2) for at in range(96)]))
    groups = Leiden().partition(vectors, 15)
    assert sorted(at for group in groups for at in group) == list(range(96))
    assert all(len(group) <= 15 and len({at % 8 for at in group}) == 1 for group in groups)
    assert Leiden().partition(vectors[:1], 15) == [[0]]
