"""A shelf of small manuals, built once, and its index opened for all tests of the tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_index import open_small
from small_shelf import build_shelf, write_shelf
from treegraph.query.index import Index


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds ``shelf``, the manuals, and ``index``."""
    folder = tmp_path_factory.mktemp("agents")
    build_shelf(folder / "index", write_shelf(folder / "shelf"))
    return folder


@pytest.fixture(scope="session")
def index(folder: Path) -> Iterator[Index]:
    """The index, open for what only reads."""
    with open_small(folder / "index", follow=True) as opened:
        yield opened
