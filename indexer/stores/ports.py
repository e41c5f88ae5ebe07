"""What the index asks of its stores.

The contract of both store ports is snapshot isolation: ``read(g)`` sees exactly what generation ``g``
published, from any number of threads and processes, while one writer writes generation ``h``. How is
the adapter's business: the Qdrant server marks rows ``since``/``until`` and filters, the embedded
store keeps a folder a generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..models.ports import SparseVector, Vectors
from ..types import Kind

OPEN = 2**53 - 1
"""``until`` of a row that nothing has ended yet."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a store keeps of one chunk or node.

    ``key`` is UUIDv5(id, since, digest of everything stored with it). ``payload`` is JSON; the fields
    that are filtered by are the keys ``id``, ``kind``, ``level``, ``document``, ``class`` and
    ``ordinal`` in it.
    """

    key: str
    payload: Mapping[str, Any]
    dense: Vectors | None = None
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows count. All given conditions must hold; None means no condition.

    ``classes`` are the access classes that a chunk may have. A node has a list of all documents and
    classes beneath it: ``not_classes`` and ``not_documents`` take out every row that has any of theirs.
    ``ids`` and ``keys`` name rows by their item's id or their own key; ``ordinals`` is an inclusive range.
    ``min_confidence`` takes out the rows that are less sure; a row that says nothing of it is sure.
    """

    kinds: Sequence[Kind] | None = None
    classes: Sequence[str] | None = None
    not_classes: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    not_documents: Sequence[str] | None = None
    ids: Sequence[str] | None = None
    keys: Sequence[str] | None = None
    ordinals: tuple[int, int] | None = None
    min_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Stored:
    """A row as it lies in a store: the generation that wrote it (0 where nothing says) and the one that ended
    it, :data:`OPEN` for none."""

    row: Row
    since: int
    until: int = OPEN


@dataclass(frozen=True, slots=True)
class Scored:
    """A row and its score in one list: cosine for dense, BM25 (or learned weight) for sparse."""

    key: str
    score: float
    payload: Mapping[str, Any] = field(default_factory=dict)


class VectorSnapshot(Protocol):
    """Generation ``g``, read-only, safe from several threads.

    Every scored list is sorted by (score descending, key ascending). Scores of a sparse query use the
    IDF over ``corpus``, never over rows that the reader cannot see.
    """

    generation: int

    def dense(self, vector: Vectors, where: Filter, limit: int, payload: bool = True) -> list[Scored]:
        """The ``limit`` rows of highest cosine."""
        ...

    def sparse(
        self, vector: SparseVector, where: Filter, corpus: Filter, limit: int, payload: bool = True
    ) -> list[Scored]:
        """The ``limit`` rows of highest sparse score (> 0), IDF over ``corpus``."""
        ...

    def sparse_each(
        self, vectors: Sequence[SparseVector], where: Filter, corpus: Filter, limit: int
    ) -> list[list[Scored]]:
        """:meth:`sparse` of each vector, without payloads: asked together, which is far cheaper."""
        ...

    def fetch(
        self, where: Filter, limit: int | None = None, vectors: bool = False, payload: bool = True
    ) -> list[Row]:
        """The rows that match, ordered by key."""
        ...

    def count(self, where: Filter) -> int:
        """How many rows match, exactly."""
        ...

    def stored(self) -> Iterator[Stored]:
        """Every row that lies where this generation's do, with its vectors and marks, by key and page by
        page: also those of other generations that are kept together with it."""
        ...

    def shape(self) -> tuple[int, bool]:
        """The dimension of the dense vectors, and whether the store multiplies sparse weights by IDF."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class VectorWriter(Protocol):
    """The one writer of generation ``h``, from one thread. Sees its own writes."""

    generation: int

    def upsert(self, rows: Sequence[Row]) -> None:
        """Write rows as ``since = h``. Idempotent by key. Durable after the next :meth:`commit`."""
        ...

    def adopt(self, rows: Sequence[tuple[Row, int]]) -> None:
        """Write rows that another store held, each with the generation that wrote it there."""
        ...

    def end(self, keys: Iterable[str]) -> None:
        """Rows of earlier generations that ``h`` does not hold any more (``until = h``)."""
        ...

    def revive(self, keys: Iterable[str]) -> None:
        """Undo :meth:`end` for rows that were ended in this very generation."""
        ...

    def discard(self, keys: Iterable[str]) -> None:
        """Delete rows first written in ``h`` (never published)."""
        ...

    def fetch(self, keys: Sequence[str]) -> dict[str, Row]:
        """Rows by key, with payload and vectors, those of the base generation included."""
        ...

    def written(self) -> Iterator[str]:
        """The keys of the rows with ``since = h``."""
        ...

    def commit(self) -> None:
        """Make what was written so far survive a kill."""
        ...

    def seal(self, expected: int) -> None:
        """Finish ``h``: optimise, verify that exactly ``expected`` rows are live, and leave it ready to
        be published. Raises StoreInconsistent. The writer is closed afterwards."""
        ...

    def close(self) -> None:
        """Let go without sealing; a later writer of the same generation goes on from the last commit."""
        ...


class VectorStore(Protocol):
    """A vector store bound to one index."""

    def read(self, generation: int) -> VectorSnapshot:
        """Open a published generation. Raises GenerationGone or StoreUnreachable."""
        ...

    def write(self, generation: int, base: int | None, dimension: int, idf: bool) -> VectorWriter:
        """Start generation ``h`` on top of ``base`` (None: empty), or go on with it."""
        ...

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """Erase what only generations outside ``keep`` need, unfinished work included; rows with
        ``since > newest`` (rolled back) are erased and ``until > newest`` reset. Returns how many rows
        or folders went."""
        ...

    def leftovers(self, keep: Sequence[int]) -> Iterator[tuple[str, int]]:
        """The parts of a server's store that hold no generation in ``keep``, with how many rows lie there.
        Folders are not told of: whoever looks at the index's folder sees them."""
        ...

    def others(self) -> list[str]:
        """The ids of other indexes whose vectors lie on the same server."""
        ...

    def empty(self) -> bool:
        """Whether nothing of this index lies there, of whatever generation."""
        ...

    def purge(self, generation: int) -> None:
        """Have the store's files hold the rows of this published generation and nothing else: also nothing
        that was deleted from them. What a server's own files keep is the server's."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
