"""Measures a set for ``treegraph eval`` and writes what came of it: tables or JSON, the page, the losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...indexer.errors import ConfigurationError
from ..evaluation.against import Losses, against
from ..evaluation.answers.measuring import with_modes
from ..evaluation.evaluate import BUDGET, Measuring, evaluate
from ..evaluation.grid import Grid, parse_grid
from ..evaluation.report_json import read_means, to_json
from ..evaluation.table import differences_table, rows_table, slices_table
from .common import Common
from .evaluate_answers import answer_measuring
from .evaluate_options import Wanted
from .failing import USAGE
from .interrupt import cancelled_by_interrupt
from .output import emit, note, one_line, show
from .pages import check_page, write_page
from .progress import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..config import Config
    from ..evaluation.outcomes import EvaluationReport
    from ..evaluation.questions import EvaluationSet

LOST = 5
"""Exit code where ``--against`` found that quality was lost."""


def measure(
    common: Common, wanted: Wanted, config: Config, chosen: EvaluationSet, titles: bool = False
) -> int:
    """Ask the questions of ``chosen`` under every configuration of the grid, and write the result.

    Returns the exit code: 5 for a loss, 2 where nothing can be compared, 3 where the page cannot be written,
    1 if questions failed.
    """
    grid = checked(common, wanted, config)
    measuring = Measuring(
        wanted.work_folder,
        common.index,
        wanted.budget or BUDGET,
        limit=wanted.limit,
        seed=wanted.seed,
        titles=titles,
        answers=answer_measuring(wanted, config),
        spending=wanted.spending,
    )
    work = f"measuring {one_line(chosen.name)}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        report = evaluate(
            chosen, grid.variants, measuring, left_out=grid.left_out, on_event=on_event, cancel=cancel
        )
    if not wanted.slices:
        report = replace(report, rows=tuple(replace(row, slices=()) for row in report.rows))
    losses, fault = _compared(report, wanted)
    if common.json:
        emit(to_json(report) | ({"against": losses.to_json()} if losses else {}))
    else:
        show(*_tables(report))
    unwritten = _write_page(report, wanted.html) if wanted.html else 0
    if fault:
        note(f"treegraph: {fault}")
        return USAGE
    if losses and _tell(losses, common.quiet):
        return LOST
    if unwritten:
        return unwritten
    return 1 if any(outcome.error for row in report.rows for outcome in row.outcomes) else 0


def checked(common: Common, wanted: Wanted, config: Config) -> Grid:
    """The grid. Raises ConfigurationError for all that can be known to be wrong before the work."""
    grid = parse_grid(wanted.compare, config)
    answer_measuring(wanted, config)
    with_modes(grid.variants, llm=False, answers=wanted.answers)
    if common.index and grid.building:
        raise ConfigurationError(
            f"-i measures {common.index} as it is, and {', '.join(grid.building)} can only be compared by "
            "building: leave out -i, or take that out of --compare"
        )
    if wanted.against:
        read_means(wanted.against)
    check_page(wanted.html)
    return grid


def _compared(report: EvaluationReport, wanted: Wanted) -> tuple[Losses | None, ConfigurationError | None]:
    """The comparison that was asked for; where nothing compares, why: the figures are shown all the same."""
    if wanted.against is None:
        return None, None
    try:
        return against(report, wanted.against, wanted.tolerance), None
    except ConfigurationError as error:
        return None, error


def _tell(losses: Losses, quiet: bool) -> bool:
    """Name every loss, and what had no partner; whether there is a loss."""
    for unmatched in () if quiet else losses.unmatched:
        note(f"not compared: {one_line(unmatched)}")
    for loss in losses.losses:
        note(f"lost: {one_line(str(loss))}")
    return bool(losses.losses)


def _tables(report: EvaluationReport) -> Iterator[RenderableType]:
    yield rows_table(report)
    if report.differences:
        yield from ("", differences_table(report))
    if any(row.slices for row in report.rows):
        yield from ("", slices_table(report))
    said = [f"left out: {value}: {reason}" for value, reason in report.left_out.items()]
    said += [f"note: {text}" for text in report.notes]
    yield from ("", *map(one_line, said)) if said else ()


def _write_page(report: EvaluationReport, path: Path) -> int:
    from ..evaluation.page.whole import render

    return write_page(path, render(report))
