"""One generation of an index, opened for reading."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from ..indexer.stores.ports import VectorStore
from ..indexer.types import access_class
from .access import Readers
from .deadline import Lanes
from .graph_settings import GraphReadSettings
from .hybrid import HybridRetriever
from .settings import SearchSettings
from .tree import TreeRetriever
from .tree_map import TreeMap
from .tree_settings import TreeReadSettings

if TYPE_CHECKING:
    from ..indexer.stores.folder import IndexFolder
    from ..indexer.stores.graph_ports import GraphSnapshot, GraphStore
    from .graph import GraphRetriever


@dataclass(frozen=True, slots=True)
class OpenGraph:
    """The graph of one generation, opened: its store, what of it is read, and the route over it."""

    store: GraphStore
    snapshot: GraphSnapshot
    route: GraphRetriever


class OpenGeneration:
    """The published generation as it is now, pinned by a lease until nobody holds it any more.

    Raises GenerationGone where nothing is published.
    """

    def __init__(
        self,
        folder: IndexFolder,
        store: VectorStore,
        settings: SearchSettings,
        tree_settings: TreeReadSettings,
        graph_settings: GraphReadSettings,
        lanes: Lanes | None = None,
    ) -> None:
        self.folder = folder
        self._settings = settings
        self.tree_settings = tree_settings
        self.graph_settings = graph_settings
        self.lanes = lanes or Lanes()
        self._lease = folder.lease()
        self.number = self._lease.generation
        try:
            self.entry = folder.manifest().generations[self.number]
            self.catalogue = folder.catalogue(self.number)
            self.snapshot = store.read(self.number)
        except BaseException:
            self._lease.release()
            raise
        self.readers = Readers(self.catalogue)
        self.hybrid = HybridRetriever(self.snapshot, settings)
        self._holders = 0
        self._retired = False
        self._after: Callable[[], None] = _nothing
        self._lock = threading.Lock()
        self._tree_lock = threading.Lock()
        self._tree_map: TreeMap | None = None
        self._graph_lock = threading.Lock()
        self._graph: OpenGraph | None = None
        self._graph_rests_until = 0.0

    @property
    def tree_map(self) -> TreeMap:
        """The tree of this generation, read at its first use; empty where there is none."""
        with self._tree_lock:
            if self._tree_map is None:
                self._tree_map = self._read_tree()
            return self._tree_map

    @property
    def tree(self) -> TreeRetriever:
        """The tree route over this generation."""
        return TreeRetriever(self.snapshot, self.tree_map, self.hybrid, self.tree_settings, self._settings)

    @property
    def graph(self) -> OpenGraph:
        """The graph of this generation, opened at its first use, which also imports what reads it. Raises
        StoreError."""
        from .graph import GraphRetriever

        with self._graph_lock:
            if self._graph is None:
                store = self.folder.graph()
                try:
                    snapshot = store.read(self.number)
                except BaseException:
                    store.close()
                    raise
                route = GraphRetriever(self.snapshot, snapshot, self.hybrid, self.graph_settings)
                self._graph = OpenGraph(store, snapshot, route)
            return self._graph

    def resting(self, route: str) -> str:
        """Why ``auto`` does not ask a route just now; empty where it does."""
        if route == "graph" and monotonic() < self._graph_rests_until:
            return "its store failed a moment ago"
        return "it has not come back from an earlier question yet" if self.lanes.of(route).blocked else ""

    def rest_graph(self, seconds: float) -> None:
        """Have ``auto`` leave the graph alone for so long."""
        self._graph_rests_until = monotonic() + seconds

    def _read_tree(self) -> TreeMap:
        if "tree" not in self.entry.structures:
            return TreeMap(())
        from ..indexer.stores.ledger_nodes import NodeLedger

        ledger = self.folder.ledger
        shapes = (node.shape for node in NodeLedger(ledger).nodes(self.number))
        documents = self.catalogue.documents.values()
        classes = {document.id: access_class(document.labels) for document in documents}
        titles = {document.id: document.title for document in documents}
        return TreeMap(shapes, classes, ledger.reading_order(self.number), titles)

    @contextmanager
    def held(self) -> Iterator[OpenGeneration]:
        """Keep the generation open while it is used, even when it is retired meanwhile."""
        with self._lock:
            self._holders += 1
        try:
            yield self
        finally:
            with self._lock:
                self._holders -= 1
                last = self._retired and self._holders == 0
            if last:
                self._let_go()

    def retire(self, after: Callable[[], None] | None = None) -> None:
        """Close as soon as nobody holds it, and call ``after`` then. To be called once."""
        with self._lock:
            self._after = after or _nothing
            self._retired = True
            idle = self._holders == 0
        if idle:
            self._let_go()

    def _let_go(self) -> None:
        with ExitStack() as stack:
            stack.callback(self._after)
            stack.callback(self._lease.release)
            stack.callback(self.snapshot.close)
            if self._graph is not None:
                stack.callback(self._graph.store.close)
                stack.callback(self._graph.snapshot.close)


def _nothing() -> None:
    """What is to be done after most generations."""
