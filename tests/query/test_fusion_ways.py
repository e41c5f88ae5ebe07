"""The ways of fusing that the default is compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import treegraph
from hypothesis import given
from hypothesis import strategies as st
from treegraph import Config, ConfigurationError
from treegraph.query.fusion import RANK_OFFSET, fuse, reciprocal_ranks
from treegraph.query.settings import SearchSettings

lists = st.lists(st.floats(0, 40), min_size=1, max_size=30).map(np.array)


def test_minmax_spreads_each_list_from_its_least_to_its_greatest() -> None:
    fused = fuse(np.array([0.9, 0.7, 0.8]), np.array([2.0, 6.0, 4.0]), 0.25, "minmax")
    assert fused == pytest.approx([0.25, 0.75, 0.5])


def test_a_list_that_is_all_alike_orders_nothing() -> None:
    alike, order = np.array([0.5, 0.5]), np.array([1.0, 3.0])
    assert fuse(alike, order, 0.5, "minmax") == pytest.approx([0.5, 1.0])
    assert fuse(np.array([0.0, 0.0]), order, 0.5, "minmax") == pytest.approx([0.0, 0.5])


@given(lists, st.floats(0, 1))
def test_every_fused_score_is_between_0_and_1(scores: np.ndarray, weight: float) -> None:
    for by in ("maximum", "minmax"):
        fused = fuse(scores, scores[::-1], weight, by)
        assert fused.min() >= 0
        assert fused.max() <= 1 + 1e-9


def test_reciprocal_ranks_are_those_of_the_paper_scaled_to_1() -> None:
    scores = reciprocal_ranks(["a", "b", "c"], {"b": 1, "a": 40})
    assert scores == pytest.approx([(1 + RANK_OFFSET) / (40 + RANK_OFFSET), 1.0, 0.0])


def test_an_unknown_fusion_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="one of maximum, minmax, rrf"):
        SearchSettings(fusion="best")  # type: ignore[arg-type]


def test_a_search_goes_by_the_way_that_is_configured(tmp_path: Path) -> None:
    """Ranks alone under rrf, one list alone under a weight of 0 or 1."""
    for number in range(8):
        words = " ".join(["pressure"] * (number + 1) + ["of the pump is measured every day"] * (8 - number))
        (tmp_path / f"{number}.md").write_text(f"# Part {number}\n\n{words}\n", "utf-8")
    index = tmp_path / "index"
    treegraph.build_index([tmp_path / "*.md"], index)
    plain = {"phrase_bonus": 0.0, "run_bonus": 0.0, "figure_bonus": 0.0, "heading_bonus": 0.0}

    def ranks(name: str, **search: object) -> list[int | None]:
        config = Config(search=SearchSettings(**plain, neighbour_bonus=0.0, **search))  # type: ignore[arg-type]
        with treegraph.open_index(index, config=config) as opened:
            return [hit.ranks[name] for hit in opened.search("pump pressure", k=8, route="hybrid").hits]

    for by in ("maximum", "minmax", "rrf"):
        assert ranks("dense", fusion=by, weight=1.0) == list(range(1, 9))
        assert ranks("sparse", fusion=by, weight=0.0) == list(range(1, 9))
    sums = [
        1 / (RANK_OFFSET + dense) + 1 / (RANK_OFFSET + sparse)
        for dense, sparse in zip(ranks("dense", fusion="rrf"), ranks("sparse", fusion="rrf"), strict=True)
        if dense is not None and sparse is not None
    ]
    assert sums == sorted(sums, reverse=True)
    assert len(sums) == 8
