"""What every test may use. ``tests/support`` is on the path of every test: several files share it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn, Protocol

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

pytest_plugins = ("small_llm", "real_neo4j", "pauses", "spread")

_IN_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30
"""Bytes that must be free there: more than three times what was seen lying there at once."""


def pytest_configure() -> None:
    """Have the tests' folders in memory, where there is room: the suite makes hundreds of indexes, and waits
    for a disk at each generation of each. ``PYTEST_DEBUG_TEMPROOT`` or ``--basetemp`` names another place.
    """
    if _IN_MEMORY.is_dir() and os.access(_IN_MEMORY, os.W_OK | os.X_OK):
        free = min(shutil.disk_usage(_IN_MEMORY).free, psutil.virtual_memory().available)
        if free >= _ROOM:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))


class RequireOrSkip(Protocol):
    """Ends a test whose tool is missing here."""

    def __call__(self, name: str, reason: str) -> NoReturn:
        """Skip with ``reason``; fail where ``name`` must be there."""
        ...


@pytest.fixture(scope="session")
def require_or_skip() -> RequireOrSkip:
    """``require_or_skip("qdrant", "TREEGRAPH_TEST_QDRANT_URL names no server")`` skips the test.

    It fails instead when ``TREEGRAPH_REQUIRE`` (names with commas between) holds the name: whoever
    started that server wants to know that it was not tested.
    """

    def end(name: str, reason: str) -> NoReturn:
        required = {word.strip() for word in os.environ.get("TREEGRAPH_REQUIRE", "").split(",")}
        if name in required:
            pytest.fail(f"{name} is required (TREEGRAPH_REQUIRE) and was not tested: {reason}")
        pytest.skip(reason)

    return end
