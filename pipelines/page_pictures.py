"""Pages of an index's documents as pictures, drawn from the files that they were read from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.errors import FileChanged, LoadError, PageUnavailable, SourceChanged, SourceGone
from ..indexer.loaders.detect import detect
from ..indexer.sources import SourceFile, read_stable
from ..indexer.sources_names import escape_name

if TYPE_CHECKING:
    from ..indexer.pages import PageImage
    from ..indexer.stores.folder import IndexFolder
    from ..indexer.types import Document
    from .config import Config


class FilePictures:
    """Draws pages from the files that the ledger names, as long as these are what was indexed."""

    def __init__(self, folder: IndexFolder, config: Config) -> None:
        self._folder = folder
        self._config = config

    def draw(self, document: Document, generation: int, page: int, dpi: float, max_pixels: int) -> PageImage:
        """Page ``page`` (1-based) of a document of a generation. Raises PageUnavailable, which says what to
        do, where its file is gone, changed or cannot be read."""
        from ..indexer.loaders.child import ParserPool
        from .intake import FileReader

        path = self._file(document, generation)
        with ParserPool(self._config.load, 1) as pool:
            password = FileReader(self._config, pool).password(document.source)
            try:
                return pool.draw(path, detect(path), page, dpi, password, max_pixels)
            except LoadError as error:
                raise PageUnavailable(f"page {page} of {document.source} cannot be drawn: {error}") from error

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
