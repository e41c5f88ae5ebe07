"""What the ledger remembers of builds: their state, what failed, what model calls cost."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from .ledger import Ledger


@dataclass(frozen=True, slots=True)
class FailureRow:
    """An input that failed. ``stale``: its last good version is still in the index. ``reported``: a run that
    came to its end has told of it, and what failed is the same file still."""

    source: str
    root: str
    file: str
    reason: str
    message: str
    version: str
    recipe: str
    stale: bool
    first_seen: float
    reported: bool = False


@dataclass(frozen=True, slots=True)
class BuildRow:
    """A build: ``scope`` is what it mirrors; ``state`` is running, published or dropped."""

    generation: int
    base: int | None
    scope: str
    state: str
    started: float
    finished: float | None
    report: Mapping[str, Any] | None


class RunLog:
    """Builds, failures and spend, in the ledger's file."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def running(self) -> BuildRow | None:
        """The build that began and was never published, if any."""
        rows = self._ledger.rows(
            "SELECT * FROM builds WHERE state = 'running' ORDER BY generation DESC LIMIT 1"
        )
        return _build(rows[0]) if rows else None

    def build(self, generation: int) -> BuildRow | None:
        """The build of a generation, None where none is known."""
        rows = self._ledger.rows("SELECT * FROM builds WHERE generation = ?", generation)
        return _build(rows[0]) if rows else None

    def settle_published(self, generations: Iterable[int]) -> None:
        """Builds that were killed between their publication and their last note."""
        sql = "UPDATE builds SET state = 'published' WHERE generation = ? AND state = 'running'"
        self._ledger.write(sql, [(number,) for number in generations])

    def newest(self) -> int:
        """The highest generation number that a build ever used; 0 for none."""
        return int(self._ledger.rows("SELECT coalesce(max(generation), 0) FROM builds")[0][0])

    def start(self, generation: int, base: int | None, scope: str) -> None:
        """A build of ``generation`` on top of ``base`` begins."""
        values = (generation, base, scope, "running", time.time(), None, None)
        self._ledger.write("INSERT INTO builds VALUES (?,?,?,?,?,?,?)", [values])

    def finish(self, generation: int, report: Mapping[str, Any]) -> None:
        """A build was published."""
        sql = "UPDATE builds SET state = 'published', finished = ?, report = ? WHERE generation = ?"
        self._ledger.write(sql, [(time.time(), json.dumps(report, ensure_ascii=False), generation)])

    def drop(self, generation: int) -> None:
        """A build is given up."""
        self._ledger.write("UPDATE builds SET state = 'dropped' WHERE generation = ?", [(generation,)])

    def failures(self) -> dict[str, FailureRow]:
        """What failed and still does, by source."""
        rows = self._ledger.rows("SELECT * FROM failures ORDER BY source")
        return {row["source"]: _failure(row) for row in rows}

    def forget_failures(self, sources: Iterable[str]) -> None:
        """Failures that are over."""
        self._ledger.write("DELETE FROM failures WHERE source = ?", [(source,) for source in sources])

    def replace_failures(self, gone: Iterable[str], failed: Iterable[FailureRow]) -> list[FailureRow]:
        """Forget the failures of the files ``gone`` and keep ``failed``, each since it was first seen.

        Returns what is kept of ``failed``: reported, where the same file had failed in the same way."""
        with self._ledger.transaction():
            known = self.failures()
            self._ledger.write("DELETE FROM failures WHERE file = ?", [(file,) for file in gone])
            kept = [_as_known(failure, known.get(failure.source)) for failure in failed]
            values = [astuple(failure) for failure in kept]
            self._ledger.write("INSERT OR REPLACE INTO failures VALUES (?,?,?,?,?,?,?,?,?,?)", values)
        return kept

    def mark_reported(self, sources: Iterable[str]) -> None:
        """A run told of these failures, and came to its end."""
        self._ledger.write("UPDATE failures SET reported = 1 WHERE source = ?", [(s,) for s in sources])

    def spend(self, generation: int, stage: str, counts: Mapping[str, float]) -> None:
        """Add to what a stage of a build counted: calls, tokens_in, tokens_out, cost, seconds."""
        sql = """INSERT INTO spend VALUES (?,?,?,?) ON CONFLICT (generation, stage, name)
                 DO UPDATE SET value = value + excluded.value"""
        self._ledger.write(sql, [(generation, stage, name, value) for name, value in counts.items()])

    def spent(self, generation: int | None = None) -> dict[str, dict[str, float]]:
        """What each stage counted, in one build or over all (None)."""
        sql = """SELECT stage, name, sum(value) AS value FROM spend
                 WHERE (? IS NULL OR generation = ?) GROUP BY stage, name"""
        totals: dict[str, dict[str, float]] = {}
        for row in self._ledger.rows(sql, generation, generation):
            totals.setdefault(row["stage"], {})[row["name"]] = row["value"]
        return totals


class LedgerCallCache:
    """The model-call cache in the ledger: only validated output is put here."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, key: str) -> str | None:
        """The output stored under ``key``, or None."""
        rows = self._ledger.rows("SELECT output FROM calls WHERE key = ?", key)
        return rows[0]["output"] if rows else None

    def put(self, key: str, output: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Remember a validated output, at once and for good."""
        values = (key, output, tokens_in, tokens_out, cost, time.time())
        self._ledger.write("INSERT OR REPLACE INTO calls VALUES (?,?,?,?,?,?)", [values])


def _as_known(failure: FailureRow, before: FailureRow | None) -> FailureRow:
    if before is None:
        return failure
    same = (failure.version, failure.reason) == (before.version, before.reason)
    return replace(failure, first_seen=before.first_seen, reported=same and before.reported)


def _failure(row: sqlite3.Row) -> FailureRow:
    # A ledger that an older version made, and nothing has written to since, does not know what was reported.
    values = {"reported": True, **dict(row)}
    return FailureRow(**{**values, "stale": bool(values["stale"]), "reported": bool(values["reported"])})


def _build(row: sqlite3.Row) -> BuildRow:
    report = json.loads(row["report"]) if row["report"] else None
    return BuildRow(
        row["generation"], row["base"], row["scope"], row["state"], row["started"], row["finished"], report
    )
