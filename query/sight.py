"""What seeing pages takes: where their pictures come from, and how large a model is shown them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..indexer.pages import PageBox, PageImage
from ..indexer.types import Document

if TYPE_CHECKING:
    from ..indexer.stores.ledger_rows import FileRow

Marks = Mapping[int, Sequence[PageBox]]
"""Pages to draw, by number (1-based) in order, with what is to be marked on each."""


class PagePictures(Protocol):
    """Draws pages of the files that were indexed; the library's root hands it in."""

    def draw(
        self,
        document: Document,
        file: FileRow | None,
        pages: Marks,
        dpi: float,
        max_pixels: int | None = None,
    ) -> tuple[PageImage, ...]:
        """These pages of a document from its ``file`` (None: it was handed in, there is none), at ``dpi`` or
        at less where one would have more than ``max_pixels`` (None: as the configuration has it).

        Raises ConfigurationError for a format without pages and a ``dpi`` outside 20 to 600, SourceGone or
        SourceChanged where the file is not there any more as it was read, and PageUnavailable where there is
        none, it was indexed under an edit, or it cannot be drawn.
        """
        ...


@dataclass(frozen=True, slots=True)
class Sight:
    """Where pictures of pages come from, and how large a model that looks at one is shown it."""

    pictures: PagePictures
    dpi: int
    max_pixels: int
