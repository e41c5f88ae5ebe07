"""Drawing pages for readers: the source file found again, as it was read, and its pages drawn in a child."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..indexer.errors import (
    ConfigurationError,
    EncryptedFile,
    LoadError,
    PageUnavailable,
    SourceChanged,
    SourceGone,
)
from ..indexer.loaders import media
from ..indexer.loaders.child import ParserPool
from ..indexer.pages import PageBox
from ..indexer.sources_names import escape_name
from ..indexer.stores.ledger import FileRow
from ..indexer.types import Document
from ..query.showing import MarkedPage
from .config import Config
from .passwords import password_of, password_variable

_LEAST_DPI, _MOST_DPI = 20, 600


def draw_pages(
    document: Document,
    file: FileRow | None,
    pages: Mapping[int, Sequence[PageBox]],
    dpi: float,
    config: Config,
) -> tuple[MarkedPage, ...]:
    """See :class:`..query.showing.Drawing`; ``dpi`` is from 20 to 600, and less where a page would have more
    than ``[load] max_pixels``."""
    if not _LEAST_DPI <= dpi <= _MOST_DPI:
        raise ConfigurationError(f"dpi is from {_LEAST_DPI} to {_MOST_DPI}, not {dpi:g}")
    if not media.is_drawn(document.media_type):
        raise ConfigurationError(f"{document.source} is {document.media_type}, which has no pages to draw")
    if file is None:
        raise ConfigurationError(
            f"{document.source} was handed in, so there is no file to draw its pages from"
        )
    path = _as_read(file)
    password = password_of(config.load, file.source)
    drawn = []
    try:
        with ParserPool(config.load) as pool:
            for number, boxes in pages.items():
                image = pool.draw(path, document.media_type, number, dpi, password, boxes)
                drawn.append(
                    MarkedPage(
                        document.id, document.source, number, image.png, image.width, image.height, image.dpi,
                        tuple(boxes),
                    )
                )  # fmt: skip
    except EncryptedFile as error:
        raise PageUnavailable(_locked(config, file)) from error
    except LoadError as error:
        raise PageUnavailable(f"{document.source} cannot be drawn: {error}") from error
    return tuple(drawn)


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


def _locked(config: Config, file: FileRow) -> str:
    name = password_variable(config.load, file.source)
    if name is None:
        return (
            f"{file.source} needs a password; name its variable in the configuration: [load.passwords] "
            f'"{file.source}" = "env:NAME"'
        )
    known = "is not the one" if name in os.environ else "is not set"
    return f"{file.source} needs the password in ${name}, which {known}"
