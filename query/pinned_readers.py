"""What reads the generation that an open index has pinned, each for one reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..indexer.errors import ConfigurationError
from .opened import OpenGeneration
from .pinned import PinnedIndex
from .quoting import quoted
from .reading import Reader
from .reading_images import ImageReader
from .reading_nodes import NodeReader

if TYPE_CHECKING:
    from ..indexer.pages import Page
    from .graph_view import EntityReader
    from .reading_graph import GraphReader


class PinnedReaders(PinnedIndex):
    """Makes readers of documents, nodes and entities, for whoever holds ``labels``."""

    @contextmanager
    def _holding_any(self, doing: str, name: str) -> Iterator[OpenGeneration]:
        with self._current() as opened:
            if opened is None:
                raise ConfigurationError(f"nothing to {doing} under {quoted(name)}: the index is empty")
            yield opened

    def _reader(self, opened: OpenGeneration, labels: Sequence[str] | None) -> Reader:
        def pages(document: str) -> Sequence[Page]:
            return opened.folder.ledger.pages(document, opened.number)

        return Reader(
            opened.snapshot,
            opened.catalogue.documents,
            pages,
            opened.readers.classes(labels),
            lambda: self._nodes(opened, labels),
            lambda: self._graph(opened, labels),
            ImageReader(opened.folder.images, pages),
        )

    def _graph(self, opened: OpenGeneration, labels: Sequence[str] | None) -> GraphReader | None:
        if "graph" not in opened.catalogue.structures:
            return None
        from .reading_graph import GraphReader

        access = opened.readers.everything(labels)
        return GraphReader(opened.graph.snapshot, self._entities(opened, labels), access)

    def _entities(self, opened: OpenGeneration, labels: Sequence[str] | None, most: int = 20) -> EntityReader:
        from .graph_view import EntityReader

        access = opened.readers.everything(labels)
        return EntityReader(opened.graph.snapshot, opened.snapshot, opened.catalogue.documents, access, most)

    def _nodes(self, opened: OpenGeneration, labels: Sequence[str] | None) -> NodeReader:
        return NodeReader(
            opened.snapshot,
            opened.tree_map,
            opened.catalogue.documents,
            opened.readers.everything(labels),
            self._tree_settings.citations,
        )
