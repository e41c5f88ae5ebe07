"""An evaluation's tables for the terminal: values in, Rich renderables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from .fitting import Fitting
from .outcomes import Difference, EvaluationReport, Measured, Row
from .shown import (
    LESS,
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

__all__ = ["differences_table", "headline", "rows_table", "slices_table"]

LEAST = (
    "grounded",
    "judged",
    "exact",
    "recall@10",
    "ndcg@10",
    "all-gold@5",
    "page_recall",
    "terms",
    "mrr",
    "page_f1",
    "hit@1",
)
"""Metrics that a narrow terminal does without, in the order in which they go."""

_DIM, _BETTER, _WORSE = "dim", "bold green", "bold red"
_NO_VALUE = "—"


def rows_table(report: EvaluationReport) -> Fitting:
    """A line a configuration and set: the axes that vary, how many questions, each headline metric with
    its 95 % interval, the median seconds a search, the tokens of the hits."""
    configs = [row.config for row in report.rows]
    axes = varying_axes(configs)
    tokens = tokens_metric(name for row in report.rows for name in row.metrics)

    def make(metrics: Sequence[str], stacked: bool) -> Table:
        table = _table(one_line(report.name), _shared(configs))
        _columns(table, ("set", *axes), ("questions", *metrics, "p50", tokens))
        for row, new_set in _by_set(report.rows):
            table.add_row(
                _plain(row.set if new_set else ""),
                *(_plain(row.config.get(axis, _NO_VALUE)) for axis in axes),
                str(row.queries),
                *(_measured(name, row.metrics.get(name), stacked) for name in metrics),
                seconds(row.seconds.get("p50")) or _NO_VALUE,
                figure(tokens, row.metrics[tokens].mean) if tokens in row.metrics else _NO_VALUE,
            )
        return table

    return Fitting(make, shown_metrics(report.rows), LEAST)


def differences_table(report: EvaluationReport) -> Fitting:
    """A line a configuration and set against the first one: for each metric the mean of the paired
    differences with its 95 % interval; those that are more than noise have a ``*``."""
    axes = varying_axes([row.config for row in report.rows])
    compared = {found.metric for found in report.differences}
    shown = [name for name in shown_metrics(report.rows) if name in compared]

    def make(metrics: Sequence[str], stacked: bool) -> Table:
        table = _table("difference from the first configuration", "* " + chance(report.differences, metrics))
        _columns(table, ("set", "configuration"), metrics)
        before = None
        for (place, name), found in _grouped(report.differences, axes).items():
            cells = (_difference(found.get(metric), stacked) for metric in metrics)
            table.add_row(_plain(place if place != before else ""), _plain(name), *cells)
            before = place
        return table

    return Fitting(make, shown, LEAST)


def slices_table(report: EvaluationReport) -> Fitting:
    """A line a slice, its headline metric in each configuration: what kind of question fails."""
    axes = varying_axes([row.config for row in report.rows])

    def name_of(row: Row) -> str:
        """A lone configuration's name is all of its axes, which stand under the first table already."""
        return config_name(row.config, axes) if axes else "mean"

    every = list(dict.fromkeys(map(name_of, report.rows)))

    def make(names: Sequence[str], stacked: bool) -> Table:
        table = _table("slices", None)
        _columns(table, ("set", "field", "value", "metric"), ("questions", *names))
        for place, rows in rows_by_set(report.rows).items():
            metric = headline(rows[0])
            found = {name_of(row): _slices(row) for row in rows}
            for key in dict.fromkeys(key for slices in found.values() for key in slices):
                queries = max(slices[key][0] for slices in found.values() if key in slices)
                means = (found.get(name, {}).get(key, (0, {}))[1].get(metric) for name in names)
                cells = (_measured(metric, measured, stacked) for measured in means)
                table.add_row(*map(_plain, (place, *key, metric)), str(queries), *cells)
        return table

    return Fitting(make, every, every[:0:-1])


def _table(title: str, caption: str | None) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=_DIM, title_justify="left")
    table.title = Text(title, style="bold")
    if caption:
        table.caption = Text(caption, style=_DIM)
        table.caption_justify = "left"
    return table


def _columns(table: Table, names: Sequence[str], figures: Sequence[str]) -> None:
    for name in names:
        table.add_column(Text(one_line(name)), overflow="fold")
    for name in figures:
        table.add_column(Text(one_line(name)), justify="right", overflow="fold")


def _shared(configs: Sequence[Mapping[str, str]]) -> str | None:
    fixed = constant_axes(configs)
    return one_line("all with " + config_name(fixed, ())) if fixed else None


def _plain(text: str) -> Text:
    return Text(one_line(text))


def _by_set(rows: Sequence[Row]) -> list[tuple[Row, bool]]:
    """The rows, set by set, each with whether it is the first of its set."""
    return [(row, row is ours[0]) for ours in rows_by_set(rows).values() for row in ours]


def _measured(metric: str, measured: Measured | None, stacked: bool) -> Text:
    if measured is None:
        return Text(_NO_VALUE, style=_DIM)
    text = Text(figure(metric, measured.mean))
    text.append("\n" if stacked else " ")
    return text.append(interval(metric, measured), style=_DIM)


def _difference(found: Difference | None, stacked: bool) -> Text:
    if found is None:
        return Text(_NO_VALUE, style=_DIM)
    style = (_BETTER if (found.mean > 0) != (found.metric in LESS) else _WORSE) if found.beyond_noise else ""
    mark = " *" if found.beyond_noise else "  "
    text = Text(change(found.mean), style=style)
    text.append(f"{mark}\n" if stacked else " ")
    text.append(f"[{change(found.low)} {change(found.high)}]", style=_DIM)
    return text if stacked else text.append(mark)


def _grouped(
    differences: Sequence[Difference], axes: Sequence[str]
) -> dict[tuple[str, str], dict[str, Difference]]:
    grouped: dict[tuple[str, str], dict[str, Difference]] = {}
    for found in differences:
        grouped.setdefault((found.set, config_name(found.config, axes)), {})[found.metric] = found
    return grouped


def _slices(row: Row) -> dict[tuple[str, str], tuple[int, Mapping[str, Measured]]]:
    return {(found.field, found.value): (found.queries, found.metrics) for found in row.slices}
