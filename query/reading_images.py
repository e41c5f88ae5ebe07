"""The pictures that are kept of documents, as readers get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..indexer.pages import Figure, Page
from ..indexer.stores.images import ImageFolder
from ..indexer.types import Document
from .read_result import KeptImage

Payload = Mapping[str, Any]


class ImageReader:
    """The pictures in ``folder``, of the documents whose ``pages`` say that they have them. It knows nothing
    of labels: it is asked only for documents that may be read."""

    def __init__(self, folder: ImageFolder, pages: Callable[[str], Sequence[Page]]) -> None:
        self._folder = folder
        self._pages = pages

    def __bool__(self) -> bool:
        """Whether any are kept at all."""
        return bool(self._folder)

    def of_chunk(self, document: Document, chunk: Payload) -> tuple[KeptImage, ...]:
        """The pictures that belong to a chunk."""
        first, last = chunk.get("first_page"), chunk.get("last_page")
        images = self.on_pages(document, [chunk], first, last) if first and last else ()
        return tuple(image for image in images if image.chunk)

    def on_pages(
        self, document: Document, chunks: Sequence[Payload], first: int, last: int
    ) -> tuple[KeptImage, ...]:
        """The pictures on the pages from ``first`` to ``last``, each with that of ``chunks`` to which it
        belongs."""
        if not self:
            return ()
        pages = (page for page in self._pages(document.id) if first <= page.number <= last)
        figures = (figure for page in pages for figure in page.figures)
        return tuple(self._kept(document, figure, chunks) for figure in figures)

    def _kept(self, document: Document, figure: Figure, chunks: Sequence[Payload]) -> KeptImage:
        chunk = next((row["id"] for row in chunks if row["start"] <= figure.at < row["end"]), None)
        path = self._folder.file(figure.digest)
        return KeptImage(
            figure.digest, document.id, document.source, figure.box.page, figure.box, figure.width,
            figure.height, figure.caption, chunk, path,
        )  # fmt: skip
