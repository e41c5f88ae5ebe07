"""The lines of a set's files, and what is wrong with them: every fault with its file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ....indexer.errors import BadSet
from ....indexer.sources_names import escape_name

_SHOWN = 5


class Line(NamedTuple):
    """A JSON object and where it stands; ``number`` is 1-based."""

    path: Path
    number: int
    value: dict[str, Any]


class Faults:
    """What is wrong with a set, gathered so that one run names it all."""

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._count = 0

    def add(self, path: Path, number: int, message: str) -> None:
        """Keep a fault of one line."""
        self._count += 1
        if self._count <= _SHOWN:
            self._shown.append(f"{escape_name(str(path))}:{number}: {message}")

    def check(self) -> None:
        """Raise BadSet with the first faults and their count, if there is any."""
        if not self._count:
            return
        more = self._count - len(self._shown)
        rest = [f"and {more} more"] if more else []
        first = f"{self._count} faults in the set:\n" if self._count > 1 else ""
        raise BadSet(first + "\n".join([*self._shown, *rest]))


def text_lines(path: Path, faults: Faults) -> Iterator[tuple[int, str]]:
    """The lines with something on them, each with its 1-based number.

    Raises BadSet where the file is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                data = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not data.strip():
                    continue
                try:
                    yield number, data.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    faults.add(path, number, f"is not UTF-8 at byte {error.start}")
    except FileNotFoundError as error:
        raise BadSet(f"{escape_name(str(path))}: there is no such file; the set needs it") from error
    except OSError as error:
        raise BadSet(f"{escape_name(str(path))}: cannot be read: {error.strerror}") from error


def object_lines(path: Path, faults: Faults) -> Iterator[Line]:
    """The objects of a JSONL file. Raises BadSet where the file is missing or cannot be read."""
    for number, text in text_lines(path, faults):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            faults.add(path, number, f"is not JSON: {error}")
            continue
        if isinstance(value, dict):
            yield Line(path, number, value)
        else:
            faults.add(path, number, 'is not an object like {"_id": ..., "text": ...}')
