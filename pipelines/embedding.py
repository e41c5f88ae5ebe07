"""Texts to vectors, in batches over several threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from ..indexer.errors import BudgetSpent, ModelCallError, ModelUnavailable
from ..indexer.models.ports import Embedder, SparseEncoder, SparseVector, Vectors
from .rows import WantedRow
from .stage_clock import StageClock

_GIVE_UP = 3
"""Batches in a row of which not one text could be embedded: the model is gone, not the texts bad."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A row with its vectors, or with the error that a text of it met."""

    row: WantedRow
    dense: Vectors | None = None
    sparse: SparseVector | None = None
    error: ModelCallError | None = None


class EmbeddingQueue:
    """Rows go in, embedded rows come out in the same order. Bounded: :meth:`ready` before the next put.

    ``clock`` times what both encoders do (``embed`` and ``sparse``).
    """

    def __init__(self, embedder: Embedder, sparse: SparseEncoder, batch: int, clock: StageClock) -> None:
        self._embedder = embedder
        self._sparse = sparse
        self._size = batch
        self._clock = clock
        self._pool = ThreadPoolExecutor(embedder.concurrency, "treegraph-embed")
        self._limit = embedder.concurrency * 4
        self._waiting: list[WantedRow] = []
        self._running: deque[Future[list[Embedded]]] = deque()
        self._failed_in_a_row = 0

    def put(self, row: WantedRow) -> None:
        """Queue a row."""
        self._waiting.append(row)
        if len(self._waiting) >= self._size:
            self._submit()

    def ready(self, drain: bool = False) -> Iterator[Embedded]:
        """Rows that are done; waits while too many are under way, or for all of them (``drain``)."""
        if drain and self._waiting:
            self._submit()
        while self._running and (drain or len(self._running) > self._limit or self._running[0].done()):
            rows = self._running.popleft().result()
            self._watch(rows)
            yield from rows

    def close(self) -> None:
        """Forget what is queued and stop the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self) -> None:
        batch, self._waiting = self._waiting, []
        self._running.append(self._pool.submit(self._embed, batch))

    def _embed(self, batch: Sequence[WantedRow]) -> list[Embedded]:
        with self._clock.time("sparse"):
            sparse = self._sparse.encode([row.text for row in batch], [row.language for row in batch])
        with self._clock.time("embed"):
            dense = embed_each(self._embedder, [row.text for row in batch])
        return [
            Embedded(row, error=vector)
            if isinstance(vector, ModelCallError)
            else Embedded(row, vector, words)
            for row, vector, words in zip(batch, dense, sparse, strict=True)
        ]

    def _watch(self, rows: Sequence[Embedded]) -> None:
        errors = [row.error for row in rows if row.error and not isinstance(row.error, BudgetSpent)]
        self._failed_in_a_row = self._failed_in_a_row + 1 if len(errors) == len(rows) else 0
        if self._failed_in_a_row >= _GIVE_UP:
            raise ModelUnavailable(
                f"the embedding model {self._embedder.name} fails for every text: {errors[-1]}. What was "
                "embedded is kept; run the same command again once the model answers"
            )


def embed_each(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | ModelCallError]:
    """The vector of each text, or the error that it met: one bad text must not cost its neighbours theirs."""
    try:
        return list(embedder.embed(texts))
    except ModelCallError:
        return [_embed_alone(embedder, text) for text in texts]


def _embed_alone(embedder: Embedder, text: str) -> Vectors | ModelCallError:
    try:
        vector: Vectors = embedder.embed([text])[0]
    except ModelCallError as error:
        return error
    return vector


EncoderSource = Callable[[], tuple[Embedder, SparseEncoder]]
"""Loads the encoders when the first row needs them: an unchanged build loads none."""
