"""``treegraph doctor``: what an index needs, whether it is there and works, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .common import Common, command
from .failing import FAILED
from .flags import build_flags, effective_with, llm_given, vision_given
from .interrupt import cancelled_by_interrupt
from .output import emit, one_line, show
from .progress import progress

if TYPE_CHECKING:
    from rich.table import Table

    from ..config import Effective
    from ..doctor.finding import Diagnosis

_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red", "not configured": "dim"}


@command("doctor", short_help="Check what an index needs, and say what to do.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="How long each service's answer is waited for.",
)
@click.option("--no-calls", is_flag=True, help="Call no language or vision model: it may cost a few tokens.")
@click.option("--only", multiple=True, metavar="CHECK", help="Make this check alone; may be repeated.")
@build_flags
def doctor(
    common: Common,
    seconds: float,
    no_calls: bool,
    only: tuple[str, ...],
    pdf: str | None,
    qdrant: str | None,
    neo4j: str | None,
    llm: str | None,
    vision: str | None,
) -> int:
    """Look at everything that the index needs: Python and packages, the machine, the configuration, the
    index's folder, each model that runs here, and a round trip to each service that is configured.

    Each check is ok, a warning, failed, or not configured, and says what to do. The exit code is 3 where
    something that is needed failed, else 0. Flags are those of build: the services that it would use are
    asked.
    """

    llm_given(llm), vision_given(vision)  # a flag that is misspelt is wrong usage, not a finding

    def configure() -> Effective:
        return effective_with(common, pdf, qdrant, neo4j, llm, vision)

    from ..doctor.examination import doctor as examine

    with cancelled_by_interrupt(common) as cancel, progress("looking", common.quiet) as on_event:
        diagnosis = examine(
            common.index_path,
            configure=configure,
            seconds=seconds,
            calls=not no_calls,
            only=only,
            on_event=on_event,
            cancel=cancel,
        )
    if common.json:
        emit(diagnosis.to_json())
    else:
        show(_table(diagnosis), "", _sum(diagnosis))
    return 0 if diagnosis.ok else FAILED


def _table(diagnosis: Diagnosis) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("check", "state", "found, and what to do"):
        table.add_column(title, overflow="fold")
    for check in diagnosis.checks:
        state = Text(check.state, style=_STYLES[check.state])
        table.add_row(check.name, state, one_line(check.found))
        if check.do:
            table.add_row("", "", Text(f"-> {one_line(check.do)}", style="dim"))
    return table


def _sum(diagnosis: Diagnosis) -> str:
    counts = {state: sum(check.state == state for check in diagnosis.checks) for state in _STYLES}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)
