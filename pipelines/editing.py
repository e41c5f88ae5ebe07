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
    """Changes the content of documents before they are cut."""

    @property
    def name(self) -> str:
        """Which edit this is. A file is read again when it is another one, so it must change whenever
        the edit would make something else of a document."""
        ...

    def __call__(self, source: str, content: Content) -> Content:
        """What is to be indexed in place of ``content``. Pages, sections, blocks and places must fit its
        text. Pictures that it takes from the pages are not kept."""
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
                yield replace(loaded, content=self.edit(loaded.source, loaded.content))
