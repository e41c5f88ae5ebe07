"""Builds under caps on paid work: what a cap leaves out is told, made later, and nothing is paid for twice."""

from __future__ import annotations

from pathlib import Path

import pytest
import treegraph
from index_content import published_content
from paid_server import PaidServer, by_model
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plant(tmp_path_factory.mktemp("paid") / "plant", 1, 2, 3)


@pytest.fixture(scope="module")
def whole(plant: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """An index that was built at once, and how many calls that took."""
    index = tmp_path_factory.mktemp("whole") / "index"
    with PaidServer() as server:
        report = build(index, plant, config=by_model(server, PLANT), index_id=INDEX_ID)
    assert (report.degraded, report.owed) == ({}, {})
    print(server.calls, report.tokens)
    return index, server.total


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.8, 0.95])
def test_a_later_build_makes_just_what_the_cap_left_out(
    share: float, plant: Path, whole: tuple[Path, int], tmp_path: Path
) -> None:
    index, (reference, calls) = tmp_path / "index", whole
    with PaidServer() as server:
        config = by_model(server, PLANT)
        first = build(index, plant, config=config, index_id=INDEX_ID, max_calls=int(share * calls))
        print(first.degraded, first.owed)
        assert server.total == int(share * calls)
        assert first.generation == 1
        assert first.owed == treegraph.status(index)["owed"] != {}
        none = build(index, plant, config=config, max_calls=0)
        assert (none.generation, none.owed, none.degraded) == (None, first.owed, {})
        second = build(index, plant, config=config, max_calls=calls)
        assert server.total == calls
        assert (second.owed, second.degraded) == ({}, {})
        assert build(index, plant, config=config).generation is None
    assert published_content(index) == published_content(reference)
