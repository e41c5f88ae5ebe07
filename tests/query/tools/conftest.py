"""The station's index, built once and opened for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_index import open_small
from small_station import build_station
from treegraph.query.index import Index


@pytest.fixture(scope="session")
def station_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_station(tmp_path_factory.mktemp("station"))


@pytest.fixture(scope="session")
def station(station_path: Path) -> Iterator[Index]:
    with open_small(station_path) as index:
        yield index
