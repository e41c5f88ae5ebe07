"""Calls of a build that are handed to the batch interface of a model's server, and collected by a later run.

A call whose answer is there is answered; any other is put into a batch and ends in CallWaits, so that its
item is owed. Where calls would rest on what others are yet to say they are held, and put into no batch.
"""

from __future__ import annotations

import json
import logging
import tempfile
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ..indexer.errors import CallWaits, ModelCallError
from ..indexer.models.batches import GONE, BatchCall, BatchServer, OpenAIBatches
from ..indexer.models.ports import Completion
from ..indexer.models.settings import LLMSettings
from ..indexer.stores.addresses import without_secrets
from ..indexer.stores.ledger import Ledger
from ..indexer.stores.ledger_batches import BatchLedger, BatchRow

log = logging.getLogger(__name__)

_PATIENCE = 3
"""Batches that cannot be asked for until the server is taken to be away."""
_NOT_MADE = ("expired", "cancelled")
"""How the reasons end for which a call was not made, rather than failed."""


class Batches:
    """The batches of one index: :meth:`collect` those that came back, :meth:`ask`, :meth:`put` calls into
    new ones, and :meth:`submit` those stage by stage. Safe from several threads.

    Of what was collected last ``came`` says whether there are answers that were not asked for yet, ``stuck``
    that there are none and calls wait for more.
    """

    def __init__(self, known: BatchLedger, server: BatchServer, most_calls: int, most_bytes: int) -> None:
        """One batch holds at most so many calls and bytes."""
        self._known = known
        self._server = server
        self._name = server_name(server)
        self._most_calls = most_calls
        self._most_bytes = most_bytes
        self._elsewhere = 0
        self._lock = threading.Lock()
        self._spool = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - lives as long as this
        self._queued: set[str] = set()
        self._used: set[str] = set()
        self._failed: set[str] = set()
        self._held = False
        self.came = self.stuck = False

    @property
    def waiting(self) -> int:
        """Calls that wait for their batches."""
        return self._known.counts()[0]

    def collect(self) -> Counter[str]:
        """Take what came back. Counts, by stage and reason, the calls that have no answer: those that failed
        are put into a batch again by the next run, so that what waits for them gets on in this one."""
        lost: Counter[str] = Counter()
        errors = 0
        for row in self._known.batches():
            try:
                self._collect(row, lost)
            except ModelCallError as error:
                lost[f"{row.stage}: batch not asked for"] += 1
                log.warning("a batch of calls was not asked for: %s", error)
                errors += 1
            if errors == _PATIENCE:
                break
        waiting, answered = self._known.counts()
        waiting -= self._elsewhere
        self.came, self.stuck = answered > 0, answered == 0 < waiting
        return lost

    def _collect(self, row: BatchRow, lost: Counter[str]) -> None:
        keys = self._known.keys(row.mark)
        ours = row.server in ("", self._name) or self._known.given_up(row)
        remote = row.remote or self._server.find(row.mark)
        if remote is None and not ours:
            self._leave(row, len(keys), lost)
            return
        if remote is None:  # the process ended before the server had it
            self._known.end(row.mark, {})
            return
        if row.remote is None:
            self._known.submitted(row.mark, remote)
        end = self._server.collect(remote)
        if end is None:
            return
        if end.why == GONE and not ours:
            self._leave(row, len(keys), lost)
            return
        self._known.end(row.mark, end.answers)
        for key in keys - end.answers.keys():
            why = end.failed.get(key, end.why)
            lost[f"{row.stage}: batch call {why}"] += 1
            if key in end.failed and not why.endswith(_NOT_MADE):
                self._failed.add(key)

    def _leave(self, row: BatchRow, calls: int, lost: Counter[str]) -> None:
        """Another server, or another account of it, has a batch: its calls are not made here, unasked, for
        money that was spent there."""
        self._elsewhere += calls
        lost[f"{row.stage}: batch of another server or key"] += calls
        log.warning(
            "%d calls wait in batch %s, which was handed over to %s; %s does not know it. Name that server "
            "and key again to collect it, or build without --batch, which makes these calls at once and pays "
            "for them again",
            calls,
            row.remote or row.mark,
            row.server.partition(" ")[0],
            self._name.partition(" ")[0],
        )

    def ask(self, call: BatchCall) -> Completion | None:
        """The answer to a call; None where it is yet to be put into a batch. Raises CallWaits where it waits
        for one, and ModelCallError where it failed in one just now."""
        known, answer = self._known.answer(call.key)
        with self._lock:
            if answer is not None:
                self._used.add(call.key)
                return answer.completion(call.prompt)
            if known or self._held or call.key in self._queued:
                raise CallWaits("waits for a batch")
            if call.key in self._failed:
                raise ModelCallError("failed in its batch")
        return None

    def put(self, call: BatchCall) -> None:
        """Have the next batch hold a call."""
        with self._lock:
            self._queued.add(call.key)
            self._spool.write(json.dumps(asdict(call)) + "\n")

    def hold(self, stage: str) -> None:
        """Where calls of a stage wait, put no more into batches until the next is submitted: they would rest
        on what those are to say."""
        with self._lock:
            self._held = self._held or bool(self._queued) or self._known.waits(stage)

    def submit(self, stage: str) -> Counter[str]:
        """Hand over the calls that a stage asked for. Counts those that were not, by reason."""
        lost: Counter[str] = Counter()
        with self._lock:
            self._held = False
            if not self._queued:
                return lost
            self._spool.seek(0)
            for calls in self._sliced(BatchCall(**json.loads(line)) for line in self._spool):
                try:
                    self._hand_over(stage, calls)
                except ModelCallError as error:
                    lost[f"{stage}: batch not handed over"] += len(calls)
                    log.warning("%d calls were not handed over in a batch: %s", len(calls), error)
            self._spool.seek(0)
            self._spool.truncate()
            self._queued = set()
        return lost

    def _sliced(self, calls: Iterator[BatchCall]) -> Iterator[list[BatchCall]]:
        """The calls in stretches that the server takes."""
        held: list[BatchCall] = []
        size = 0
        for call in calls:
            more = self._server.size(call)
            if held and (len(held) == self._most_calls or size + more > self._most_bytes):
                yield held
                held, size = [], 0
            held.append(call)
            size += more
        if held:
            yield held

    def _hand_over(self, stage: str, calls: Sequence[BatchCall]) -> None:
        mark = uuid.uuid4().hex
        self._known.begin(mark, stage, [call.key for call in calls], self._name)
        try:
            remote = self._server.submit(mark, calls)
        except ModelCallError as error:
            if not error.may_cost:  # else it may be there, and is looked for by the next run
                self._known.end(mark, {})
            raise
        self._known.submitted(mark, remote)

    def finish(self) -> None:
        """The build is done: what came of the answers is in the call cache."""
        self._known.forget(self._used)
        self._spool.close()


