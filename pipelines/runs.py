"""The history of an index: every run that wrote, what came of it, how it differs from the run before."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import psutil

from ..indexer.models.usage import known_cost, whole_cost
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_history import ENDED_WELL, RunHistory, RunRow
from .opening import index_path

SHOWN = 20
"""Runs that are told of unless more are asked for."""
_HELD = ("documents", "chunks", "nodes", "failures")
_OF_LAST = ("id", "started", "finished", "seconds", "generation", "cost")
_WRITING = ("build", "remove", "upsert", "delete", "graph")
"""Commands whose seconds and cost compare, each with its own kind."""


def runs(index: str | os.PathLike[str] | None = None, most: int | None = SHOWN) -> dict[str, Any]:
    """The last ``most`` runs of an index (None: all), newest first, as JSON values.

    Each has its id, command, process, ``started`` and ``finished`` (UTC), ``seconds`` (by a monotonic clock),
    ``outcome`` (running, published, unchanged, failed, stopped, killed), what the index held afterwards
    (``documents``, ``chunks``, ``nodes``, ``failures``), ``cost``, ``tokens``, ``quality`` where
    ``treegraph eval -i`` measured its generation, its ``report``, and under ``change`` the differences: of
    what is held to the run before, of seconds and cost to the last run of the same command that came to its
    end, of quality to the last run of which the same questions were asked under the same settings. Another
    process may be writing meanwhile. Raises IndexNotFound or StoreError.
    """
    with closing(IndexFolder.open(index_path(index))) as folder:
        rows = RunHistory(folder.ledger).newest()
        path = str(folder.path)
    shown = rows[: len(rows) if most is None else most]
    return {
        "schema": 1,
        "index": path,
        "runs": [_told(row, rows[number:]) for number, row in enumerate(shown, 1)],
    }


def last_build(history: RunHistory) -> dict[str, Any] | None:
    """What the last build that published something came to, as JSON values, with what of it was degraded, by
    reason, and how many pages nothing could read. None where no run tells of one."""
    rows = (row for row in history.newest() if row.command == "build" and row.outcome == "published")
    row = next(rows, None)
    if row is None or row.report is None:
        return None
    told = {name: value for name, value in _told(row, []).items() if name in _OF_LAST}
    return {**told, "degraded": row.report["degraded"], "unreadable": row.report["unreadable"]}


def cost_of(row: RunRow) -> float | None:
    """What the model calls of a run cost, all stages together, of one that was killed as far as they were
    answered; None where there is no count, and where prices are not known."""
    if row.report is not None:
        return whole_cost(row.report["cost"].values())
    return known_cost(row.paid.cost, row.paid.calls) if row.paid is not None else None


def _tokens(row: RunRow) -> dict[str, Any]:
    """By stage; of a run that did not come to counting, of all together."""
    if row.report is not None or row.paid is None:
        return dict(row.report["tokens"]) if row.report is not None else {}
    paid = row.paid
    return {"unfinished": {"in": paid.tokens_in, "out": paid.tokens_out, "calls": paid.calls}}


def _told(row: RunRow, earlier: Sequence[RunRow]) -> dict[str, Any]:
    return {
        "id": row.id,
        "command": row.command,
        "process": {"pid": row.pid, "host": row.host},
        "started": _utc(row.started),
        "finished": None if row.finished is None else _utc(row.finished),
        "seconds": None if row.seconds is None else round(row.seconds, 3),
        "outcome": _outcome(row),
        "reason": row.reason,
        "message": row.message,
        "generation": row.generation,
        **{name: row.counts.get(name) for name in _HELD},
        "cost": cost_of(row),
        "tokens": _tokens(row),
        "quality": dict(row.quality),
        "change": _change(row, earlier),
        "report": row.report,
    }


def _outcome(row: RunRow) -> str:
    """Killed, too, where the process that is to be running is not there any more."""
    if row.outcome == "running" and row.host == socket.gethostname() and not psutil.pid_exists(row.pid):
        return "killed"
    return row.outcome


def _change(row: RunRow, earlier: Sequence[RunRow]) -> dict[str, Any]:
    held = next((each.counts for each in earlier if each.counts), {}) if row.counts else {}
    change: dict[str, Any] = {
        name: row.counts[name] - held[name] for name in _HELD if name in held and name in row.counts
    }
    whole = row.command in _WRITING and row.outcome in ENDED_WELL
    alike = (each for each in earlier if each.command == row.command and each.outcome in ENDED_WELL)
    before = next(alike, None) if whole else None
    cost, cost_before = cost_of(row), cost_of(before) if before else None
    if before and row.report is not None and row.seconds is not None and before.seconds is not None:
        change["seconds"] = round(row.seconds - before.seconds, 3)
    if cost is not None and cost_before is not None:
        change["cost"] = cost - cost_before
    if quality := _quality_change(row.quality, earlier):
        change["quality"] = quality
    return change


def _quality_change(quality: Mapping[str, Any], earlier: Iterable[RunRow]) -> dict[str, dict[str, float]]:
    """By set and metric; only figures of the same questions under the same settings compare."""
    changes: dict[str, dict[str, float]] = {}
    missing = set(quality)
    for row in earlier:
        for name in [name for name in missing if name in row.quality]:
            now, then = quality[name], row.quality[name]
            if (now["asked"], now["config"]) == (then["asked"], then["config"]):
                metrics = now["metrics"].items()
                changes[name] = {m: v - then["metrics"][m] for m, v in metrics if m in then["metrics"]}
                missing.discard(name)
        if not missing:
            break
    return changes


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
