"""What looking at a page takes: where its picture comes from, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..indexer.pages import PageImage
from ..indexer.types import Document

if TYPE_CHECKING:
    from .showing import MarkedPage, Marks


class PagePictures(Protocol):
    """Draws pages of indexed documents; the library's root hands it in."""

    def draw(self, document: Document, generation: int, page: int, dpi: float, max_pixels: int) -> PageImage:
        """Page ``page`` (1-based) as it is in the file that was indexed. Raises PageUnavailable."""
        ...

    def marked(self, document: Document, generation: int, pages: Marks, dpi: float) -> tuple[MarkedPage, ...]:
        """These pages with what is marked on them. Raises ConfigurationError for a format without pages or a
        ``dpi`` that is none, and PageUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Sight:
    """What looking takes: where pictures come from, and how large they are."""

    pictures: PagePictures
    dpi: int
    max_pixels: int
