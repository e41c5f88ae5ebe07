"""The page of an evaluation: what was measured, how sure it is, and every question, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kept_hits import CONFIGURATIONS
from ..outcomes import LISTS, Difference, EvaluationReport, Measured, Row
from ..shown import (
    chance,
    change,
    config_name,
    constant_axes,
    figure,
    headline,
    interval,
    one_line,
    rows_by_set,
    seconds,
    shown_metrics,
    tokens_metric,
    varying_axes,
)
from .failures import lost_where, offered, worst_first
from .interval_plot import interval_plot
from .plots import SERIES, line_plot
from .question_blocks import question_blocks
from .rank_plot import rank_panel
from .standalone import page, raw_html

SLICES = 40
"""Slices of a field that are shown, the worst first."""
SLICE_CONFIGURATIONS = 6

_SliceLine = tuple[str, int, list[Measured | None]]


@dataclass(frozen=True, slots=True)
class _SetView:
    """All of one set that is not about single questions, as the template takes it. ``slices`` is, by
    field, (value, questions, the headline in each configuration)."""

    name: str
    metric: str
    metrics: tuple[str, ...]
    tokens: str
    lines: tuple[tuple[str, Row], ...]
    plots: tuple[Any, ...]
    ranks: Any
    lost: Mapping[str, list[int]]
    slices: Mapping[str, list[_SliceLine]]
    differences: tuple[tuple[str, Mapping[str, Difference]], ...]


def render(report: EvaluationReport) -> str:
    """The report as one self-contained HTML page, which opens from disk and fetches nothing.

    The worst questions are shown in full until they fill what a page should weigh, the rest in a line
    each; the page says so. Raises ConfigurationError where Jinja2 is not installed.
    """
    configs = [row.config for row in report.rows]
    axes = varying_axes(configs)
    questions = worst_first(report, axes)
    choices = offered(questions)
    full, brief = question_blocks(questions, choices, _used_steps(report))
    return page(
        "page.html.jinja",
        __package__,
        script=True,
        title=f"Evaluation of {one_line(report.name)}",
        report=report,
        sets=[_set_view(rows, report, axes) for rows in rows_by_set(report.rows).values()],
        fixed=config_name(constant_axes(configs), ()) if constant_axes(configs) else "",
        chance=chance(report.differences, shown_metrics(report.rows)),
        full=full,
        brief=brief,
        choices=choices,
        most={
            "configurations": CONFIGURATIONS,
            "curves": SERIES,
            "slices": SLICES,
            "slice_configurations": SLICE_CONFIGURATIONS,
        },
        write={"figure": figure, "interval": interval, "change": change, "seconds": seconds},
    )


def _used_steps(report: EvaluationReport) -> list[str]:
    """The lists and steps in which any hit or gold place of the report has a rank, in their order."""
    used: set[str] = set()
    for outcome in (outcome for row in report.rows for outcome in row.outcomes):
        for ranks in (*outcome.standing.values(), *(hit.ranks for hit in outcome.hits)):
            used.update(name for name, rank in ranks.items() if rank is not None)
    return [name for name in LISTS if name in used]


def _set_view(rows: Sequence[Row], report: EvaluationReport, axes: Sequence[str]) -> _SetView:
    names = [config_name(row.config, axes) for row in rows]
    metric = headline(rows[0])
    outcomes = [(name, row.outcomes) for name, row in zip(names, rows, strict=True)]
    compared = [found for found in report.differences if found.set == rows[0].set]
    metrics = shown_metrics(rows)
    return _SetView(
        name=rows[0].set,
        metric=metric,
        metrics=tuple(metrics),
        tokens=tokens_metric(name for row in rows for name in row.metrics),
        lines=tuple(zip(names, rows, strict=True)),
        plots=tuple(raw_html(plot) for plot in _plots(names, rows, metrics)),
        ranks=raw_html(line_plot(rank_panel(outcomes))),
        lost=lost_where(rows),
        slices=_slices(rows[:SLICE_CONFIGURATIONS], metric),
        differences=tuple(_compared(compared, axes).items()),
    )


def _plots(names: Sequence[str], rows: Sequence[Row], metrics: Sequence[str]) -> Iterator[str]:
    """A plot a metric, with a line a configuration; for a lone configuration one plot of all metrics."""
    if len(rows) == 1:
        yield interval_plot("metrics", [(name, rows[0].metrics[name]) for name in metrics])
        return
    for metric in metrics:
        yield interval_plot(
            metric,
            [
                (name, row.metrics[metric])
                for name, row in zip(names, rows, strict=True)
                if metric in row.metrics
            ],
        )


def _slices(rows: Sequence[Row], metric: str) -> dict[str, list[_SliceLine]]:
    """The slices of each field by the headline in the first configuration that has it, the worst first."""
    found = [{(one.field, one.value): one for one in row.slices} for row in rows]
    lines: dict[str, list[_SliceLine]] = {}
    for field, value in dict.fromkeys(key for slices in found for key in slices):
        ours = [slices.get((field, value)) for slices in found]
        queries = max(one.queries for one in ours if one is not None)
        measured = [one.metrics.get(metric) if one is not None else None for one in ours]
        lines.setdefault(field, []).append((value, queries, measured))
    return {field: sorted(group, key=_slice_mean)[:SLICES] for field, group in lines.items()}


def _slice_mean(line: _SliceLine) -> float:
    return next((measured.mean for measured in line[2] if measured is not None), 0.0)


def _compared(differences: Sequence[Difference], axes: Sequence[str]) -> dict[str, dict[str, Difference]]:
    """Configuration -> metric -> difference."""
    grouped: dict[str, dict[str, Difference]] = {}
    for found in differences:
        grouped.setdefault(config_name(found.config, axes), {})[found.metric] = found
    return grouped
