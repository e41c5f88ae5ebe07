"""Earlier turns of a conversation, out of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...indexer.errors import ConfigurationError


def read_turns(file: Path) -> list[Any]:
    """The turns in ``file``, oldest first: a JSON list of ``[question, answer]`` pairs or of mappings with
    role and content, one such thing a line, or documents of ``ask --json``. Raises ConfigurationError."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--history: {file}: {error}") from error
    try:
        found = [json.loads(text)]
    except ValueError:
        found = [
            _line(file, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    turns: list[Any] = []
    for item in found:
        whole = isinstance(item, list) and not (
            len(item) == 2 and all(isinstance(part, str) for part in item)
        )
        turns += [_turn(each) for each in (item if whole else [item])]
    return turns


def _turn(item: Any) -> Any:
    """A turn as :meth:`Index.ask` takes it."""
    if isinstance(item, dict) and isinstance(item.get("question"), str):
        return item["question"], str(item.get("answer") or "")
    return item


def _line(file: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise ConfigurationError(f"--history: {file}:{number}: not JSON: {error}") from error
