"""How a plan is shown: what would change, a line a structure with what it takes, and what was estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .output import emit, note, one_line, say, show

if TYPE_CHECKING:
    from rich.table import Table

    from ..planning.plan import CapPlan, Plan, StagePlan, StructurePlan
    from ..report import BuildReport
    from .common import Common

PLAN = "plan"
_VERBS = {"added": "add", "changed": "change", "renamed": "rename", "removed": "remove"}
_MINUTE, _HOUR = 60, 3600
_KIB = 1024.0


def show_plan(report: BuildReport, common: Common, strict: bool = False) -> int:
    """Write what a build would do and take: for people, or as JSON the build's report, for ``treegraph plan``
    the plan alone. Returns the exit code that the build would have for its inputs."""
    plan = report.plan
    assert plan is not None
    new = [failure for failure in report.failed if strict or not failure.known]
    for failure in new:
        stale = " (its last good version stays)" if failure.stale else ""
        note(f"fails: {one_line(failure.source)}: {failure.reason}: {one_line(failure.message)}{stale}")
    for warning in plan.warnings:
        note(f"treegraph: {one_line(warning)}")
    if common.json:
        alone = click.get_current_context().info_name == PLAN
        emit(plan.to_json() if alone else report.to_json())
    else:
        say(
            "\n".join(
                [f"nothing was changed in {common.index_path}; a build would do this:", *_changes(report)]
            )
        )
        show("", _table(plan), "")
        say("\n".join([*_cap(plan.cap), *(f"estimated  {one_line(line)}" for line in plan.estimates)]))
    return 1 if new else 0


def _changes(report: BuildReport) -> list[str]:
    plan = report.plan
    assert plan is not None
    lines = ["documents  " + ", ".join(f"{count:,} {kind}" for kind, count in plan.documents.items())]
    for kind, verb in _VERBS.items():
        lines += [f"{verb:9}  {one_line(source)}" for source in getattr(report, kind)]
    if plan.pages:
        lines.append("pages      " + ", ".join(map(_pages, *zip(*sorted(plan.pages.items()), strict=True))))
    if plan.read_before:
        kept = ", ".join(map(_pages, *zip(*sorted(plan.read_before.items()), strict=True)))
        lines.append(f"known      {kept}: their pictures were read before")
    return lines


def _pages(way: str, count: int) -> str:
    return f"{count:,} empty" if way == "empty" else f"{count:,} by {way}"


def _table(plan: Plan) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in (
        "",
        "holds",
        "calls",
        "cached",
        "tokens in",
        "tokens out",
        "price",
        "time",
        "disk",
        "memory",
    ):
        table.add_column(title, justify="left" if title in ("", "holds") else "right")
    for name, structure in plan.structures.items():
        took = (duration(structure.seconds), size(structure.disk), size(structure.memory))
        table.add_row(name, _holds(structure), *_money(structure.calls), *took)
        if len(structure.stages) > 1:
            for stage, calls in structure.stages.items():
                table.add_row(f"  {stage}", "", *_money(calls))
    table.add_row(
        "total", "", *_money(plan.calls), duration(plan.seconds), size(plan.disk), size(plan.memory)
    )
    return table


def _holds(structure: StructurePlan) -> str:
    if structure.state == "left out":
        return "left out"
    held = ", ".join(f"{count:,} {name}" for name, count in structure.items.items() if count)
    return held if structure.state == "made" else f"kept: {held or 'nothing'}"


def _money(stage: StagePlan) -> tuple[str, ...]:
    if not (stage.calls or stage.cached):
        return ("-", "-", "-", "-", "-")
    price = "unknown" if stage.price is None else f"{stage.price:.4f}"
    counts = (stage.calls, stage.cached, stage.tokens_in, stage.tokens_out)
    return (*(f"{count:,}" for count in counts), price)


def _cap(cap: CapPlan | None) -> list[str]:
    """What a cap lets through."""
    if cap is None:
        return []
    if cap.fits is None:
        return [f"cap        {cap.amount:g}: whether it holds is unknown without prices"]
    if cap.fits:
        return [f"cap        {cap.amount:g}: all of it fits"]
    left = ", ".join(
        f"{count:,} of {count + cap.calls[stage]:,} calls for {stage}"
        for stage, count in cap.degraded.items()
    )
    return [f"cap        {cap.amount:g}: {left} would be done without a model"]


def duration(seconds: float) -> str:
    """Seconds for people: ``42 s``, ``12 min``, ``3.5 h``."""
    if seconds < 2 * _MINUTE:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < 2 * _HOUR else f"{seconds / _HOUR:.1f} h"


def size(count: float) -> str:
    """Bytes for people: ``0.4 MiB``, ``1.2 GiB``."""
    mebibytes = count / _KIB**2
    return f"{mebibytes:,.1f} MiB" if mebibytes < _KIB else f"{mebibytes / _KIB:,.1f} GiB"
