"""One generation of an index, opened for reading."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..indexer.stores.ports import VectorStore
from .access import Readers
from .hybrid import HybridRetriever
from .settings import SearchSettings

if TYPE_CHECKING:
    from ..indexer.stores.folder import IndexFolder


class OpenGeneration:
    """The published generation as it is now, pinned by a lease until nobody holds it any more.

    Raises GenerationGone where nothing is published.
    """

    def __init__(self, folder: IndexFolder, store: VectorStore, settings: SearchSettings) -> None:
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
        self._lock = threading.Lock()

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

    def retire(self) -> None:
        """Close as soon as nobody holds it. To be called once."""
        with self._lock:
            self._retired = True
            idle = self._holders == 0
        if idle:
            self._let_go()

    def _let_go(self) -> None:
        try:
            self.snapshot.close()
        finally:
            self._lease.release()
