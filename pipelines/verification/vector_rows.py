"""Rows of the vector store held against the ledger's: keys, payloads and vectors.

A row's key is made of its item's id, the generation that wrote it and the digest of all that is stored with
it, so that whichever of store and ledger still has what the key was made of is the one that is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from ...indexer.errors import GenerationGone, StoreError, StoreUnreachable
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ports import Stored
from ..events import Event, Listener
from .chunk_rows import ChunkRows
from .damage import Damage
from .holdings import Holdings
from .node_rows import NodeRows
from .vectors import VectorCheck

_BATCH = 512


def check_vectors(
    folder: IndexFolder, held: Holdings, damage: Damage, check: VectorCheck, unwritten: bool, listen: Listener
) -> int:
    """Look at every row that the vector store keeps for a generation; returns how many. ``unwritten`` says
    that no build is writing, so that rows of later generations belong to nothing. Raises StoreUnreachable."""
    looked = _Looked(held, damage)
    total, done = len(held.chunks) + len(held.nodes), 0
    listen(Event("verify", 0, total, "rows"))
    try:
        with closing(folder.vectors()) as store, closing(store.read(held.generation)) as snapshot:
            if snapshot.shape() != (held.entry.dimension, held.entry.idf):
                damage.add(
                    "shape", "manifest", str(held.generation),
                    f"the manifest says {held.entry.dimension} dimensions (IDF: {held.entry.idf}), the store"
                    f" keeps {snapshot.shape()[0]} (IDF: {snapshot.shape()[1]})", "correct",
                )  # fmt: skip
            for batch in _batches(snapshot.stored()):
                sound = [one for one in batch if _lives(one, held.generation) and looked.take(one)]
                strays = [one for one in batch if not _lives(one, held.generation)]
                _other_generations(folder, held, strays, damage, unwritten)
                check.take([one.row for one in sound])
                done += len(batch)
                listen(Event("verify", min(done, total), total, "rows"))
    except StoreUnreachable:
        raise
    except (GenerationGone, StoreError) as error:
        damage.add("vectors unreadable", "vectors", str(held.generation), str(error), "read")
        damage.chunks.update(held.chunks)
        damage.nodes.update(held.nodes)
        return done
    looked.finish()
    return done


def _lives(one: Stored, generation: int) -> bool:
    return one.since <= generation < one.until


def _batches(rows: Iterator[Stored]) -> Iterator[list[Stored]]:
    batch: list[Stored] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _other_generations(
    folder: IndexFolder, held: Holdings, rows: Sequence[Stored], damage: Damage, unwritten: bool
) -> None:
    """Rows that lie there and that this generation does not hold: of others that are kept, or of none."""
    for one in rows:
        key = one.row.key
        if key in held.chunks or key in held.nodes:
            continue  # is reported as lost
        tables = ("chunks", "nodes")
        known = any(folder.ledger.rows(f"SELECT 1 FROM {each} WHERE key = ?", key) for each in tables)
        if not known and (unwritten or one.since <= held.generation):
            damage.add("stray row", "vectors", key, "a row that the ledger knows nothing of", "sweep")
            damage.strays.add(key)


class _Looked:
    """What was seen of a generation's rows so far."""

    def __init__(self, held: Holdings, damage: Damage) -> None:
        self._damage = damage
        self._chunks = ChunkRows(held, damage)
        self._nodes = NodeRows(held, damage)

    def take(self, one: Stored) -> bool:
        """Hold a row against the ledger's; returns whether its vectors are worth looking at."""
        if self._chunks.takes(one):
            return self._chunks.take(one)
        if self._nodes.takes(one):
            return self._nodes.take(one)
        key = one.row.key
        if self._chunks.proven(one):
            return self._chunks.take_unknown(one)
        if self._nodes.proven(one):
            what = "the ledger lost the row of a node that the store holds"
            self._damage.add("node unknown", "ledger", key, what, "grow")
            self._damage.regrow = True
        self._damage.add("stray row", "vectors", key, "a row that the ledger knows nothing of", "sweep")
        self._damage.strays.add(key)
        return False

    def finish(self) -> None:
        """Note the rows that the store should hold and does not."""
        self._chunks.finish()
        self._nodes.finish()