def open_batches(ledger: Ledger, settings: LLMSettings) -> Batches | None:
    """The batches of an index at the server of ``settings``; None where calls are to be made at once."""
    if not settings.batch:
        return None
    server = OpenAIBatches(settings)
    return Batches(BatchLedger(ledger), server, settings.batch_calls, settings.batch_bytes)


def withdraw_batches(ledger: Ledger, settings: LLMSettings) -> Counter[str]:
    """Have the server of ``settings`` cancel the batches that an index waits for, and delete their files.
    Counts those that were withdrawn, and those that were not: each of these is named in a warning."""
    counts: Counter[str] = Counter()
    rows = BatchLedger(ledger).batches()
    server = OpenAIBatches(settings) if rows and settings.model else None
    for row in rows:
        why = "" if server is not None else "no [llm] names its server"
        try:
            remote = server and (row.remote or server.find(row.mark))
            if server and not (remote and server.withdraw(remote)):
                why = f"{without_secrets(server.address)} does not know it"
        except ModelCallError as error:
            why = str(error)
        counts["batches not withdrawn" if why else "batches"] += 1
        if why:
            log.warning(
                "batch %s, which was handed over to %s and may hold what is purged, was not cancelled there: "
                "%s. Cancel it at the provider, and delete its files",
                row.remote or row.mark,
                row.server.partition(" ")[0] or "a server",
                why,
            )
    return counts


def server_name(server: BatchServer) -> str:
    """What the ledger calls a server, and whose batches are meant, without any secret."""
    return f"{without_secrets(server.address)} {server.account}"
