"""The history of runs in the ledger's file: every call of a command that writes, and what came of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

from .ledger_file import LedgerFile

Outcome = Literal["running", "published", "unchanged", "failed", "stopped", "killed"]
ENDED_WELL: tuple[Outcome, ...] = ("published", "unchanged")
"""Outcomes of runs that did what they were to do."""
_KEPT = 2000
"""Runs that are remembered: some five years of nights."""


@dataclass(frozen=True, slots=True)
class Paid:
    """What calls of models took that were answered: their number, tokens, money."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. ``number`` counts them in the order in which they began to write, whatever the clock said;
    ``id`` is that of its command line.

    ``started`` and ``finished`` are seconds since 1970 by the clock on the wall, ``seconds`` is what a
    monotonic clock said in between. ``outcome`` is running, published, unchanged, failed, stopped, or killed:
    found running by the next. ``reason`` says in a few words why it failed, ``message`` in full.
    ``generation`` is the one that it published; ``counts`` are what the index held afterwards, ``report``
    what it did, ``quality`` by evaluated set what was measured of its generation, ``paid`` what its calls
    took as they were answered. No document is named but, perhaps, in ``message``.
    """

    number: int
    id: str
    command: str
    pid: int
    host: str
    started: float
    finished: float | None
    seconds: float | None
    outcome: Outcome
    reason: str
    message: str
    generation: int | None
    counts: Mapping[str, int]
    report: Mapping[str, Any] | None
    quality: Mapping[str, Any]
    paid: Paid | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended; see :class:`RunRow`."""

    finished: float
    seconds: float
    outcome: Outcome
    reason: str = ""
    message: str = ""
    generation: int | None = None
    counts: Mapping[str, int] | None = None
    report: Mapping[str, Any] | None = None


class RunHistory:
    """Runs in the ledger's file. Anybody may add one that has ended: a writer that found the index locked has
    something to tell, too."""

    def __init__(self, ledger: LedgerFile) -> None:
        self._ledger = ledger

    def begin(self, run: str, command: str, pid: int, host: str, started: float) -> int:
        """A run begins to write; its number. For whoever holds the writer's lock: what still counts as
        running was killed. The oldest runs beyond those that are remembered are forgotten."""
        with self._ledger.transaction():
            self._ledger.write("UPDATE runs SET outcome = 'killed' WHERE outcome = ?", [("running",)])
            number = self._add(run, command, pid, host, started)
            for table in ("runs", "run_spend"):
                self._ledger.write(f"DELETE FROM {table} WHERE number <= ?", [(number - _KEPT,)])
        return number

    def pay(self, number: int, paid: Paid) -> None:
        """Add to what a run's calls took, at once: a run that is killed does not come to telling it."""
        sql = """INSERT INTO run_spend VALUES (?,?,?,?,?) ON CONFLICT (number) DO UPDATE SET
                 calls = calls + excluded.calls, tokens_in = tokens_in + excluded.tokens_in,
                 tokens_out = tokens_out + excluded.tokens_out, cost = cost + excluded.cost"""
        self._ledger.write(sql, [(number, *astuple(paid))])

    def add_ended(self, run: str, command: str, pid: int, host: str, started: float, ending: Ending) -> None:
        """A run that ended before it could write."""
        with self._ledger.transaction():
            self.finish(self._add(run, command, pid, host, started), ending)

    def finish(self, number: int, ending: Ending) -> None:
        """A run ended."""
        sql = """UPDATE runs SET finished = ?, seconds = ?, outcome = ?, reason = ?, message = ?,
                 generation = ?, counts = ?, report = ? WHERE number = ?"""
        counts, report = (
            None if value is None else json.dumps(value, ensure_ascii=False)
            for value in (ending.counts, ending.report)
        )
        said = (ending.finished, ending.seconds, ending.outcome, ending.reason, ending.message)
        self._ledger.write(sql, [(*said, ending.generation, counts, report, number)])

    def newest(self, most: int | None = None) -> list[RunRow]:
        """The last ``most`` runs, or all, newest first; none in a ledger that an older version made."""
        if not self._known():
            return []
        rows = self._ledger.rows(
            "SELECT * FROM runs ORDER BY number DESC LIMIT ?", -1 if most is None else most
        )
        paid = self._paid()
        return [replace(_run(row), paid=paid.get(row["number"])) for row in rows]

    def _paid(self) -> dict[int, Paid]:
        if not self._ledger.rows("SELECT 1 FROM sqlite_master WHERE name = 'run_spend'"):
            return {}
        rows = self._ledger.rows("SELECT * FROM run_spend")
        return {row["number"]: Paid(*tuple(row)[1:]) for row in rows}

    def last_number(self) -> int:
        """The number of the run that began last; 0 for none."""
        rows = self._ledger.rows("SELECT coalesce(max(number), 0) FROM runs") if self._known() else []
        return int(rows[0][0]) if rows else 0

    def run(self, run: str) -> RunRow | None:
        """The newest run of that id."""
        sql = "SELECT * FROM runs WHERE id = ? ORDER BY number DESC LIMIT 1"
        rows = self._ledger.rows(sql, run) if self._known() else []
        return _run(rows[0]) if rows else None

    def note_quality(self, generation: int, measured: Mapping[str, Any]) -> bool:
        """Add to the newest run that published ``generation`` what was measured of it, by set; whether there
        is such a run."""
        if not self._known():
            return False
        with self._ledger.transaction():
            sql = "SELECT * FROM runs WHERE generation = ? AND outcome = ? ORDER BY number DESC LIMIT 1"
            rows = self._ledger.rows(sql, generation, "published")
            for row in rows:
                quality = json.dumps({**_run(row).quality, **measured}, ensure_ascii=False)
                self._ledger.write("UPDATE runs SET quality = ? WHERE number = ?", [(quality, row["number"])])
        return bool(rows)

    def _add(self, run: str, command: str, pid: int, host: str, started: float) -> int:
        sql = "INSERT INTO runs (id, command, pid, host, started, outcome) VALUES (?,?,?,?,?,'running')"
        self._ledger.write(sql, [(run, command, pid, host, started)])
        return int(self._ledger.rows("SELECT max(number) FROM runs")[0][0])

    def _known(self) -> bool:
        return bool(self._ledger.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'runs'"))


def _run(row: sqlite3.Row) -> RunRow:
    values = dict(row)
    for name in ("counts", "report", "quality"):
        values[name] = json.loads(values[name]) if values[name] else None
    return RunRow(**{**values, "counts": values["counts"] or {}, "quality": values["quality"] or {}})
