"""The exponent of a cost's growth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.pipelines.benchmark.exponents import fit


@given(
    st.lists(st.integers(1, 10**6), min_size=2, max_size=8, unique=True),
    st.floats(-1, 3),
    st.floats(1e-3, 1e3),
)
def test_a_power_law_gives_its_exponent(sizes: list[int], exponent: float, factor: float) -> None:
    found = fit(sizes, [factor * size**exponent for size in sizes], least=0)
    assert found is not None
    assert found.value == pytest.approx(exponent, abs=1e-6)
    assert (found.points, found.smallest, found.largest) == (len(sizes), min(sizes), max(sizes))


def test_totals_within_the_clock_s_grain_are_left_out() -> None:
    found = fit([10, 1_000, 10_000], [0.02, 1.0, 10.0])
    assert found is not None
    assert (found.points, found.smallest) == (2, 1_000)
    assert found.value == pytest.approx(1)


@pytest.mark.parametrize("totals", [[], [5.0], [0.0, 5.0]])
def test_one_point_has_no_exponent(totals: list[float]) -> None:
    assert fit([100, 1_000][: len(totals)], totals) is None


def test_one_size_measured_twice_has_no_exponent() -> None:
    assert fit([100, 100], [1.0, 2.0]) is None
