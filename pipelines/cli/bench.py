"""``treegraph bench``: how fast, how large, and how both grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from ...indexer.errors import ConfigurationError
from .common import Common, command, common_options
from .interrupt import cancelled_by_interrupt
from .output import emit, one_line, show
from .pages import check_page, write_page
from .progress import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..benchmark.tables import Table
    from ..evaluation.page.plots import Panel

_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)
_html = click.option("--html", type=_FILE, metavar="FILE", help="Write a page with plots and all figures.")
_work = click.option("--work", type=_FOLDER, metavar="DIR", help="Work here (default: the cache folder).")
_seed = click.option("--seed", type=int, default=0, show_default=True, help="Chooses every sample.")


class Report(Protocol):
    """What every benchmark gives."""

    def to_json(self) -> dict[str, Any]: ...
    def tables(self) -> list[Table]: ...
    def panels(self) -> list[Panel]: ...


@click.group("bench", short_help="Measure speed, memory and disk.")
@common_options
def bench() -> None:
    """How long builds and searches take, how much memory and disk, and how all that grows."""


@command("build", short_help="A build, stage by stage.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--change", metavar="DOCUMENT", help="Whose page is changed for the last build.")
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="How many first builds.")
@click.option(
    "--embedding-alone/--no-embedding-alone",
    default=True,
    help="Also embed the same texts and do nothing else.",
)
@_work
@_html
def build(
    common: Common,
    sources: tuple[str, ...],
    change: str | None,
    rounds: int,
    embedding_alone: bool,
    work: Path | None,
    html: Path | None,
) -> int:
    """Build an index of copies of each SOURCE, and say what every stage took.

    Beside it: embedding the same texts alone, the same build again, and the build after one page changed.
    """
    from ..benchmark.build import bench_build

    check_page(html)
    config = common.effective().config
    with cancelled_by_interrupt(common) as cancel, progress("benchmarking a build", common.quiet) as on_event:
        report = bench_build(
            sources,
            config,
            work=_folder(work),
            embedding_alone=embedding_alone,
            change=change,
            rounds=rounds,
            on_event=on_event,
            cancel=cancel,
        )
    notes = [*report.notes, *(f"failed: {failure}" for failure in report.failed)]
    return _write(common, "treegraph bench build", report, html, notes) or int(bool(report.failed))


@command("search", short_help="Searches, by route and number of clients.")
@click.option(
    "--questions", type=_FILE, metavar="FILE", help="JSON lines with a text each (default: a sample)."
)
@click.option("--clients", metavar="1,4,16", default="1,4,16", help="How many ask at once.")
@click.option("--sample", type=click.IntRange(1), default=200, show_default=True, help="Questions made up.")
@_seed
@_html
def search(
    common: Common, questions: Path | None, clients: str, sample: int, seed: int, html: Path | None
) -> int:
    """Ask the index the same questions by every route, from one client and from several.

    Without --questions they are a few words each from a seeded sample of the index's own chunks.
    """
    from ..benchmark.search import bench_search

    check_page(html)
    config = common.effective().config
    asking = _numbers("--clients", clients)
    with (
        cancelled_by_interrupt(common) as cancel,
        progress("benchmarking searches", common.quiet) as on_event,
    ):
        report = bench_search(
            common.index_path,
            questions,
            clients=asking,
            sample=sample,
            seed=seed,
            config=config,
            on_event=on_event,
            cancel=cancel,
        )
    return _write(common, "treegraph bench search", report, html)


@command("scale", short_help="How every cost grows with the number of chunks.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--sizes", metavar="1k,5k,...", help="Chunks (default: 1k,5k,20k,50k,100k,200k).")
@click.option(
    "--embed-at-most", type=click.IntRange(0), metavar="N", help="Larger sizes get stand-ins for vectors."
)
@click.option("--builds", type=click.IntRange(0), default=50, show_default=True, help="Incremental builds.")
@click.option(
    "--max-seconds", type=click.FloatRange(0), metavar="S", help="Leave out what would take longer."
)
@_seed
@_work
@_html
def scale(
    common: Common,
    sources: tuple[str, ...],
    sizes: str | None,
    embed_at_most: int | None,
    builds: int,
    max_seconds: float | None,
    seed: int,
    work: Path | None,
    html: Path | None,
) -> int:
    """Build indexes of growing corpora, made from the text of each SOURCE, and fit how every cost grows.

    Also what approximate search loses against exact search, fresh and after many builds. Sizes that were
    measured are kept; the same command goes on with what is missing.
    """
    from ..benchmark.scale import EMBED_AT_MOST, SIZES, bench_scale

    check_page(html)
    config = common.effective().config
    chosen = SIZES if sizes is None else _numbers("--sizes", sizes)
    with cancelled_by_interrupt(common) as cancel, progress("benchmarking sizes", common.quiet) as on_event:
        report = bench_scale(
            sources,
            chosen,
            config,
            work=_folder(work),
            seed=seed,
            embed_at_most=EMBED_AT_MOST if embed_at_most is None else embed_at_most,
            builds=builds,
            max_seconds=max_seconds,
            on_event=on_event,
            cancel=cancel,
        )
    notes = [*report.notes, *(f"not measured: {size} chunks: {why}" for size, why in report.left_out.items())]
    return _write(common, "treegraph bench scale", report, html, notes)


@command("ocr", short_help="Pages read from their pictures: speed, memory, errors.")
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE...")
@click.option("--pages", type=click.IntRange(1), default=12, show_default=True, help="How many, a sample.")
@_seed
@_html
def ocr(common: Common, files: tuple[Path, ...], pages: int, seed: int, html: Path | None) -> int:
    """Draw and read a seeded sample of pages of each FILE (PDFs, images), and compare what was read with the
    text layers, where there are any."""
    from ..benchmark.ocr import bench_ocr

    check_page(html)
    config = common.effective().config
    with cancelled_by_interrupt(common) as cancel, progress("benchmarking OCR", common.quiet) as on_event:
        report = bench_ocr(files, pages, config, seed=seed, on_event=on_event, cancel=cancel)
    return _write(common, "treegraph bench ocr", report, html)


for _command in (build, search, scale, ocr):
    bench.add_command(_command)


def _folder(work: Path | None) -> Path:
    from ...indexer.models.model_files import cache_folder

    return work or cache_folder() / "bench"


def _numbers(option: str, text: str) -> tuple[int, ...]:
    """The whole numbers of ``1,4,16``, where ``1_000`` and ``20k`` are numbers too."""
    parts = [part.strip().lower() for part in text.split(",") if part.strip()]
    try:
        return tuple(int(part.removesuffix("k")) * (1000 if part.endswith("k") else 1) for part in parts)
    except ValueError:
        raise ConfigurationError(f"{option} {text!r}: expected whole numbers, as 1,4,16") from None


def _write(common: Common, title: str, report: Report, html: Path | None, notes: Sequence[str] = ()) -> int:
    if common.json:
        emit(report.to_json())
    else:
        show(*_tables(report, notes))
    if html:
        from ..benchmark.page import render

        return write_page(html, render(title, report.tables(), report.panels(), notes))
    return 0


def _tables(report: Report, notes: Sequence[str]) -> Iterator[RenderableType]:
    from rich.table import Table as RichTable
    from rich.text import Text

    for table in report.tables():
        shown = RichTable(box=None, padding=(0, 2, 0, 0), header_style="dim", title_justify="left")
        shown.title = Text(table.title, style="bold")
        for number, column in enumerate(table.columns):
            shown.add_column(Text(column), justify="right" if number else "left")
        for row in table.rows:
            shown.add_row(*(Text(one_line(cell)) for cell in row))
        yield from (shown, Text(one_line(table.note), style="dim"), "")
    yield from (f"note: {one_line(text)}" for text in notes)
