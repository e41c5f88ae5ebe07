"""The questions of a set's file, before it is known what answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .lines import Faults, Line, object_lines

_ID = ("_id", "id")
_TEXT = ("text", "question")


@dataclass(frozen=True, slots=True)
class Query:
    """A line that asks something: ``rest`` is what else it says."""

    line: Line
    id: str
    text: str
    rest: Mapping[str, Any]


def read_queries(path: Path, faults: Faults) -> list[Query]:
    """The questions of a JSONL file: ``_id`` (or ``id``) and ``text`` (or ``question``), and what else.

    Faults: no id, no text, an id that stands above. Raises BadSet where the file cannot be read.
    """
    queries: dict[str, Query] = {}
    for line in object_lines(path, faults):
        rest = dict(line.value)
        identifier, text = _taken(rest, _ID), _taken(rest, _TEXT)
        known = _id_of(identifier)
        if known is None:
            faults.add(path, line.number, "has no _id: give it a text or a number")
        elif not isinstance(text, str) or not text.strip():
            faults.add(path, line.number, "has no text: what is asked?")
        elif known in queries:
            above = queries[known].line.number
            faults.add(path, line.number, f"a question with the _id {known!r} stands on line {above}")
        else:
            queries[known] = Query(line, known, text, rest)
    return list(queries.values())


def _taken(values: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first name that is there, taken out."""
    return next((values.pop(name) for name in names if name in values), None)


def _id_of(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        return None
    return str(value)
