"""Changing what was read before it is cut and indexed: redacting, withholding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from ..indexer.loaders.loaded import Loaded
from ..indexer.types import Content
from .preparation import Reader
from .survey import Change


class Edit(Protocol):
    """Changes the content of documents before they are cut.

    Files stay as they are, so their pages are not shown (PageUnavailable) and no pictures of them are kept.
    Pages that are read from their pictures are read before the edit: a vision model sees them whole, and what
    was read of them stays in the index's ledger unedited, for the next build, until their file is removed.
    """

    @property
    def name(self) -> str:
        """Which edit this is. A file is read again when it is another one, so it must change whenever
        the edit would make something else of a document."""
        ...

    def __call__(self, source: str, content: Content) -> Content:
        """What is to be indexed in place of ``content``. Pages, sections, blocks and places must fit its
        text."""
        ...


@dataclass(frozen=True, slots=True)
class EditedReader:
    """Reads with ``reader``, and passes on what ``edit`` makes of it; a Reader."""

    reader: Reader
    edit: Edit

    def read(self, change: Change) -> Iterator[Loaded]:
        """The documents of a file, edited, or the errors in their places."""
        for loaded in self.reader.read(change):
            if loaded.content is None:
                yield loaded
            else:
                yield replace(loaded, content=_bare(self.edit(loaded.source, loaded.content)))


def _bare(content: Content) -> Content:
    """``content`` without its pictures, which no edit changes."""
    if not any(page.figures for page in content.pages):
        return content
    return replace(content, pages=tuple(replace(page, figures=()) for page in content.pages))
