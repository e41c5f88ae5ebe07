"""``treegraph eval routes``: what choosing a route for each question buys, over several sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import Common, command
from .evaluate_options import Wanted, measuring_options
from .interrupt import cancelled_by_interrupt
from .output import emit, one_line, show
from .progress import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..evaluation.outcomes import Row
    from ..evaluation.routes import RoutesReport, SetRoutes


@command("routes", short_help="What choosing a route for each question buys.")
@click.argument("chosen", nargs=-1, required=True, metavar="SET...", type=click.Path(path_type=Path))
@click.option(
    "--pdfs", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the PDFs are."
)
@click.option(
    "--half",
    type=click.IntRange(1, 2),
    help="Ask but this half of each set's questions, parted by --seed (what was fitted on the other).",
)
@measuring_options
def routes(
    common: Common, wanted: Wanted, chosen: tuple[Path, ...], pdfs: Path | None, half: int | None
) -> int:
    """Ask the questions of each SET over every route and over auto, and say what auto makes of them.

    A set counts by its headline metric: the F1 of the pages within the budget where every question asks for
    a whole topic, else recall@5. What is reported is the share of the gap between hybrid for everything and
    the best route for each question that auto closes, over the means of all sets.
    """
    from ..evaluation.routes import compare_routes

    rows: list[Row] = []
    for path in chosen:
        rows += _rows(common, wanted, path, pdfs, half)
    report = compare_routes(rows)
    if common.json:
        emit({"set": "routes", **report.to_json()})
    else:
        show(*_rendered(report))
    return 1 if any(outcome.error for row in rows for outcome in row.outcomes) else 0


def _rows(common: Common, wanted: Wanted, path: Path, pdfs: Path | None, half: int | None) -> tuple[Row, ...]:
    from ..evaluation.evaluate import BUDGET, Measuring, evaluate
    from ..evaluation.grid import parse_grid
    from ..evaluation.parts import halved
    from ..evaluation.routes import COMPARED
    from ..evaluation.sets.reading import read_set

    config = wanted.config(common)
    read = read_set(path, pdfs)
    if half is not None:
        read = replace(read, parts=tuple(halved(part, half, wanted.seed) for part in read.parts))
    grid = parse_grid([f"route={','.join(COMPARED)}"], config)
    measuring = Measuring(
        wanted.work_folder,
        common.index,
        wanted.budget or BUDGET,
        limit=wanted.limit,
        seed=wanted.seed,
        spending=wanted.spending,
    )
    work = f"measuring {one_line(read.name)}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        rows = evaluate(read, grid.variants, measuring, on_event=on_event, cancel=cancel).rows
    # Sets that questions were saved in are all called alike: the folder tells them apart.
    several = len(read.parts) > 1
    return tuple(replace(row, set=f"{path.stem}/{row.set}" if several else path.stem) for row in rows)


def _rendered(report: RoutesReport) -> Iterator[RenderableType]:
    from rich.table import Table

    from ..evaluation.shown import change, share

    columns = list(dict.fromkeys(route for each in report.sets for route in each.means))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in (
        "set",
        "questions",
        "metric",
        *columns,
        "best of set",
        "best of each",
        "auto - hybrid",
        "p50",
    ):
        table.add_column(name, justify="left" if name in ("set", "metric") else "right")
    for each in report.sets:
        figures = [share(each.means[route], 4) for route in columns]
        table.add_row(
            one_line(each.set), f"{each.questions:,}", each.metric, *figures,
            share(each.best_of_set, 4), share(each.best_of_each, 4),
            f"{change(each.loss.mean)} [{change(each.loss.low)} {change(each.loss.high)}]", _times(each),
        )  # fmt: skip
    yield table
    closed = report.closed
    if closed is None or report.fixed is None:
        yield "no route finds more than hybrid: there is no gap to close"
        return
    yield (
        f"of the gap between hybrid and the best route of each question auto closes {share(closed.mean)} "
        f"[{share(closed.low, 2)} {share(closed.high, 2)}]; the best route of each set {share(report.fixed)}"
    )


def _times(each: SetRoutes) -> str:
    """How long auto takes beside hybrid."""
    hybrid, auto = each.seconds["hybrid"], each.seconds["auto"]
    return f"{1000 * auto:.0f} ms, {auto / hybrid:.1f} x hybrid"
