"""Readings of pages as the ledger keeps them, and failures that would come again."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from ..indexer.errors import InvalidModelOutput, ModelCallError
from ..indexer.pages import PageReading, ReadLine
from ..indexer.redaction.content import redact_reading
from ..indexer.redaction.finder import Redactor

_FAILED = "failed"


class _KeptFailure(InvalidModelOutput):
    """A reader failed on this picture before, and would again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self._reason = reason

    @property
    def reason(self) -> str:
        """What it failed with."""
        return self._reason


def failure_to_json(error: ModelCallError) -> str:
    """What a picture fails with, in place of its reading."""
    return json.dumps({_FAILED: error.reason})


def redact_kept(kept: str, redactor: Redactor) -> str:
    """A kept reading, or the failure in its place, without its secrets."""
    if _FAILED in json.loads(kept):
        return redactor.clean(kept)
    return reading_to_json(redact_reading(reading_from_json(kept, 0), redactor))


def reading_to_json(reading: PageReading) -> str:
    """A reading without its page's number, which another page of the same picture has not."""
    kept = {name: value for name, value in asdict(reading).items() if name != "number"}
    kept["lines"] = [
        [line.text, *(round(side, 2) for side in line.box), round(line.confidence, 4)]
        for line in reading.lines
    ]
    kept["rules"] = [[round(side, 2) for side in rule] for rule in reading.rules]
    return json.dumps(kept, ensure_ascii=False)


def reading_from_json(kept: str, number: int) -> PageReading:
    """The reading of :func:`reading_to_json`. Raises ModelCallError where a failure was kept."""
    values: dict[str, Any] = json.loads(kept)
    if _FAILED in values:
        raise _KeptFailure(values[_FAILED])
    values["lines"] = tuple(
        ReadLine(text, (x0, y0, x1, y1), sure) for text, x0, y0, x1, y1, sure in values["lines"]
    )
    values["rules"] = tuple((x0, y0, x1, y1) for x0, y0, x1, y1 in values.get("rules", ()))
    known = {field.name for field in fields(PageReading)}
    return PageReading(number, **{name: value for name, value in values.items() if name in known})
