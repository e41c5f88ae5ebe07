"""Pages of an index's documents as pictures, drawn from the files that they were read from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.errors import (
    ConfigurationError,
    EncryptedFile,
    FileChanged,
    LoadError,
    PageUnavailable,
    SourceChanged,
    SourceGone,
)
from ..indexer.loaders import media
from ..indexer.loaders.detect import detect
from ..indexer.sources import SourceFile, read_stable
from ..indexer.sources_names import escape_name
from .passwords import password_of, password_variable

if TYPE_CHECKING:
    from ..indexer.pages import PageImage
    from ..indexer.stores.folder import IndexFolder
    from ..indexer.types import Document
    from ..query.showing import MarkedPage, Marks
    from .config import Config


_LEAST_DPI, _MOST_DPI = 20, 600


class FilePictures:
    """Draws pages from the files that the ledger names, as long as these are what was indexed."""

    def __init__(self, folder: IndexFolder, config: Config) -> None:
        self._folder = folder
        self._config = config

    def draw(self, document: Document, generation: int, page: int, dpi: float, max_pixels: int) -> PageImage:
        """Page ``page`` (1-based) of a document of a generation. Raises PageUnavailable, which says what to
        do, where its file is gone, changed or cannot be read."""
        ((_, image),) = self._drawn(document, generation, {page: ()}, dpi, max_pixels)
        return image

    def marked(self, document: Document, generation: int, pages: Marks, dpi: float) -> tuple[MarkedPage, ...]:
        """These pages of a document of a generation, with what is marked on them, at ``dpi`` from 20 to 600
        or less. Raises ConfigurationError for another, or for a format without pages, and as :meth:`draw`."""
        from ..query.showing import MarkedPage

        if not _LEAST_DPI <= dpi <= _MOST_DPI:
            raise ConfigurationError(f"dpi is from {_LEAST_DPI} to {_MOST_DPI}, not {dpi:g}")
        if not media.is_drawn(document.media_type):
            raise ConfigurationError(f"{document.source} is {document.media_type}: it has no pages to draw")
        return tuple(
            MarkedPage(
                document.id, document.source, number, image.png, image.width, image.height, image.dpi,
                tuple(pages[number]),
            )
            for number, image in self._drawn(document, generation, pages, dpi)
        )  # fmt: skip

    def _drawn(
        self, document: Document, generation: int, pages: Marks, dpi: float, max_pixels: int | None = None
    ) -> list[tuple[int, PageImage]]:
        """The pages by number, drawn in one child."""
        from ..indexer.loaders.child import ParserPool

        path = self._file(document, generation)
        password = password_of(self._config.load, document.source)
        drawn = []
        with ParserPool(self._config.load, 1) as pool:
            for number, boxes in pages.items():
                try:
                    image = pool.draw(path, detect(path), number, dpi, password, max_pixels, boxes)
                except EncryptedFile as error:
                    raise PageUnavailable(self._locked(document.source)) from error
                except LoadError as error:
                    where = f"page {number} of {document.source}"
                    raise PageUnavailable(f"{where} cannot be drawn: {error}") from error
                drawn.append((number, image))
        return drawn

    def _locked(self, source: str) -> str:
        name = password_variable(self._config.load, source)
        if name is None:
            return (
                f"{source} needs a password; name its variable in the configuration: [load.passwords] "
                f'"{source}" = "env:NAME"'
            )
        known = "is not the one" if name in os.environ else "is not set"
        return f"{source} needs the password in ${name}, which {known}"

    def _file(self, document: Document, generation: int) -> Path:
        ledger = self._folder.ledger
        row = ledger.document(document.id, generation)
        file = ledger.files(generation).get(row.file) if row else None
        if row is None or file is None:
            raise PageUnavailable(
                f"{document.source} was handed over by a program: there is no file to draw its pages from"
            )
        path = Path(file.path)
        try:
            stat = path.stat()
            seen = SourceFile(row.root, file.source, path, stat.st_size, stat.st_mtime_ns, stat.st_ino)
            same = read_stable(path, seen) == file.version
        except (FileNotFoundError, FileChanged) as error:
            raise SourceGone(
                f"{document.source} was read from {escape_name(str(path))}, and is not there any more; put "
                "it back, or build again with the place where it is now"
            ) from error
        except (OSError, LoadError) as error:
            raise PageUnavailable(f"{escape_name(str(path))} cannot be read: {error}") from error
        if not same:
            raise SourceChanged(
                f"{document.source} was changed since it was read; build again to index it as it is now"
            )
        return path
