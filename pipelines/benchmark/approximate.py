"""How much approximate search over an HNSW graph loses against exact search, fresh and after many builds."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from ...indexer.errors import Cancelled
from ...indexer.models.ports import Vectors
from ...indexer.stores.edge import EdgeVectorStore
from ...indexer.stores.ports import Filter, Row, VectorSnapshot, VectorStore
from ...indexer.stretches import stretches
from ..events import Event, Listener
from .resources import Meter

K = 10
CHANGED = 3
"""Documents that each incremental build replaces."""
_EVERY = 10
"""Incremental builds between two measurements."""
_NEVER = 2**62
_BATCH = 1024


@dataclass(frozen=True, slots=True)
class Approximation:
    """Searches over ``rows`` vectors with a graph against exact ones, through the embedded store.

    ``recall`` is recall@10 by the number of incremental builds before it, 0 for the fresh graph; each
    build ended the rows of ``changed`` documents and wrote those of as many others. ``exact`` and
    ``graph`` are the median seconds of a search for ten, without and with the graph, ``aged`` with it
    after the last build. ``graph_wall`` and ``graph_cpu`` are what making it took, ``update_wall`` and
    ``update_cpu`` the medians of the builds.
    """

    rows: int
    queries: int
    changed: int
    recall: Mapping[int, float]
    exact: float
    graph: float
    aged: float
    graph_wall: float
    graph_cpu: float
    update_wall: float
    update_cpu: float


def measure_approximation(
    documents: Mapping[str, Vectors],
    queries: Vectors,
    folder: Path,
    builds: int,
    seed: int,
    listen: Listener,
    cancel: threading.Event,
) -> Approximation:
    """Store the vectors of ``documents`` in ``folder``, first without and then with a graph, and update
    them ``builds`` times.

    A tenth of the documents is kept back, to take the places of others; what was
    replaced comes back later. Raises Cancelled and StoreError.
    """
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return _Experiment(documents, queries, folder, seed, listen, cancel).run(builds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Experiment:
    """The rows as they are now, and the generations that were written."""

    def __init__(
        self,
        documents: Mapping[str, Vectors],
        queries: Vectors,
        folder: Path,
        seed: int,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self._random = Random(seed)
        self._vectors, self._queries = documents, queries
        self._folder, self._listen, self._cancel = folder, listen, cancel
        names = sorted(documents)
        self._random.shuffle(names)
        kept = max(1, len(names) // 10)
        self._spare, self._live = deque(names[:kept]), names[kept:]
        self._dimension = int(queries.shape[1])
        self._generation = 0
        self._since: dict[str, int] = {}

    def run(self, builds: int) -> Approximation:
        """Fresh, and after every tenth build."""
        self._write(EdgeVectorStore(self._folder, _NEVER), [], self._live)
        _, exact = self._search()
        store = EdgeVectorStore(self._folder, 1)
        making = self._write(store, [], [])
        recall: dict[int, float] = {}
        recall[0], fresh = self._search()
        updates, aged = [making], fresh
        for build in range(1, builds + 1):
            self._listen(Event("incremental builds", build - 1, builds, "builds"))
            updates.append(self._replace(store))
            if build % _EVERY == 0 or build == builds:
                recall[build], aged = self._search()
        return Approximation(
            rows=sum(len(self._vectors[name]) for name in self._live),
            queries=len(self._queries),
            changed=CHANGED,
            recall=recall,
            exact=exact,
            graph=fresh,
            aged=aged,
            graph_wall=making.wall,
            graph_cpu=making.cpu,
            update_wall=float(np.median([meter.wall for meter in updates[1:] or updates])),
            update_cpu=float(np.median([meter.cpu for meter in updates[1:] or updates])),
        )

    def _replace(self, store: VectorStore) -> Meter:
        """An incremental build: some documents go, as many others come."""
        if self._cancel.is_set():
            raise Cancelled("stopped; what was measured is kept")
        count = min(CHANGED, len(self._spare), len(self._live) - 1)
        self._random.shuffle(self._live)
        gone = [self._live.pop() for _ in range(count)]
        new = [self._spare.popleft() for _ in range(count)]
        meter = self._write(store, gone, new)
        self._live += new
        self._spare += gone
        return meter

    def _write(self, store: VectorStore, gone: Sequence[str], new: Sequence[str]) -> Meter:
        """One generation."""
        base, self._generation = self._generation or None, self._generation + 1
        live = {*self._live, *new} - {*gone}
        expected = sum(len(self._vectors[name]) for name in live)
        with Meter() as meter:
            writer = store.write(self._generation, base, self._dimension, True)
            writer.end(key for name in gone for key in self._keys(name))
            for name in new:
                self._since[name] = self._generation
            rows = [row for name in new for row in self._rows(name)]
            for some in stretches(rows, _BATCH):
                writer.upsert(some)
                writer.commit()
            writer.seal(expected)
            store.forget([self._generation, base or 0], None)
        return meter

    def _search(self) -> tuple[float, float]:
        """recall@10 against exact search by numpy, and the median seconds of a search."""
        where = Filter()
        keys = [key for name in self._live for key in self._keys(name)]
        matrix = np.concatenate([self._vectors[name] for name in self._live])
        snapshot = EdgeVectorStore(self._folder).read(self._generation)
        try:
            snapshot.dense(self._queries[0], where, K, payload=False)
            found, seconds = self._found(snapshot, where)
        finally:
            snapshot.close()
        place = {key: number for number, key in enumerate(keys)}
        shares = [
            _share(matrix @ query, [place[key] for key in hits])
            for query, hits in zip(self._queries, found, strict=True)
        ]
        return float(np.mean(shares)), float(np.median(seconds))

    def _found(self, snapshot: VectorSnapshot, where: Filter) -> tuple[list[list[str]], list[float]]:
        found, seconds = [], []
        for query in self._queries:
            began = time.perf_counter()
            hits = snapshot.dense(query, where, K, payload=False)
            seconds.append(time.perf_counter() - began)
            found.append([hit.key for hit in hits])
        return found, seconds

    def _keys(self, name: str) -> list[str]:
        """A document's rows are others each time that it comes back, as in an index."""
        stem = f"{name} {self._since[name]}"
        count = len(self._vectors[name])
        return [str(uuid.uuid5(uuid.NAMESPACE_OID, f"{stem} {number}")) for number in range(count)]

    def _rows(self, name: str) -> list[Row]:
        base = {"kind": "chunk", "level": 0, "document": name, "class": "public"}
        return [
            Row(key, {**base, "id": key, "ordinal": number}, vector)
            for number, (key, vector) in enumerate(zip(self._keys(name), self._vectors[name], strict=True))
        ]


def _share(cosines: NDArray[np.float32], hits: Sequence[int]) -> float:
    """How many of the ten rows of highest cosine were found; rows as near as the tenth count as it."""
    tenth = np.partition(cosines, -K)[-K] if len(cosines) >= K else -1.0
    return float(np.sum(cosines[list(hits)] >= tenth - 1e-6)) / min(K, len(cosines))
