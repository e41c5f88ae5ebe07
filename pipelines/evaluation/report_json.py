"""An evaluation's report as one JSON document, and what a later run reads back from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ...indexer.errors import ConfigurationError
from .outcomes import Difference, EvaluationReport, Measured, Row

SCHEMA = 1
"""The ``schema`` of the documents that are written and read here."""


def to_json(report: EvaluationReport) -> dict[str, Any]:
    """The report without what came of single questions, which the HTML page shows."""
    return {
        "set": report.name,
        "rows": [_row(row) for row in report.rows],
        "differences": [_difference(found) for found in report.differences],
        "left_out": dict(report.left_out),
        "notes": list(report.notes),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "set": row.set,
        "config": dict(row.config),
        "queries": row.queries,
        "asked": row.asked,
        "metrics": _metrics(row.metrics),
        "seconds": dict(row.seconds),
        "tokens": {stage: dict(counts) for stage, counts in row.tokens.items()},
        "cost": dict(row.cost),
        "failed": sum(outcome.error is not None for outcome in row.outcomes),
        "slices": [
            {
                "field": found.field,
                "value": found.value,
                "queries": found.queries,
                "metrics": _metrics(found.metrics),
            }
            for found in row.slices
        ],
    }


def _metrics(metrics: Mapping[str, Measured]) -> dict[str, Any]:
    return {name: asdict(measured) for name, measured in metrics.items()}


def _difference(found: Difference) -> dict[str, Any]:
    return asdict(found) | {"config": dict(found.config)}


@dataclass(frozen=True, slots=True)
class RowMeans:
    """What a written row is compared by: its set and configuration, what was asked (see :class:`Row`;
    empty where the file does not say), and each metric's mean."""

    set: str
    config: Mapping[str, str]
    queries: int
    means: Mapping[str, float]
    asked: str = ""


def read_means(path: Path) -> list[RowMeans]:
    """The rows of a document that ``treegraph eval --json`` wrote. Raises ConfigurationError, naming the
    file, for one that cannot be read or is something else."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot read the earlier run {path}: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or not JSON
        raise ConfigurationError(f"{path} is not the JSON of an earlier run: {error}") from error
    if not isinstance(document, dict) or "rows" not in document:
        raise ConfigurationError(f"{path} is not what treegraph eval --json writes: it has no rows")
    if document.get("schema") != SCHEMA:
        raise ConfigurationError(
            f"{path} has the schema {document.get('schema')!r}, this treegraph reads {SCHEMA}"
        )
    try:
        return [_read_row(row) for row in document["rows"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(
            f"{path}: its rows are not those of treegraph eval --json: {error!r}"
        ) from error


def _read_row(row: Mapping[str, Any]) -> RowMeans:
    means = {str(name): float(measured["mean"]) for name, measured in row["metrics"].items()}
    if not all(isfinite(mean) for mean in means.values()):
        raise ValueError("a mean that is no number")
    config = {str(axis): str(value) for axis, value in row["config"].items()}
    return RowMeans(str(row["set"]), config, int(row["queries"]), means, str(row.get("asked", "")))
