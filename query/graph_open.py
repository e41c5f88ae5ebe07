"""The graph of one generation as one reader sees it: small ones whole and in memory, large ones in parts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from ..indexer.stores.graph_ports import Direction, GraphSnapshot, Subgraph
from ..indexer.stores.ports import Filter
from ..indexer.types import Entity
from .access import Access
from .graph_arrays import ALWAYS, WalkGraph
from .graph_settings import GraphReadSettings

KEPT = 8
"""Readers whose whole graphs are kept: those that asked last."""
FURTHER = 300
"""Chunks that a neighbourhood is widened by, about: so many that a walk over it is still quick."""


@dataclass(frozen=True, slots=True)
class ReadableGraph:
    """What one reader may see: ``chunks`` are counted, ``whole`` is None where it is not held in memory."""

    snapshot: GraphSnapshot
    access: Access
    settings: GraphReadSettings
    chunks: int
    whole: WalkGraph | None

    @property
    def common(self) -> float:
        """An entity that more chunks than this name says nothing."""
        return max(ALWAYS, self.settings.common * self.chunks)

    def around(self, entities: Sequence[str], chunks: Sequence[str]) -> WalkGraph:
        """A graph that holds these and what is around them: the chunks of these entities, those that share
        the rarest names with all of these chunks, and what they name in turn."""
        if self.whole is not None:
            return self.whole
        where, settings = self.access.where(None), self.settings
        near = self.snapshot.subgraph(entities, chunks, where, settings.spread)
        further = dict.fromkeys(
            [*entities, *(near.entities[at] for at in _leading_on(near, settings.spread))]
        )
        part = self.snapshot.subgraph(list(further), near.chunks, where, settings.spread)
        return WalkGraph(part, settings.common)


def _leading_on(near: Subgraph, spread: int) -> list[int]:
    """The places of the entities that are worth following: those in few chunks, of which some are not here
    yet; the rarest first, until they lead to as many as are wanted."""
    here = np.bincount(near.mention_entity, minlength=len(near.entities))
    missing = near.chunk_count - here
    telling = np.flatnonzero((missing > 0) & (near.chunk_count <= spread))
    order = telling[np.argsort(near.chunk_count[telling], kind="stable")]
    enough = int(np.searchsorted(np.cumsum(missing[order]), FURTHER, side="right"))
    return [int(place) for place in order[:enough]]


def unheld(snapshot: GraphSnapshot, access: Access, settings: GraphReadSettings) -> ReadableGraph:
    """The graph as a reader with ``access`` sees it, none of it in memory: for what walks nowhere."""
    counts = snapshot.counts(access.where(None))
    return ReadableGraph(snapshot, access, settings, counts.get("chunk", 0), None)


class GraphReaders:
    """Opens the graph for its readers. Safe from several threads."""

    def __init__(self, snapshot: GraphSnapshot, settings: GraphReadSettings) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._known: OrderedDict[Access, ReadableGraph] = OrderedDict()
        self._unheld: OrderedDict[Access, ReadableGraph] = OrderedDict()
        self._entities: OrderedDict[Access, tuple[Entity, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, access: Access) -> ReadableGraph:
        """The graph as a reader with ``access`` sees it."""
        with self._lock:
            if (known := self._known.get(access)) is not None:
                self._known.move_to_end(access)
                return known
        opened = self._read(access)
        with self._lock:
            self._known[access] = opened
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return opened

    def unheld(self, access: Access) -> ReadableGraph:
        """The graph as a reader with ``access`` sees it, for what walks nowhere: nothing is read
        for it."""
        with self._lock:
            if (known := self._known.get(access) or self._unheld.get(access)) is not None:
                return known
        opened = unheld(self._snapshot, access, self._settings)
        with self._lock:
            self._unheld[access] = opened
            while len(self._unheld) > KEPT:
                self._unheld.popitem(last=False)
        return opened

    def entities(self, access: Access) -> tuple[Entity, ...]:
        """Every entity as a reader with ``access`` sees it, by id: for graphs that are small enough to hold.
        Raises StoreError."""
        with self._lock:
            if (known := self._entities.get(access)) is not None:
                self._entities.move_to_end(access)
                return known
        where = access.where(None)
        graph = self.open(access).whole
        ids = graph.entities if graph is not None else self._snapshot.whole(where).entities
        read = tuple(self._snapshot.entities(list(ids), where))
        with self._lock:
            self._entities[access] = read
            while len(self._entities) > KEPT:
                self._entities.popitem(last=False)
        return read

    def _read(self, access: Access) -> ReadableGraph:
        where = access.where(None)
        if not self._known:
            _ask_for_nothing(self._snapshot, where)
        counts = self._snapshot.counts(where)
        small = counts.get("mention", 0) <= self._settings.whole
        whole = WalkGraph(self._snapshot.whole(where), self._settings.common) if small else None
        return ReadableGraph(self._snapshot, access, self._settings, counts.get("chunk", 0), whole)


def _ask_for_nothing(snapshot: GraphSnapshot, where: Filter) -> None:
    """Ask all that a question may ask, of what is not there. A server that has just started plans a statement
    when it first sees it, which can take longer than a question has: its answer would be cut short."""
    none = ["-"]
    snapshot.named(none, where)
    snapshot.alike("qzx", where, 1)
    snapshot.entities(none, where)
    snapshot.mentions(none, where)
    snapshot.mentioning(none, where, 1)
    snapshot.between(none, none, where)
    snapshot.communities(where, entities=none)
    snapshot.subgraph(none, none, where, 1)
    for direction in get_args(Direction):
        snapshot.relations(none, where, direction, 1)
