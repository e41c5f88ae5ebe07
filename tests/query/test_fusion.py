"""Fusing two scored lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.query.fusion import FIXED, LEAST_TRUST, OWN, dense_weight, fuse, standing_out

lists = st.lists(st.floats(0, 40), min_size=1, max_size=30).map(np.array)


@given(lists, lists)
def test_the_weight_is_a_share_and_never_all_of_it(dense: np.ndarray, sparse: np.ndarray) -> None:
    least, most = (1 - OWN) * FIXED, (1 - OWN) * FIXED + OWN
    assert LEAST_TRUST * least <= dense_weight(np.minimum(dense, 1), sparse) <= most


@given(lists, st.floats(0.1, 50))
def test_standing_out_does_not_depend_on_the_scale(scores: np.ndarray, scale: float) -> None:
    assert 0 <= standing_out(scores) <= 1
    assert standing_out(scores * scale) == pytest.approx(standing_out(scores), abs=1e-6)


def test_the_list_whose_first_stands_out_weighs_more() -> None:
    sharp, flat = np.array([0.9, 0.3, 0.3, 0.3, 0.3]), np.array([0.9, 0.89, 0.88, 0.88, 0.88])
    assert dense_weight(sharp, flat) > dense_weight(sharp, sharp) > dense_weight(flat, sharp)
    assert dense_weight(sharp, sharp) == pytest.approx((1 - OWN) * FIXED + OWN / 2)
    assert dense_weight(sharp[:1], sharp[:1]) == pytest.approx(FIXED)


def test_an_encoder_that_finds_nothing_near_weighs_less() -> None:
    near, sparse = np.array([0.8, 0.5, 0.5]), np.array([9.0, 6.0, 6.0])
    assert dense_weight(near / 4, sparse) < dense_weight(near, sparse)


def test_fused_scores_are_those_of_the_formula() -> None:
    fused = fuse(np.array([0.5, -0.2, 0.25]), np.array([0.0, 8.0, 4.0]), 0.25)
    assert fused == pytest.approx([0.25, 0.75, 0.125 + 0.375])


def test_lists_without_a_positive_score_add_nothing() -> None:
    assert fuse(np.array([-1.0, 0.0]), np.array([0.0, 2.0]), 0.5) == pytest.approx([0.0, 0.5])
    assert standing_out(np.array([])) == standing_out(np.array([3.0])) == 0.0
