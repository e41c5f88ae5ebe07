"""Pages as pictures: which pages something that was read stands on, and where on them it is to be marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..indexer.errors import ConfigurationError
from ..indexer.pages import PageBox, PageImage
from ..indexer.types import Citation, Document
from .result import boxes_to_json
from .sight import Marks

if TYPE_CHECKING:
    from .read_result import Reading

MOST_PAGES = 20
"""Pages that are drawn at once."""


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """Page ``number`` (1-based) of a document as a picture: ``png`` bytes, ``width`` by ``height`` pixels at
    ``dpi``, with ``boxes`` (in points from its top left corner) marked on it."""

    document: str
    source: str
    number: int
    png: bytes = field(repr=False)
    width: int
    height: int
    dpi: float
    boxes: tuple[PageBox, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The page without its picture as JSON values."""
        return {
            "document": self.document,
            "source": self.source,
            "page": self.number,
            "width": self.width,
            "height": self.height,
            "dpi": self.dpi,
            "boxes": boxes_to_json(self.boxes),
        }


def marked(document: Document, pages: Marks, images: Sequence[PageImage]) -> tuple[MarkedPage, ...]:
    """``pages`` of a document as they were drawn."""
    return tuple(
        MarkedPage(
            document.id, document.source, image.number, image.png, image.width, image.height, image.dpi,
            tuple(pages[image.number]),
        )
        for image in images
    )  # fmt: skip


def shown(
    reading: Reading, citation: Citation | None, documents: Mapping[str, Document]
) -> tuple[Document, Marks]:
    """The document and the pages on which ``reading`` is to be shown, by the ``citation`` that stands for it.

    Raises ConfigurationError where none of it has pages, or it has too many.
    """
    if reading.kind == "pages":
        document = documents[str(reading.above[0]["id"])]
        first, last = (int(each) for each in reading.id.rpartition("@")[2].split("-"))
        if last - first >= MOST_PAGES:
            raise ConfigurationError(f"at most {MOST_PAGES} pages are shown at once, not {first}-{last}")
        return document, dict.fromkeys(range(first, last + 1), ())
    if citation is None:
        sources = {documents[each.document].source for each in reading.citations}
        named = next(iter(sources)) if len(sources) == 1 else "what it rests on"
        raise ConfigurationError(f"{named} has no pages to show; read it by: treegraph read {reading.id}")
    document = documents[citation.document]
    return document, {1: ()} if reading.kind == "document" else _marks(citation)


def _marks(citation: Citation) -> Marks:
    pages: dict[int, list[PageBox]] = {number: [] for number in (citation.pages or ())[:MOST_PAGES]}
    for box in citation.boxes:
        if box.page in pages:
            pages[box.page].append(box)
    return pages
