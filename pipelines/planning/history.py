"""What earlier builds of an index say about the next: tokens, tries and seconds by what they were for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...indexer.stores.ledger import Ledger
from .plan import STAGES

_BUILDS = 10
"""How many builds, the newest, are asked."""
_LEAST_CALLS = 5
"""Calls of a stage below which what they took says little of others."""
_LEAST_ROWS = 50
_CLOCKS = {"context": "chunk", "graph reports": "graph"}
"""What times a stage, where that goes by another name."""


@dataclass(frozen=True, slots=True)
class StageRates:
    """What the calls of a stage took before: ``tokens_out`` and ``seconds`` a call, and what the calls and
    their tokens came to over what the rehearsals before had counted. None: nobody knows."""

    tokens_out: float | None = None
    seconds: float | None = None
    calls_over: float | None = None
    tokens_over: float | None = None


@dataclass(frozen=True, slots=True)
class History:
    """``stages`` by name, ``embed`` the wall seconds a text, ``ocr`` those a page; None: no build says."""

    stages: Mapping[str, StageRates] = field(default_factory=dict)
    embed: float | None = None
    ocr: float | None = None

    def of(self, stage: str) -> StageRates:
        """The rates of a stage."""
        return self.stages.get(stage, StageRates())


def history(ledger: Ledger, models: Mapping[str, str], encoders: str) -> History:
    """What the last builds of an index took, but for those that were planned with other ``models``; of
    embedding those by ``encoders`` (see :attr:`.Models.stamp`)."""
    sql = "SELECT report, scope FROM builds WHERE report IS NOT NULL ORDER BY generation DESC LIMIT ?"
    rows = [(json.loads(row["report"]), row["scope"]) for row in ledger.rows(sql, _BUILDS)]
    rows = [(report, scope) for report, scope in rows if _models(report, models) == models]
    reports = [report for report, _ in rows]
    alike = [report for report, scope in rows if f" {encoders}" in scope]
    names = {name for report in reports for name in report.get("tokens", {})}
    return History(
        {name: _stage(name, reports) for name in names},
        _rate(alike, "embed", "embedded"),
        _ocr(reports),
    )


def _models(report: Mapping[str, Any], otherwise: Mapping[str, str]) -> Mapping[str, str]:
    """The models that a build was planned with; ``otherwise`` where it had no plan."""
    models: Mapping[str, str] = (report.get("plan") or {}).get("models", otherwise)
    return models


def _stage(name: str, reports: Sequence[Mapping[str, Any]]) -> StageRates:
    taken = [report["tokens"][name] for report in reports if name in report.get("tokens", {})]
    calls = sum(each["calls"] for each in taken)
    if calls < _LEAST_CALLS:
        return StageRates()
    planned = [
        (report["tokens"][name], report["plan"]["structures"])
        for report in reports
        if name in report.get("tokens", {}) and report.get("plan")
    ]
    calls_over, tokens_over = _over(name, planned)
    seconds = _seconds(name, reports)
    return StageRates(sum(each["out"] for each in taken) / calls, seconds, calls_over, tokens_over)


def _seconds(name: str, reports: Sequence[Mapping[str, Any]]) -> float | None:
    """Wall seconds a call, over all stages that one clock times together."""
    clock = _CLOCKS.get(name, name)
    together = [stage for stage in STAGES if _CLOCKS.get(stage, stage) == clock]
    timed = [report for report in reports if name in report["tokens"] and clock in report["seconds"]]
    calls = sum(report["tokens"].get(stage, {}).get("calls", 0) for report in timed for stage in together)
    return sum(report["seconds"][clock] for report in timed) / calls if calls else None


def _over(
    name: str, planned: Sequence[tuple[Mapping[str, int], Mapping[str, Any]]]
) -> tuple[float | None, float | None]:
    """By what the calls, and the tokens of one, were more than counted, in builds that had a plan."""
    calls = counted = tokens = counted_tokens = 0
    for taken, structures in planned:
        for structure in structures.values():
            stage = structure["stages"].get(name)
            if stage and stage["counted"]:
                calls += taken["calls"]
                counted += stage["counted"]
                tokens += taken["in"]
                counted_tokens += stage["counted_in"]
    if calls < _LEAST_CALLS or not counted or not counted_tokens:
        return None, None
    return calls / counted, tokens / counted_tokens


def _rate(reports: Sequence[Mapping[str, Any]], clock: str, count: str) -> float | None:
    rows = sum(report[count] for report in reports)
    seconds = sum(report["seconds"].get(clock, 0.0) for report in reports)
    return seconds / rows if rows >= _LEAST_ROWS else None


def _ocr(reports: Sequence[Mapping[str, Any]]) -> float | None:
    """Seconds a page of the first build that read by OCR: in a later one most pages may be kept readings."""
    for report in reversed(reports):
        pages, seconds = report.get("read", {}).get("ocr", 0), report["seconds"].get("ocr", 0.0)
        if pages and seconds:
            return float(seconds / pages)
    return None
