"""The index over the mill's papers, built once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_mill import build_mill, open_mill, write_mill
from treegraph.query.index import Index


@pytest.fixture(scope="session")
def mill_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("mill")
    return build_mill(home / "index", write_mill(home / "mill"))


@pytest.fixture
def mill(mill_path: Path) -> Iterator[Index]:
    with open_mill(mill_path) as index:
        yield index
