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
from ..indexer.models.batches import BatchCall, BatchServer, OpenAIBatches
from ..indexer.models.call_cache import call_key
from ..indexer.models.in_place import InPlaceOf
from ..indexer.models.ports import Completion, LanguageModel
from ..indexer.models.settings import LLMSettings
from ..indexer.stores.ledger import Ledger
from ..indexer.stores.ledger_batches import BatchLedger, BatchRow
from .paid_models import PaidModel
from .spending import Spending

log = logging.getLogger(__name__)

_PATIENCE = 3
"""Batches that cannot be asked for until the server is taken to be away."""
_NOT_MADE = ("expired", "cancelled")
"""How the reasons end for which a call was not made, rather than failed."""
_MOST_CALLS = 20_000
_MOST_BYTES = 100_000_000
"""What one batch holds at most; servers refuse those of more than 50,000 calls or 200 MB."""


class Batches:
    """The batches of one index: :meth:`collect` those that came back, let :class:`BatchModel` ask, and
    :meth:`submit` what it asked for stage by stage. Safe from several threads.

    Of what was collected last ``came`` says whether there are answers that were not asked for yet, ``stuck``
    that there are none and calls wait for more.
    """

    def __init__(self, known: BatchLedger, server: BatchServer) -> None:
        self._known = known
        self._server = server
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
        self.came, self.stuck = answered > 0, answered == 0 < waiting
        return lost

    def _collect(self, row: BatchRow, lost: Counter[str]) -> None:
        keys = self._known.keys(row.mark)
        remote = row.remote or self._server.find(row.mark)
        if remote is None:  # the process ended before the server had it
            self._known.end(row.mark, {})
            return
        if row.remote is None:
            self._known.submitted(row.mark, remote)
        end = self._server.collect(remote)
        if end is None:
            return
        self._known.end(row.mark, end.answers)
        for key in keys - end.answers.keys():
            why = end.failed.get(key, end.why)
            lost[f"{row.stage}: batch call {why}"] += 1
            if key in end.failed and not why.endswith(_NOT_MADE):
                self._failed.add(key)

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
            for calls in _sliced(BatchCall(**json.loads(line)) for line in self._spool):
                try:
                    self._hand_over(stage, calls)
                except ModelCallError as error:
                    lost[f"{stage}: batch not handed over"] += len(calls)
                    log.warning("%d calls were not handed over in a batch: %s", len(calls), error)
            self._spool.seek(0)
            self._spool.truncate()
            self._queued = set()
        return lost

    def _hand_over(self, stage: str, calls: Sequence[BatchCall]) -> None:
        mark = uuid.uuid4().hex
        self._known.begin(mark, stage, [call.key for call in calls])
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


class BatchModel(InPlaceOf):
    """A language model whose calls go into batches, at ``factor`` of its prices, and are paid from a
    :class:`Spending` when they are put there, as if each filled its room."""

    def __init__(self, model: LanguageModel, batches: Batches, spending: Spending, factor: float) -> None:
        super().__init__(model, factor)
        self._batches = batches
        self._paid = PaidModel(_Queue(self, batches), spending)

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """See :meth:`.ports.LanguageModel.complete`. Raises CallWaits, and BudgetSpent."""
        done = self._batches.ask(batch_call(self.name, prompt, max_tokens))
        return done or self._paid.complete(prompt, max_tokens)


class _Queue(InPlaceOf):
    """Puts every call into the next batch."""

    def __init__(self, model: BatchModel, batches: Batches) -> None:
        super().__init__(model)
        self._batches = batches

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        self._batches.put(batch_call(self.name, prompt, max_tokens))
        raise CallWaits("is put into a batch")


def open_batches(ledger: Ledger, settings: LLMSettings) -> Batches | None:
    """The batches of an index at the server of ``settings``; None where calls are to be made at once."""
    return Batches(BatchLedger(ledger), OpenAIBatches(settings)) if settings.batch else None


def batch_call(model: str, prompt: str, max_tokens: int) -> BatchCall:
    """A call, under a key that it has in every run."""
    return BatchCall(call_key(model, "batch", f"{max_tokens}\n{prompt}"), prompt, max_tokens)


def _sliced(calls: Iterator[BatchCall]) -> Iterator[list[BatchCall]]:
    """The calls in stretches that a server takes."""
    held: list[BatchCall] = []
    size = 0
    for call in calls:
        more = len(json.dumps(call.prompt))  # as it is handed over: six bytes for a letter beyond ASCII
        if held and (len(held) == _MOST_CALLS or size + more > _MOST_BYTES):
            yield held
            held, size = [], 0
        held.append(call)
        size += more
    if held:
        yield held
