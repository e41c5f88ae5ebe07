"""The plan of the last build that had one, beside what came of it: over all runs since, where a cap or a
batch took several."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...indexer.models.usage import whole_cost
from ...indexer.stores.ledger import Ledger
from ...indexer.stores.ledger_history import RunHistory, RunRow
from ..runs import cost_of

_COUNTS = {"calls": "calls", "tokens_in": "in", "tokens_out": "out"}
"""What is planned of a stage, and by what name a build reports it."""
_CHANGES = ("added", "changed", "renamed", "removed")


def plan_beside(ledger: Ledger) -> dict[str, Any] | None:
    """For documents, chunks, calls, tokens, price and seconds what was planned and what it was, each as
    ``{"planned": ..., "actual": ...}``, in all and of the calls by stage. ``runs`` says over how many that
    is: all that began since the plan, until one owed nothing any more. None where no build had a plan."""
    sql = "SELECT * FROM builds WHERE report IS NOT NULL AND state = 'published' ORDER BY generation DESC"
    for row in ledger.rows(sql):
        report = json.loads(row["report"])
        if report.get("plan"):
            run = RunHistory(ledger).run(report["run"] or "")
            took = (run.seconds if run is not None else None) or 0.0  # by a clock that nobody sets
            taken = _over_runs(ledger, row["generation"], report["plan"]["made"]) or _Taken(
                row["generation"], 1, _documents(report), report["embedded"], report["tokens"],
                whole_cost(report["cost"].values()), took,
            )  # fmt: skip
            whole = taken.generation == row["generation"]
            chunks = report["chunks"] if whole else ledger.count("chunks", taken.generation)
            return {"generation": taken.generation, **_beside(report["plan"], taken, chunks)}
    return None


@dataclass(frozen=True, slots=True)
class _Taken:
    """What so many ``runs`` took together, of which the last published ``generation``."""

    generation: int
    runs: int
    documents: Mapping[str, int]
    embedded: int
    tokens: Mapping[str, Mapping[str, int]]
    cost: float | None
    seconds: float


def _over_runs(ledger: Ledger, generation: int, made: float) -> _Taken | None:
    """Over the builds since the plan was ``made`` for the one that published ``generation``; None where the
    history does not know that any more."""
    rows = [row for row in reversed(RunHistory(ledger).newest()) if row.command == "build"]
    at = next((n for n, row in enumerate(rows) if row.generation == generation), None)
    if at is None:
        return None
    ours = [row for row in rows[:at] if row.started >= made and row.outcome != "unchanged"]
    ours += _until_done(rows[at:])
    documents: Counter[str] = Counter()
    tokens: dict[str, Counter[str]] = {}
    for row in ours:
        report = row.report or {"documents": {}, "tokens": {}}
        documents.update(_documents(report) if row.generation else {})
        for stage, counts in report["tokens"].items():
            tokens.setdefault(stage, Counter()).update(counts)
    return _Taken(
        generation=max(row.generation for row in ours if row.generation),
        runs=len(ours),
        documents=documents,
        embedded=sum(row.report["embedded"] for row in ours if row.report),
        tokens=tokens,
        cost=whole_cost(cost_of(row) for row in ours if row.report or row.paid),
        seconds=sum(row.seconds or 0.0 for row in ours),
    )


def _until_done(rows: Sequence[RunRow]) -> Iterator[RunRow]:
    """Runs from the first on, until one owes nothing and waits for nothing."""
    for row in rows:
        yield row
        if row.report is not None and not row.report["owed"] and not row.report["waiting"]:
            return


def _documents(report: Mapping[str, Any]) -> dict[str, int]:
    found = {name: report["documents"].get(name, 0) for name in _CHANGES}
    return {name: each if isinstance(each, int) else len(each) for name, each in found.items()}


def _beside(plan: Mapping[str, Any], taken: _Taken, chunks: int) -> dict[str, Any]:
    stages = {
        name: {what: _pair(planned.get(what, 0), actual.get(key, 0)) for what, key in _COUNTS.items()}
        for name, planned, actual in _stages(plan, taken.tokens)
    }
    return {
        "made": plan["made"],
        "runs": taken.runs,
        "documents": {name: _pair(plan["documents"][name], taken.documents[name]) for name in _CHANGES},
        "chunks": _pair(plan["chunks"], chunks),
        "embedded": _pair(plan["embedded"], taken.embedded),
        **{
            what: _pair(plan[what], sum(stage[what]["actual"] for stage in stages.values()))
            for what in _COUNTS
        },
        "price": _pair(plan["price"], None if plan["price"] is None else taken.cost),
        "seconds": _pair(plan["seconds"], round(taken.seconds, 1)),
        "stages": stages,
    }


def _stages(
    plan: Mapping[str, Any], tokens: Mapping[str, Mapping[str, int]]
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Each stage that was planned or done: what was planned and what was taken."""
    planned = {name: stage for each in plan["structures"].values() for name, stage in each["stages"].items()}
    return [(name, planned.get(name, {}), tokens.get(name, {})) for name in sorted({*planned, *tokens})]


def _pair(planned: Any, actual: Any) -> dict[str, Any]:
    return {"planned": planned, "actual": actual}
