"""The pauses between attempts, cut short and noted: what is tried until its end would take seconds."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited before each attempt; a hundredth of them is."""
    noted: list[float] = []

    def brief(seconds: float) -> None:
        noted.append(seconds)
        time.sleep(seconds / 100)

    monkeypatch.setattr("tenacity.nap.time", SimpleNamespace(sleep=brief))
    return noted
