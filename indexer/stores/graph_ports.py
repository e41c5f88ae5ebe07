"""What the index asks of its graph store.

Snapshot isolation as for vectors (:mod:`.ports`): ``read(g)`` sees exactly what generation ``g`` published.
Both adapters mark what a generation writes ``since = h`` and what it replaces ``until = h``, and filter
``since <= g < until``.

``where`` is the reader's access (``Filter`` with ``classes``, ``documents``, ``not_documents``): chunks,
mentions and evidence outside it do not exist for an operation. An entity is there where one of its mentions
is, a relation where one piece of its evidence is, with names, counts and weights from those alone; a
community where all of ``documents`` and ``classes`` are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..graph.extraction import Role
from ..types import Community, Entity, Relation
from .graph_rows import CommunityRow, GraphKind, GraphRow, StoredRow
from .ports import Filter

Direction = Literal["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class Slip:
    """What of a store's own bookkeeping does not fit its rows: ``kind`` is that of the row under ``key``, or
    names what is kept besides rows (None: the store as a whole)."""

    kind: str | None
    key: str
    what: str


Numbers = NDArray[np.int32]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Entities and chunks with what joins them, as arrays: places are those in ``entities`` and ``chunks``.

    Mention i: chunk ``mention_chunk[i]`` names entity ``mention_entity[i]``, ``mention_count[i]`` times, as
    what it is about where ``mention_subject[i]``. Relation i goes from entity ``relation_source[i]`` to
    ``relation_target[i]``. ``chunk_count`` of an entity is how many readable chunks name it, also those
    outside this subgraph; ``total`` how many readable chunks there are at all. ``whole`` says that nothing
    was left out.
    """

    entities: tuple[str, ...]
    chunks: tuple[str, ...]
    mention_chunk: Numbers
    mention_entity: Numbers
    mention_count: Numbers
    mention_subject: NDArray[np.bool_]
    relation_source: Numbers
    relation_target: Numbers
    relation_weight: Weights
    chunk_count: Numbers
    total: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """That a chunk names an entity, as a reader may see it."""

    entity: str
    chunk: str
    document: str
    names: tuple[str, ...]
    role: Role
    count: int


class GraphSnapshot(Protocol):
    """Generation ``g``, read-only, safe from several threads. Lists are in a stable order."""

    generation: int

    def counts(self, where: Filter) -> dict[GraphKind, int]:
        """How many of each kind there are for this reader."""
        ...

    def entities(self, ids: Sequence[str], where: Filter) -> list[Entity]:
        """Entities by id, in the order asked; those that are not there are left out."""
        ...

    def named(self, forms: Sequence[str], where: Filter) -> dict[str, list[str]]:
        """Entity ids by normalised name or alias, those of most mentions first; names without one are
        left out."""
        ...

    def alike(self, form: str, where: Filter, limit: int) -> list[str]:
        """Normalised names that share letters or words with ``form``, the likeliest first, by full text."""
        ...

    def mentions(self, chunks: Sequence[str], where: Filter) -> list[Mention]:
        """What these chunks name, by (chunk, entity)."""
        ...

    def mentioning(self, entities: Sequence[str], where: Filter, limit: int) -> list[Mention]:
        """Mentions of these entities, at most ``limit`` an entity: subjects first, then by count."""
        ...

    def relations(
        self, entities: Sequence[str], where: Filter, direction: Direction = "both", limit: int = 1000
    ) -> list[Relation]:
        """Relations from (``out``), to (``in``) or at these entities: by weight, then id."""
        ...

    def relation_count(self, entity: str, where: Filter) -> int:
        """How many relations there are at an entity."""
        ...

    def between(self, sources: Sequence[str], targets: Sequence[str], where: Filter) -> list[Relation]:
        """Relations from one of ``sources`` to one of ``targets``."""
        ...

    def subgraph(self, entities: Sequence[str], chunks: Sequence[str], where: Filter, limit: int) -> Subgraph:
        """What is around these: their mentions, the chunks and entities at the other ends, relations of
        all entities found, and the mentions of those chunks. An entity with more than ``limit`` mentions
        or relations gives ``limit`` of each."""
        ...

    def whole(self, where: Filter) -> Subgraph:
        """Everything. For indexes whose :meth:`counts` are small enough to hold."""
        ...

    def communities(
        self,
        where: Filter,
        ids: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        level: int | None = None,
        limit: int = 1000,
    ) -> list[Community]:
        """Communities by id, by member or by level (all given conditions hold): by level, then size
        descending, then id."""
        ...

    def stored(self, kind: GraphKind) -> Iterator[StoredRow]:
        """The rows of a kind that the generation holds, whole, page by page. Raises ValueError where one
        cannot be made sense of."""
        ...

    def slips(self) -> Iterator[Slip]:
        """What of the store's own bookkeeping does not fit them."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class GraphWriter(Protocol):
    """The one writer of generation ``h``, from one thread."""

    generation: int

    def live(self, kind: GraphKind) -> Mapping[str, str]:
        """The digests, by key, of the rows that ``h`` holds as it stands."""
        ...

    def put(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """Have ``h`` hold these rows under their keys, in place of what it held there. Batched, idempotent
        and durable when it returns."""
        ...

    def end(self, kind: GraphKind, keys: Sequence[str]) -> None:
        """Have ``h`` hold these no more. Batched."""
        ...

    def touched(self) -> set[str]:
        """The entities of which ``h`` put or ended a mention or a relation."""
        ...

    def communities(self) -> list[CommunityRow]:
        """The communities that ``h`` holds as it stands, whole, by key."""
        ...

    def seal(self, expected: Mapping[GraphKind, int]) -> None:
        """Verify that ``h`` holds exactly this many of each kind. Raises StoreInconsistent."""
        ...

    def close(self) -> None:
        """Let go; a later writer of the same generation goes on from what was put."""
        ...


class GraphStore(Protocol):
    """A graph store bound to one index."""

    def read(self, generation: int) -> GraphSnapshot:
        """Open a published generation. Raises StoreUnreachable."""
        ...

    def write(self, generation: int, base: int | None) -> GraphWriter:
        """Start generation ``h`` on top of ``base``, or go on with it."""
        ...

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """Erase what only generations outside ``keep`` need; rows with ``since > newest`` (rolled back or
        unfinished) are erased and ``until > newest`` reset. Returns how many rows went."""
        ...

    def unneeded(self, keep: Sequence[int], newest: int) -> Iterator[Slip]:
        """Rows up to generation ``newest`` that no generation in ``keep`` needs, and rows with marks that no
        build can have made."""
        ...

    def distrust(self, slips: Sequence[Slip]) -> None:
        """Have the next writer put the rows behind these anew, and delete what hangs on no row."""
        ...

    def purge(self) -> None:
        """Have the store's files hold nothing that was deleted. What a server's own files keep is the
        server's."""
        ...

    def erase(self) -> None:
        """Erase all that this index has in the store."""
        ...

    def others(self) -> list[str]:
        """The ids of other indexes whose graphs lie on the same server."""
        ...

    def empty(self) -> bool:
        """Whether nothing of this index lies there, of whatever generation."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
