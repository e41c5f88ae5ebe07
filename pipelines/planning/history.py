"""What earlier builds of an index say about the next: tokens, tries and seconds by what they were for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...indexer.stores.ledger import Ledger

_BUILDS = 10
"""How many builds, the newest, are asked."""
_LEAST_CALLS = 5
"""Calls of a stage below which what they took says little of others."""
_LEAST_ROWS = 50


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
    """``stages`` by name, ``embed`` the wall seconds a text, ``ocr`` those a page, ``store`` those a row, and
    ``memory`` the most bytes that a build took; None where no build says."""

    stages: Mapping[str, StageRates] = field(default_factory=dict)
    embed: float | None = None
    ocr: float | None = None
    memory: int | None = None

    def of(self, stage: str) -> StageRates:
        """The rates of a stage."""
        return self.stages.get(stage, StageRates())


def history(ledger: Ledger) -> History:
    """What the last builds of an index took."""
    sql = "SELECT report FROM builds WHERE report IS NOT NULL ORDER BY generation DESC LIMIT ?"
    reports = [json.loads(row["report"]) for row in ledger.rows(sql, _BUILDS)]
    names = {name for report in reports for name in report.get("tokens", {})}
    return History(
        {name: _stage(name, reports) for name in names},
        _rate(reports, "embed", "embedded"),
        _ocr(reports),
        max((report.get("peak_memory") or 0 for report in reports), default=0) or None,
    )


def _stage(name: str, reports: Sequence[Mapping[str, Any]]) -> StageRates:
    taken = [report["tokens"][name] for report in reports if name in report.get("tokens", {})]
    calls = sum(each["calls"] for each in taken)
    if calls < _LEAST_CALLS:
        return StageRates()
    clock = {"context": "chunk", "graph reports": "graph"}.get(name, name)
    seconds = sum(r["seconds"].get(clock, 0.0) for r in reports if name in r.get("tokens", {}))
    planned = [
        (report["tokens"][name], report["plan"]["structures"])
        for report in reports
        if name in report.get("tokens", {}) and report.get("plan")
    ]
    calls_over, tokens_over = _over(name, planned)
    return StageRates(sum(each["out"] for each in taken) / calls, seconds / calls, calls_over, tokens_over)


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
