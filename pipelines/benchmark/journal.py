"""What was measured so far, so that a benchmark that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Journal:
    """Results by name, in one JSON file that is replaced whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: dict[str, Any] = {}
        if path.exists():
            self._results = json.loads(path.read_text("utf-8"))

    def __contains__(self, name: str) -> bool:
        return name in self._results

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._results[name]
        return found

    def keep(self, name: str, result: Mapping[str, Any]) -> None:
        """Write a result down, durably."""
        self._results[name] = result
        written = self._path.with_suffix(".new")
        with written.open("w", encoding="utf-8") as file:
            json.dump(self._results, file)
            file.flush()
            os.fsync(file.fileno())
        written.replace(self._path)
