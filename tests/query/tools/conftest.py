"""Small indexes, each built once and open for all tests of the tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_index import open_small
from small_shelf import build_shelf, write_shelf
from small_station import build_station
from treegraph.query.index import Index


@pytest.fixture(scope="session")
def station_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_station(tmp_path_factory.mktemp("station"))


@pytest.fixture(scope="session")
def station(station_path: Path) -> Iterator[Index]:
    with open_small(station_path) as index:
        yield index


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds ``shelf``, the manuals, and ``index``."""
    folder = tmp_path_factory.mktemp("agents")
    build_shelf(folder / "index", write_shelf(folder / "shelf"))
    return folder


@pytest.fixture(scope="session")
def index(folder: Path) -> Iterator[Index]:
    """The index of the shelf, open for what only reads."""
    with open_small(folder / "index", follow=True) as opened:
        yield opened
