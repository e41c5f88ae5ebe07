"""Batches that a server works on, and the answers that came with them, in the ledger's file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from ..models.batches import BatchAnswer
from ..models.usage import Usage
from .ledger import Ledger

_PATIENCE = 30
"""Days with a run, until a batch is given up that the server named now does not know."""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch under our ``mark``; ``remote`` is its id at the server, None where it is not known whether the
    server took it. ``server`` is the address and the account that it was handed over to; an older ledger did
    not know."""

    mark: str
    stage: str
    remote: str | None
    submitted: float
    server: str = ""


class BatchLedger:
    """Safe from several threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def begin(self, mark: str, stage: str, keys: Iterable[str], server: str) -> None:
        """Calls are about to be handed over to a server."""
        with self._ledger.transaction():
            self._ledger.write(
                "INSERT INTO batches VALUES (?,?,NULL,?,?)", [(mark, stage, time.time(), server)]
            )
            rows = [(key, mark) for key in keys]
            self._ledger.write("INSERT OR REPLACE INTO batch_calls VALUES (?,?,NULL,NULL)", rows)

    def submitted(self, mark: str, remote: str) -> None:
        """The server took them."""
        self._ledger.write("UPDATE batches SET remote = ? WHERE mark = ?", [(remote, mark)])

    def batches(self) -> list[BatchRow]:
        """The batches that did not come back, the oldest first."""
        if not self._known:
            return []
        rows = self._ledger.rows("SELECT * FROM batches ORDER BY submitted, mark")
        return [BatchRow(*tuple(row)) for row in rows]

    def given_up(self, row: BatchRow) -> bool:
        """Whether it is so old that no server keeps its answers. The days are counted on which there was a
        run since: a clock that was far ahead for a night is one day ahead."""
        sql = "SELECT count(DISTINCT CAST(started / 86400 AS INTEGER)) FROM runs WHERE started > ?"
        return int(self._ledger.rows(sql, row.submitted)[0][0]) > _PATIENCE

    def end(self, mark: str, answers: Mapping[str, BatchAnswer]) -> None:
        """A batch came back: keep its answers, forget what has none."""
        values = [(_packed(answer), time.time(), key, mark) for key, answer in answers.items()]
        with self._ledger.transaction():
            self._ledger.write(
                "UPDATE batch_calls SET answer = ?, answered = ? WHERE key = ? AND mark = ?", values
            )
            self._ledger.write("DELETE FROM batch_calls WHERE mark = ? AND answer IS NULL", [(mark,)])
            self._ledger.write("DELETE FROM batches WHERE mark = ?", [(mark,)])

    def keys(self, mark: str) -> set[str]:
        """The calls of a batch."""
        return {row["key"] for row in self._ledger.rows("SELECT key FROM batch_calls WHERE mark = ?", mark)}

    def answer(self, key: str) -> tuple[bool, BatchAnswer | None]:
        """Whether a call was put into a batch, and the answer where that came back."""
        rows = self._ledger.rows("SELECT answer FROM batch_calls WHERE key = ?", key)
        kept = rows[0]["answer"] if rows else None
        return bool(rows), None if kept is None else _unpacked(kept)

    def counts(self) -> tuple[int, int]:
        """How many calls wait, and how many have answers; an older ledger knows of none."""
        if not self._known:
            return 0, 0
        sql = "SELECT count(*) - count(answer), count(answer) FROM batch_calls"
        waiting, answered = self._ledger.rows(sql)[0]
        return int(waiting), int(answered)

    @property
    def _known(self) -> bool:
        return bool(self._ledger.rows("SELECT 1 FROM sqlite_master WHERE name = 'batch_calls'"))

    def waits(self, stage: str) -> bool:
        """Whether calls of a stage wait."""
        sql = "SELECT 1 FROM batch_calls JOIN batches USING (mark) WHERE stage = ? AND answer IS NULL LIMIT 1"
        return bool(self._ledger.rows(sql, stage))

    def forget(self, keys: Iterable[str]) -> None:
        """Answers that are kept elsewhere now. Others stay: they are paid for, and what they are about may
        come back."""
        self._ledger.write("DELETE FROM batch_calls WHERE key = ?", [(key,) for key in keys])


def _packed(answer: BatchAnswer) -> str:
    return json.dumps(asdict(answer), ensure_ascii=True)


def _unpacked(kept: str) -> BatchAnswer:
    values = json.loads(kept)
    usage = values["usage"]
    return BatchAnswer(values["text"], Usage(**usage) if usage else None, values["cut"])
