"""The answers of an evaluation under way, a line each, so that an interrupted one goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from sys import intern
from typing import Any

from .outcomes import Answered, FoundHit, Outcome


class Journal:
    """The answers so far, in the file ``path``; dropped at the end of the evaluation."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, Answered]:
        """The answers by question. A last line that was cut short is no answer."""
        if not self._path.exists():
            return {}
        known: dict[str, Answered] = {}
        for line in self._path.read_text("utf-8").splitlines():
            try:
                answered = _from_json(json.loads(line))
            except ValueError:
                continue
            known[answered.outcome.question] = answered
        return known

    def appending(self) -> _Appending:
        """A context that gives the function that writes an answer down."""
        return _Appending(self._path)

    def drop(self) -> None:
        """Forget everything: the evaluation is done."""
        self._path.unlink(missing_ok=True)


class _Appending:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> Callable[[Answered], None]:
        self._file.write("\n")  # ends a line that was cut short
        return self._write

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, answered: Answered) -> None:
        self._file.write(json.dumps(asdict(answered), ensure_ascii=True) + "\n")
        self._file.flush()


def _from_json(found: dict[str, Any]) -> Answered:
    outcome = found["outcome"]
    hits = tuple(
        FoundHit(**{**hit, "places": tuple(hit["places"]), "text": intern(hit["text"])})
        for hit in outcome["hits"]
    )
    made = Outcome(**{**outcome, "hits": hits, "degraded": tuple(outcome["degraded"])})
    return Answered(made, tuple(found["ranking"]))
