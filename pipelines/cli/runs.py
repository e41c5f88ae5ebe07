"""``treegraph runs``: the history of an index."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from .common import Common, command
from .output import emit, one_line, show

if TYPE_CHECKING:
    from rich.table import Table

_HELD = ("documents", "chunks", "failures")
_RIGHT = (*_HELD, "generation", "seconds", "cost")


@command("runs", short_help="What past runs did, and how they differ.")
@click.option("-n", "most", type=click.IntRange(1), default=20, show_default=True, help="How many runs.")
def runs(common: Common, most: int) -> int:
    """Print the last runs that wrote to the index, newest first: builds, removals, rollbacks and the rest,
    those that failed, were stopped or killed, or found the index locked.

    In brackets is the difference: of documents, chunks and failures to the run before, of seconds and cost to
    the last run of the same command that came to its end, of quality (where treegraph eval -i measured the
    generation) to the last figure from the same questions.
    """
    from ..runs import runs as read_runs

    found = read_runs(common.index_path, most)
    if common.json:
        emit(found)
    elif not found["runs"]:
        show("no run has written to this index since its history began")
    else:
        show(_table(found["runs"]))
    return 0


def _table(found: list[Mapping[str, Any]]) -> Table:
    from rich.table import Table

    titles = ("run", "started", "command", "outcome", "generation", *_HELD, "seconds", "cost", "quality")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in titles:
        table.add_column(title, justify="right" if title in _RIGHT else "left", overflow="fold")
    for run in found:
        change = run["change"]
        table.add_row(
            run["id"][:8],
            datetime.fromisoformat(run["started"]).astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            run["command"],
            one_line(run["outcome"] + (f": {run['reason']}" if run["reason"] else "")),
            _with(run["generation"], None, ",d"),
            *(_with(run[name], change.get(name), ",d") for name in _HELD),
            _with(run["seconds"], change.get("seconds"), ",.1f"),
            _cost(run),
            one_line(", ".join(_quality(name, run) for name in run["quality"])),
        )
    return table


def _cost(run: Mapping[str, Any]) -> str:
    """What a run cost; nothing where it asked no model."""
    if run["cost"] is None and run["tokens"]:
        return "unknown"
    return _with(run["cost"], run["change"].get("cost"), ",.4f") if run["cost"] else ""


def _quality(name: str, run: Mapping[str, Any]) -> str:
    measured = run["quality"][name]
    metric = measured["headline"]
    if not metric:
        return name
    before = run["change"].get("quality", {}).get(name, {}).get(metric)
    return f"{name} {metric} {_with(measured['metrics'][metric], before, '.3f')}"


def _with(value: float | None, change: float | None, form: str) -> str:
    """A figure, and in brackets how it changed; nothing where it did not."""
    if value is None:
        return ""
    told = "" if change is None else format(change, f"+{form}")
    return format(value, form) + (f" ({told})" if told.strip("+-0.,") else "")
