"""Pages of an index's documents as pictures: the source file found again, as it was read, and its pages drawn
in a child."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.errors import (
    ConfigurationError,
    EncryptedFile,
    LoadError,
    PageUnavailable,
    SourceChanged,
    SourceGone,
)
from ..indexer.loaders import media
from ..indexer.sources_names import escape_name
from .passwords import password_of, password_variable

if TYPE_CHECKING:
    from ..indexer.pages import PageImage
    from ..indexer.stores.ledger_rows import FileRow
    from ..indexer.types import Document
    from ..query.sight import Marks
    from .config import Config

_LEAST_DPI, _MOST_DPI = 20, 600


class FilePictures:
    """Draws pages from the files that documents were read from, as long as these are what was read."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def draw(
        self,
        document: Document,
        file: FileRow | None,
        pages: Marks,
        dpi: float,
        max_pixels: int | None = None,
    ) -> tuple[PageImage, ...]:
        """See :class:`..query.sight.PagePictures`."""
        if not _LEAST_DPI <= dpi <= _MOST_DPI:
            raise ConfigurationError(f"dpi is from {_LEAST_DPI} to {_MOST_DPI}, not {dpi:g}")
        file = _shown(document, file, pages)
        from ..indexer.loaders.child import ParserPool

        path, settings = _as_read(file), self._config.load
        password = password_of(settings, file.source)
        try:
            with ParserPool(settings) as pool:
                drawn = tuple(
                    pool.draw(path, document.media_type, number, dpi, password, max_pixels, boxes)
                    for number, boxes in pages.items()
                )
        except EncryptedFile as error:
            raise PageUnavailable(self._locked(file)) from error
        except LoadError as error:
            raise PageUnavailable(f"{document.source} cannot be drawn: {error}") from error
        self._check(document, drawn)
        return drawn

    def _check(self, document: Document, drawn: Sequence[PageImage]) -> None:
        """A running header is in no text that is indexed, and may show a secret too."""
        if not self._config.redact.active:
            return
        from ..indexer.redaction.finder import Redactor

        redactor = Redactor(self._config.redact)
        for image in drawn:
            if redactor.find(image.text):
                raise PageUnavailable(_withheld(document, image.number))

    def _locked(self, file: FileRow) -> str:
        name = password_variable(self._config.load, file.source)
        if name is None:
            return (
                f"{file.source} needs a password; name its variable in the configuration: [load.passwords] "
                f'"{file.source}" = "env:NAME"'
            )
        known = "is not the one" if name in os.environ else "is not set"
        return f"{file.source} needs the password in ${name}, which {known}"


def _shown(document: Document, file: FileRow | None, pages: Marks) -> FileRow:
    """The file that pages may be drawn from. Raises ConfigurationError and PageUnavailable."""
    if document.media_type not in media.DRAWN:
        raise ConfigurationError(f"{document.source} is {document.media_type}, which has no pages to draw")
    if file is None:
        raise PageUnavailable(
            f"{document.source} was handed in by a program: there is no file to draw its pages from"
        )
    if file.edited:
        raise PageUnavailable(
            f"{document.source} was indexed under an edit, and its pages would show what that took out: "
            "they are not drawn"
        )
    secret = sorted(set(pages).intersection(document.withheld))
    if secret:
        raise PageUnavailable(_withheld(document, secret[0]))
    return file


def _withheld(document: Document, number: int) -> str:
    return f"page {number} of {document.source} shows a secret that was redacted: it is not drawn"


def _as_read(file: FileRow) -> Path:
    """The place of a file that still is what was read. Raises SourceGone and SourceChanged."""
    path = Path(file.path)
    try:
        found = path.stat()
        if (found.st_size, found.st_mtime_ns, found.st_ino) != (file.size, file.mtime_ns, file.inode):
            with path.open("rb") as stream:
                same = hashlib.file_digest(stream, "sha256").hexdigest() == file.version
            if not same:
                raise SourceChanged(
                    f"{file.source} was changed since it was read, so a passage may stand elsewhere in it; "
                    "build again to index it as it is now"
                )
    except FileNotFoundError as error:
        raise SourceGone(
            f"{file.source} was read from {escape_name(file.path)}, and is not there any more; put it back, "
            "or build again with the place where it is now"
        ) from error
    except OSError as error:
        raise PageUnavailable(f"{escape_name(file.path)} cannot be read: {error.strerror}") from error
    return path
