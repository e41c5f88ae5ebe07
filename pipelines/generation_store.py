"""The rows of the generation being built, in the vector store: opened, fetched, written, sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime

from ..indexer.models.ports import Embedder, SparseEncoder
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_nodes import NodeLedger
from ..indexer.stores.manifest import Generation
from ..indexer.stores.ports import Filter, Row, VectorSnapshot, VectorStore, VectorWriter
from ..indexer.stretches import stretches
from .embedding import EncoderSource
from .rows import encoders_digest
from .stage_clock import StageClock

_FETCH = 512


class GenerationStore:
    """What generation ``h``, which stands on ``base``, has in the vector store of an index. Nothing is made
    there, and no encoder is loaded, before the first row needs it."""

    def __init__(
        self, folder: IndexFolder, h: int, base: int | None, encoders: EncoderSource, clock: StageClock
    ) -> None:
        self.h = h
        self.base = base
        self._folder = folder
        self._ledger = folder.ledger
        self._source = encoders
        self._clock = clock
        self._encoders: tuple[Embedder, SparseEncoder] | None = None
        self._names: dict[str, str] = {}
        self._dimension = 0
        self._idf = True
        self._store: VectorStore | None = None
        self._writer: VectorWriter | None = None
        self._below: VectorSnapshot | None = None
        self._empty = False
        self._anew = False

    def start_empty(self) -> None:
        """Take nothing over from the base's store: what the generation holds is written again."""
        self._empty = True

    def start_anew(self) -> None:
        """As :meth:`start_empty`, with the models of this build instead of the base's. To be called before
        anything else."""
        self._empty = self._anew = True

    @property
    def is_open(self) -> bool:
        """Whether rows can be written, or were."""
        return self._writer is not None

    @property
    def stamp(self) -> str:
        """A digest of the encoders' names, once they are loaded."""
        return encoders_digest(self._names)

    def encoders(self) -> tuple[Embedder, SparseEncoder]:
        """Both encoders. Raises IndexIncompatible, ModelUnavailable."""
        if self._encoders is None:
            self._encoders = embedder, sparse = self._source()
            self._names = {"embedder": embedder.name, "sparse": sparse.name}
            self._dimension, self._idf = embedder.dimension, sparse.idf
        return self._encoders

    def settle(self) -> None:
        """After a kill: forget, with their files, rows that the ledger knows and the store lost."""
        writer = self.writer()
        keys = sorted(self._ledger.live_keys(self.h))
        missing: list[str] = []
        for batch in stretches(keys, _FETCH):
            stored = writer.fetch(batch)
            missing += [key for key in batch if key not in stored]
        writer.revive(missing)
        lost = set(missing) - set(writer.fetch(missing)) if missing else set()
        NodeLedger(self._ledger).forget(lost, self.h)
        self._ledger.undo_chunks(sorted(lost), self.h)

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """Rows by key, those of the base generation included."""
        found = self.writer().fetch(keys)
        if self._empty and self.base is not None and len(found) < len(keys):
            found.update(self._fetch_below([key for key in keys if key not in found]))
        return found

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows, durable before the ledger is to know them."""
        with self._clock.time("store"):
            writer = self.writer()
            writer.upsert(rows)
            writer.commit()

    def end_strays(self, keys: Sequence[str]) -> None:
        """Rows of the store that the ledger knows nothing of are not this generation's."""
        if keys:
            self.writer().end(keys)

    def publish(self, configured: Mapping[str, str], structures: Mapping[str, int]) -> None:
        """Seal the store, verify it against the ledger, and make this the generation that readers see.

        ``configured`` says what the models and the tree were asked to be; ``structures`` has the
        generation that each was last whole in.
        """
        writer = self.writer()
        with self._clock.time("publish", alone=True):
            live = self._ledger.live_keys(self.h)
            writer.discard([key for key in writer.written() if key not in live])
            writer.end(row.key for row in self._ledger.ended_chunks(None, self.h))
            writer.end(row.key for row in NodeLedger(self._ledger).ended(self.h))
            self._writer = None
            writer.seal(len(live))
        entry = Generation(
            base=self.base,
            built=datetime.now(UTC).isoformat(timespec="seconds"),
            dimension=self._dimension,
            idf=self._idf,
            models={**self._names, **configured},
            structures=dict(structures),
        )
        self._folder.publish(self.h, entry)

    def writer(self) -> VectorWriter:
        """What writes the rows. A build that only removes needs no model: it goes on with the base's."""
        if self._writer is None:
            entry = self._folder.manifest().generations.get(self.base or 0)
            if self._encoders is None and (entry is None or self._anew):
                self.encoders()
            elif self._encoders is None and entry is not None:
                self._dimension, self._idf = entry.dimension, entry.idf
                self._names = {role: entry.models[role] for role in ("embedder", "sparse")}
            self._store = self._store or self._folder.vectors()
            base = None if self._empty else self.base
            self._writer = self._store.write(self.h, base, self._dimension, self._idf)
        return self._writer

    def close(self) -> None:
        """Let go. Safe to call twice."""
        with ExitStack() as stack:
            for held in (self._store, self._below, self._writer):
                if held is not None:
                    stack.callback(held.close)
            self._store = self._below = self._writer = None

    def _fetch_below(self, keys: Sequence[str]) -> dict[str, Row]:
        """Rows of the base generation, where the store begins without them."""
        assert self._store is not None
        assert self.base is not None
        if self._below is None:
            self._below = self._store.read(self.base)
        return {row.key: row for row in self._below.fetch(Filter(keys=keys), vectors=True)}
