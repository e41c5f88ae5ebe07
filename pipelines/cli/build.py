"""``treegraph build``: make the index mirror files and folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...indexer.loaders import media
from ...indexer.owed import BUDGET_SPENT
from ..defaults import MAX_REMOVED
from .common import Common, command
from .flags import batch_option, build_flags, caps_options, effective_with, engine_option
from .interrupt import cancelled_by_interrupt
from .metrics_file import metrics_to
from .output import emit, note, one_line, say
from .planned import show_plan
from .progress import progress

if TYPE_CHECKING:
    from ..report import BuildReport

_NAMED = 10
"""Documents with unreadable pages that are named."""

max_removed_option = click.option(
    "--max-removed",
    type=click.FloatRange(0, 1),
    default=MAX_REMOVED,
    show_default=True,
    help="The share of a source's documents that may go without --yes.",
)


@command("build", short_help="Make the index mirror these files and folders.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--without", metavar="tree,graph", default="", help="Structures to leave for later.")
@click.option("--dry-run", is_flag=True, help="As treegraph plan: say what would change and what it takes.")
@click.option(
    "--reembed",
    is_flag=True,
    help="Embed anew, by other models, what the index holds; nothing else is redone.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="Allow a removal above --max-removed, pages read by a lesser way than before, and that what a model "
    "wrote is made again without one.",
)
@click.option("--keep-images", is_flag=True, help="Keep the pictures of PDF pages ([load] keep_images).")
@max_removed_option
@click.option(
    "--metrics-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the run's figures there at its end, for Prometheus.",
)
@click.option("--strict", is_flag=True, help="Exit 1 for known failures of unchanged files, too.")
@caps_options
@batch_option
@engine_option
@build_flags
def build(
    common: Common,
    sources: tuple[str, ...],
    without: str,
    dry_run: bool,
    reembed: bool,
    yes: bool,
    keep_images: bool,
    max_removed: float,
    strict: bool,
    metrics_file: Path | None,
    max_cost: float | None,
    max_calls: int | None,
    max_seconds: float | None,
    batch: bool,
    engine: str | None,
    pdf: str | None,
    qdrant: str | None,
    neo4j: str | None,
    llm: str | None,
    vision: str | None,
) -> int:
    """Make the index mirror each SOURCE: a file, a folder or a glob (or NAME=PATH, to name it).

    Only what changed since the last build is done again, and documents that are gone from a SOURCE are
    taken out of the index. What came from other sources is left alone.

    The exit code is 1 if an input failed; one that an earlier build told of, and whose file has not changed
    since, does not count, unless with --strict.
    """
    left_out = [part.strip() for part in without.split(",") if part.strip()]
    work = f"{'planning' if dry_run else 'building'} {common.index_path}"
    with metrics_to(None if dry_run else metrics_file, common, "build"):
        effective = effective_with(common, pdf, qdrant, neo4j, llm, vision, keep_images, batch, engine)
        from ..build import build_index

        with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
            report = build_index(
                sources,
                common.index_path,
                config=effective.config,
                yes=yes,
                max_removed=max_removed,
                max_cost=max_cost,
                max_calls=max_calls,
                max_seconds=max_seconds,
                without=left_out,
                dry_run=dry_run,
                reembed=reembed,
                on_event=on_event,
                cancel=cancel,
            )
    return show_plan(report, common, strict) if dry_run else show(report, common, strict)


def show(report: BuildReport, common: Common, strict: bool = False) -> int:
    """Write what a build, or a removal, did. Returns the exit code: 1 if an input failed that was not known
    to, or under ``strict`` any. One that a cap left out is owed, and did not fail."""
    unpaid = [] if strict else [failure for failure in report.failed if failure.reason == BUDGET_SPENT]
    new = [one for one in report.failed if strict or not (one.known or one in unpaid)]
    for failure in new:
        stale = " (its last good version is kept)" if failure.stale else ""
        said = f"failed: {one_line(failure.source)}: {failure.reason}: {one_line(failure.message)}{stale}"
        note(said, "warning", source=one_line(failure.source), reason=failure.reason)
    if unpaid and not common.quiet:
        count = "1 document is" if len(unpaid) == 1 else f"{len(unpaid):,} documents are"
        note(f"{count} not embedded, for the cap: treegraph status --failed; the next build goes on there")
    known = len(report.failed) - len(new) - len(unpaid)
    if known and not common.quiet:
        failures = "1 known failure" if known == 1 else f"{known:,} known failures"
        note(f"{failures}, of files that have not changed: treegraph status --failed names them")
    for reason in report.degraded:
        if reason.startswith("graph not made: "):
            note(f"treegraph: {one_line(reason)}")
    if report.failed and not report.chunks:
        note(f"the index holds nothing. What is read: {media.READ}")
    if common.json:
        emit(report.to_json())
    else:
        say("\n".join(_summary(report, common)))
    return 1 if new else 0


def _summary(report: BuildReport, common: Common) -> list[str]:
    lines = [_headline(report, common)]
    kinds = ("added", "changed", "renamed", "unchanged", "removed", "failed")
    lines.append("documents  " + ", ".join(f"{len(getattr(report, kind)):,} {kind}" for kind in kinds))
    counts = ("pages", "chunks", "nodes", "entities", "relations", "communities")
    held = [f"{getattr(report, name):,} {name}" for name in counts if getattr(report, name)]
    work = f"{report.embedded:,} embedded, {report.reused:,} reused"
    lines.append(f"content    {', '.join(held) or 'nothing'}; {work}")
    lines += _pages(report)
    lines += _reasons("ignored", report.ignored) + _reasons("dropped", report.dropped)
    lines += _reasons("degraded", report.degraded) + _reasons("owed", report.owed)
    lines += _reasons("redacted", report.redacted) + _reasons("purged", report.purged)
    if report.waiting:
        lines.append(f"waiting    {report.waiting:,} calls in batches: the same command collects them later")
    lines += [f"behind     {name}, last whole in generation {g}" for name, g in report.behind.items()]
    seconds = [f"{stage} {value:.1f}" for stage, value in report.seconds.items()]
    lines.append(f"seconds    {', '.join(seconds)}; peak memory {report.peak_memory / 2**20:,.0f} MiB")
    for stage, tokens in report.tokens.items():
        counted = ", ".join(f"{count:,} {name}" for name, count in tokens.items())
        cost = report.known_cost(stage)
        lines.append(f"model      {stage}: {counted}; cost {'unknown' if cost is None else f'{cost:.4f}'}")
    return lines


def _headline(report: BuildReport, common: Common) -> str:
    if report.generation is None:
        return f"{common.index_path} is up to date; nothing was published"
    return f"published generation {report.generation} of {common.index_path}"


def _pages(report: BuildReport) -> list[str]:
    """How the pages were read, where not all by their text layers, and those that nothing could read."""
    from .hits import pages

    lines = []
    if set(report.read) - {"text"}:
        lines.append("pages      " + ", ".join(f"{n:,} by {way}" for way, n in sorted(report.read.items())))
    for source, numbers in sorted(report.unreadable.items())[:_NAMED]:
        lines.append(f"unreadable {one_line(source)} {pages(numbers)}")
    more = len(report.unreadable) - _NAMED
    return [*lines, f"unreadable pages of {more:,} more documents: see status"] if more > 0 else lines


def _reasons(title: str, counts: dict[str, int]) -> list[str]:
    shown = ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))
    return [f"{title:9}  {shown}"] if shown else []
