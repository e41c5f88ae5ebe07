"""``treegraph verify``: whether an index is sound, and mending what can be derived."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from .common import Common, command
from .flags import caps_options
from .interrupt import cancelled_by_interrupt
from .output import emit, note, one_line, say
from .progress import progress

if TYPE_CHECKING:
    from ..verification.finding import Finding, Verification

_LISTED = 40
"""Findings that are listed one by one; the rest is counted."""


@command("verify", short_help="Find out whether an index is sound; mend it.")
@click.option("--repair", is_flag=True, help="Mend what can be derived, and verify again.")
@click.option(
    "--deep",
    is_flag=True,
    help="Embed every text again and resolve the graph again, and compare; as long as embedding takes.",
)
@caps_options
def verify(
    common: Common,
    repair: bool,
    deep: bool,
    max_cost: float | None,
    max_calls: int | None,
    max_seconds: float | None,
) -> int:
    """Find out whether an index is sound.

    Every link leads somewhere, every chunk and page is covered, stores and ledger agree, and nothing is left
    that belongs to nothing: in the published generation, and in the one that a rollback would publish.
    Readers and builds are not disturbed. A repair writes a new generation where readers would see it; what
    cannot be derived is named with what to do.

    Exit codes: 0 the index is sound, or all of it was mended; 1 there are findings; 3 it cannot be opened.
    """
    from ..verification.verify import verify as verified

    config = common.effective().config
    work = f"verifying {common.index_path}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        result = verified(
            common.index_path,
            repair=repair,
            deep=deep,
            config=config,
            max_cost=max_cost,
            max_calls=max_calls,
            max_seconds=max_seconds,
            on_event=on_event,
            cancel=cancel,
        )
    if common.json:
        emit(result.to_json())
    else:
        _show(result, common.quiet)
    return 0 if result.sound else 1


def _show(result: Verification, quiet: bool) -> None:
    for finding in result.mended[:_LISTED]:
        say(f"mended: {_line(finding)}")
    for finding in result.findings[:_LISTED]:
        say(f"{_line(finding)}\n    {finding.remedy}")
    for title, findings in (("mended", result.mended), ("found", result.findings)):
        if len(findings) > _LISTED:
            counts = Counter(f"{one.store}: {one.kind}" for one in findings)
            listed = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
            say(f"{title} in all: {listed}")
    checked = ", ".join(f"{count:,} {name}" for name, count in result.checked.items() if count)
    generations = " and ".join(str(number) for number in result.generations) or "none"
    say(f"generations {generations}: {checked or 'nothing'} looked at in {result.seconds:.1f} s")
    if result.generation is not None:
        say(f"published as generation {result.generation}; there is none to roll back to")
    derived = sum(finding.derived for finding in result.findings)
    if result.sound:
        say("the index is sound")
    elif derived:
        say(f"{len(result.findings):,} findings; treegraph verify --repair mends {derived:,} of them")
    else:
        say(f"{len(result.findings):,} findings")
    if not quiet:
        for unchecked in result.unchecked:
            note(f"treegraph: not compared: {unchecked}")


def _line(finding: Finding) -> str:
    pages = finding.pages
    at = "" if pages is None else f" p. {pages[0]}" if pages[0] == pages[1] else f" p. {pages[0]}-{pages[1]}"
    place = f" ({finding.source}{at})" if finding.source else ""
    return one_line(f"{finding.store}: {finding.kind}: {finding.what}{place} [{finding.id}]")
