"""The plan of the last build that had one, beside what the build came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...indexer.models.usage import total_cost
from ...indexer.stores.ledger import Ledger

_COUNTS = {"calls": "calls", "tokens_in": "in", "tokens_out": "out"}
"""What is planned of a stage, and by what name a build reports it."""


def plan_beside(ledger: Ledger) -> dict[str, Any] | None:
    """For documents, chunks, calls, tokens, price and seconds what was planned and what it was, each as
    ``{"planned": ..., "actual": ...}``, in all and of the calls by stage. None where no build had a plan."""
    sql = "SELECT * FROM builds WHERE report IS NOT NULL AND state = 'published' ORDER BY generation DESC"
    for row in ledger.rows(sql):
        report = json.loads(row["report"])
        if report.get("plan"):
            took = (row["finished"] or row["started"]) - row["started"]
            h = row["generation"]
            held = {"chunks": ledger.count("chunks", h), "embedded": report["embedded"]}
            return {"generation": h, **_beside(report["plan"], report, held, max(0.0, took))}
    return None


def _beside(
    plan: Mapping[str, Any], report: Mapping[str, Any], held: Mapping[str, int], seconds: float
) -> dict[str, Any]:
    documents = {
        name: len(report["documents"].get(name, ())) for name in ("added", "changed", "renamed", "removed")
    }
    stages = {
        name: {what: _pair(planned.get(what, 0), actual.get(key, 0)) for what, key in _COUNTS.items()}
        for name, planned, actual in _stages(plan, report)
    }
    cost = total_cost(report["cost"])
    return {
        "made": plan["made"],
        "documents": {name: _pair(plan["documents"][name], count) for name, count in documents.items()},
        **{what: _pair(plan[what], count) for what, count in held.items()},
        **{
            what: _pair(plan[what], sum(stage[what]["actual"] for stage in stages.values()))
            for what in _COUNTS
        },
        "price": _pair(plan["price"], None if plan["price"] is None else cost),
        "seconds": _pair(plan["seconds"], round(seconds, 1)),
        "stages": stages,
    }


def _stages(
    plan: Mapping[str, Any], report: Mapping[str, Any]
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Each stage that was planned or done: what was planned and what was taken."""
    planned = {name: stage for each in plan["structures"].values() for name, stage in each["stages"].items()}
    names = sorted({*planned, *report["tokens"]})
    return [(name, planned.get(name, {}), report["tokens"].get(name, {})) for name in names]


def _pair(planned: Any, actual: Any) -> dict[str, Any]:
    return {"planned": planned, "actual": actual}
