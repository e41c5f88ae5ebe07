"""Which worker runs which tests: a file to a worker, and all files that share the real Neo4j to one of them.

Its start, and the first plan that it makes of each query, cost as much as dozens of tests.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parents[2]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Take the place of ``--dist loadfile`` alone."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByServerOrFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "the real Neo4j" if _shares_neo4j(file) else file

    return ByServerOrFile(config, log)


@cache
def _shares_neo4j(file: str) -> bool:
    return "real_neo4j: RealNeo4j" in (ROOT / file).read_text("utf-8")
