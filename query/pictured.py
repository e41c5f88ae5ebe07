"""An open index's pictures: pages drawn with a passage marked, and what is kept of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .awaited import awaited
from .pinned_readers import PinnedReaders

if TYPE_CHECKING:
    from .read_result import KeptImage
    from .showing import MarkedPage


class PicturedIndex(PinnedReaders):
    """What of an open index is pictures."""

    def show(
        self, name: str, labels: Sequence[str] | None = None, dpi: float = 120
    ) -> tuple[MarkedPage, ...]:
        """The pages that something stands on, as pictures at ``dpi``, drawn from the source file with the
        passage marked: of a chunk; of the leaf of a node or a community that says most of what it says; of a
        document the first page; of ``<source>@<first>-<last>`` those pages, unmarked, 20 at most.

        Raises ConfigurationError where there is nothing under that name for this reader, or it has no pages;
        SourceGone or SourceChanged where the file is not there any more as it was read, and PageUnavailable
        where it cannot be drawn, or was indexed under an edit that may have taken something out.
        """
        from .showing import marked, shown

        name = name.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates name nothing
        with self._holding_any("show", name) as opened:
            reader = self._reader(opened, labels)
            reading = reader.read(name)
            document, pages = shown(reading, reader.best_leaf(reading), opened.catalogue.documents)
            file = opened.folder.ledger.file_of(document.id, opened.number)
            return marked(document, pages, self._pictures().draw(document, file, pages, dpi))

    def page_images(
        self, document: str, labels: Sequence[str] | None = None, first: int = 1, last: int = 1
    ) -> tuple[KeptImage, ...]:
        """The pictures that are kept of a document's pages from ``first`` to ``last``; ``document`` is its id
        or source.

        Raises ConfigurationError where this reader may see no such document.
        """
        with self._holding_any("read", document) as opened:
            return self._reader(opened, labels).page_images(document, first, last)

    def chunk_images(
        self, chunks: Sequence[str], labels: Sequence[str] | None = None
    ) -> Mapping[str, tuple[KeptImage, ...]]:
        """The pictures that are kept of each of these chunks that has some, by its id."""
        with self._current() as opened:
            return self._reader(opened, labels).chunk_images(chunks) if opened and chunks else {}

    ashow = awaited(show)
