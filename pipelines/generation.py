"""The generation being built: rows are compared, embedded, written, committed, and at last published.

Order makes every instant safe to die in: rows reach the store before the ledger knows them, what ends
is only marked in the ledger until the generation is sealed, and a build that goes on after a kill
settles what store and ledger saw differently.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from ..indexer.errors import Cancelled, ModelCallError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_rows import ChunkRow, document_row
from ..indexer.stores.ports import Row
from ..indexer.stretches import stretches
from .embedding import EmbeddingQueue
from .generation_store import GenerationStore
from .preparation import Prepared
from .rows import WantedRow, wanted_row
from .stage_clock import StageClock

_COMMIT_ROWS = 1024
_COMMIT_SECONDS = 5.0
_FETCH = 512


@dataclass(slots=True)
class _Pending:
    """A document on its way: staged once no row of it is still to be written."""

    prepared: Prepared
    left: int = 0
    new: int = 0
    ended: list[str] = field(default_factory=list)
    revived: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    error: ModelCallError | None = None


@dataclass(frozen=True, slots=True)
class Staged:
    """A document that the generation now holds, or the error that kept it out."""

    prepared: Prepared
    error: ModelCallError | None


class GenerationBuilder:
    """Makes generation ``h`` hold documents: their rows in ``store``, and what the ledger knows of them."""

    def __init__(
        self,
        folder: IndexFolder,
        store: GenerationStore,
        batch: int,
        cancel: threading.Event,
        clock: StageClock,
    ) -> None:
        self.h = store.h
        self.base = store.base
        self.store = store
        self.embedded = 0
        self.reused = 0
        self._ledger = folder.ledger
        self._batch = batch
        self._cancel = cancel
        self._clock = clock
        self._queue: EmbeddingQueue | None = None
        self._pending: deque[_Pending] = deque()
        self._by_document: dict[str, _Pending] = {}
        self._outbox: list[tuple[Row, ChunkRow]] = []
        self._committed = time.monotonic()
        self._sound = True

    def put(self, prepared: Prepared) -> Iterable[Staged]:
        """Take a document's chunks; gives the documents that became whole meanwhile."""
        queue = self._start()
        stamp = self.store.stamp
        wanted = [wanted_row(prepared.document, chunk, stamp) for chunk in prepared.chunks]
        pending = _Pending(prepared)
        self._pending.append(pending)
        self._by_document[prepared.document.id] = pending
        new = self._compare(pending, wanted)
        pending.new = len(new)
        for row in self._reuse(pending, new):
            pending.left += 1
            queue.put(row)
        return self._advance()

    def drain(self) -> Iterable[Staged]:
        """Wait for everything that is under way; gives the documents that became whole."""
        staged = list(self._advance(drain=True))
        self._commit()
        return [*staged, *self._stage()]

    def remove(self, documents: Sequence[str]) -> None:
        """Documents that this generation does not hold."""
        with self._ledger.transaction():
            for document in documents:
                self._ledger.end_chunks([row.key for row in self._ledger.chunks(document, self.h)], self.h)
            self._ledger.end_documents(documents, self.h)

    def drop_unfinished(self) -> None:
        """Rows of documents that did not become whole: they failed, or their file was given up."""
        self._ledger.end_chunks(self._ledger.orphan_chunks(self.h), self.h)

    def close(self) -> None:
        """Keep what was embedded and let go. Safe to call twice."""
        queue, self._queue = self._queue, None
        with closing(self.store):
            if queue is not None:
                queue.close()
            if self._sound and self.store.is_open:
                self._commit()

    def _start(self) -> EmbeddingQueue:
        if self._queue is None:
            self._queue = EmbeddingQueue(*self.store.encoders(), self._batch, self._clock)
        self.store.writer()
        return self._queue

    def _compare(self, pending: _Pending, wanted: Sequence[WantedRow]) -> list[WantedRow]:
        """Set what of the document's rows ends and comes back; return the rows that are new."""
        document = pending.prepared.document.id
        live = {(row.id, row.digest): row.key for row in self._ledger.chunks(document, self.h)}
        ended = {(row.id, row.digest): row.key for row in self._ledger.ended_chunks(document, self.h)}
        new: list[WantedRow] = []
        for row in wanted:
            place = (row.id, row.digest)
            if live.pop(place, None) is not None:
                self.reused += 1
            elif place in ended:
                pending.revived.append(ended[place])
            else:
                new.append(row)
        pending.ended = list(live.values())
        return new

    def _reuse(self, pending: _Pending, rows: Sequence[WantedRow]) -> list[WantedRow]:
        """Write the rows whose vectors some row already holds; return the others."""
        known = self._ledger.embedded_rows([row.embedded for row in rows]) if rows else {}
        copied: set[str] = set()
        again = [row for row in rows if row.embedded in known]
        for batch in stretches(again, _FETCH):
            stored = self.store.writer().fetch([known[row.embedded] for row in batch])
            for row in batch:
                source = stored.get(known[row.embedded])
                if source is not None and source.dense is not None:
                    self._write(pending, row, Row(row.key(self.h), row.payload, source.dense, source.sparse))
                    copied.add(row.id)
        self.reused += len(copied)
        return [row for row in rows if row.id not in copied]

    def _advance(self, drain: bool = False) -> Iterable[Staged]:
        staged: list[Staged] = []
        for done in self._queue.ready(drain) if self._queue is not None else ():
            if self._cancel.is_set():
                raise Cancelled("stopped; what was read and embedded is kept")
            pending = self._by_document[done.row.document]
            pending.left -= 1
            if done.error is not None:
                pending.error = done.error
            else:
                row = Row(done.row.key(self.h), done.row.payload, done.dense, done.sparse)
                self._write(pending, done.row, row)
                self.embedded += 1
            if self._is_due():
                self._commit()
                staged += self._stage()
        return staged

    def _is_due(self) -> bool:
        return len(self._outbox) >= _COMMIT_ROWS or time.monotonic() - self._committed > _COMMIT_SECONDS

    def _write(self, pending: _Pending, wanted: WantedRow, row: Row) -> None:
        known = ChunkRow(
            row.key, wanted.id, wanted.document, wanted.digest, wanted.embedded, wanted.payload["ordinal"]
        )
        self._outbox.append((row, known))
        pending.written.append(row.key)

    def _commit(self) -> None:
        """Rows to the store, made durable there, then known to the ledger."""
        if self._outbox:
            self._sound = False
            self.store.write([row for row, _ in self._outbox])
            with self._clock.time("store"):
                self._ledger.add_chunks([known for _, known in self._outbox], self.h)
            self._sound = True
            self._outbox = []
        self._committed = time.monotonic()

    def _stage(self) -> list[Staged]:
        """The documents at the head of the line of which every row is committed."""
        staged: list[Staged] = []
        while self._pending and not self._pending[0].left:
            pending = self._pending.popleft()
            prepared = pending.prepared
            del self._by_document[prepared.document.id]
            if pending.error is not None:
                self._ledger.end_chunks(pending.written, self.h)
            else:
                self._stage_one(pending)
            staged.append(Staged(prepared, pending.error))
        return staged

    def _stage_one(self, pending: _Pending) -> None:
        """Make the ledger hold the document as it is now, if it does not already."""
        prepared = pending.prepared
        row = document_row(prepared.document, prepared.pages, prepared.file, prepared.root)
        same = not (pending.new or pending.ended or pending.revived)
        if same and row == self._ledger.document(row.document.id, self.h):
            return
        with self._ledger.transaction():
            self._ledger.end_chunks(pending.ended, self.h)
            self._ledger.revive_chunks(pending.revived)
            self._ledger.put_document(row, prepared.pages, self.h)
