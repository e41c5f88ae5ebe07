"""Opening a PDF, or an image as a document of pages: every way in which that can fail gets its own error."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import CorruptFile, EmptyFile, EncryptedFile, LimitExceeded, UnreadableFile
from ..sources_names import escape_name
from . import media
from .pdf_page import engine
from .settings import LoadSettings

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_HOW_TO_GIVE_A_PASSWORD = (
    'give it by the name of an environment variable: `"PATTERN" = "env:NAME"` under `[load.passwords]`'
)


@contextlib.contextmanager
def open_pdf(
    path: Path, settings: LoadSettings, password: str | None, media_type: str = media.PDF
) -> Iterator[Any]:
    """The open document of ``path``, a PDF or an image, with at least one page and readable with
    ``password``.

    Raises UnreadableFile, EmptyFile (no bytes, or no pages), LimitExceeded (bytes or pages),
    EncryptedFile (password missing or wrong) and CorruptFile.
    """
    _check_size(path, settings)
    document = _open(path, media_type.rpartition("/")[2])
    try:
        _unlock(document, path, password)
        _check_pages(document, path, settings)
        yield document
    finally:
        document.close()


def _check_size(path: Path, settings: LoadSettings) -> None:
    shown = escape_name(path.name)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UnreadableFile(f"cannot read {shown}: {error.strerror}") from error
    if size == 0:
        raise EmptyFile(f"{shown} has no bytes")
    if size > settings.max_bytes:
        raise LimitExceeded(f"{shown} has {size} bytes, over the limit of {settings.max_bytes} (max_bytes)")


def _open(path: Path, kind: str) -> Any:
    pymupdf, shown = engine(), escape_name(path.name)

    # MuPDF writes what it repairs to stderr; what matters of that is reported by the pages instead.
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with path.open("rb") as file:
            # MuPDF wants a name in UTF-8; a file of any other name is reached by its descriptor.
            name = str(path) if _is_text(path) else f"/dev/fd/{file.fileno()}"
            return pymupdf.open(name, filetype=kind)
    except OSError as error:
        raise UnreadableFile(f"cannot read {shown}: {error.strerror}") from error
    except pymupdf.EmptyFileError as error:
        raise EmptyFile(f"{shown} has no bytes") from error
    except damage() as error:
        raise CorruptFile(f"{shown} is not a {kind.upper()} that can be read, or is cut short") from error


def damage() -> tuple[type[Exception], ...]:
    """What the engine raises over a damaged file: its own errors are no RuntimeErrors everywhere, and a file
    that it mends while it reads may have fewer pages than it said."""
    return (RuntimeError, ValueError, IndexError, engine().mupdf.FzErrorBase)


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unlock(document: Any, path: Path, password: str | None) -> None:
    if not document.needs_pass:
        return
    shown = escape_name(path.name)
    if password is None:
        raise EncryptedFile(f"{shown} needs a password; {_HOW_TO_GIVE_A_PASSWORD}")
    if not document.authenticate(password):
        raise EncryptedFile(f"the password given for {shown} is wrong; {_HOW_TO_GIVE_A_PASSWORD}")


def _check_pages(document: Any, path: Path, settings: LoadSettings) -> None:
    shown = escape_name(path.name)
    try:
        count = document.page_count
    except damage() as error:
        raise CorruptFile(f"{shown} has no readable list of pages") from error
    if count > settings.max_pages:
        raise LimitExceeded(f"{shown} has {count} pages, over the limit of {settings.max_pages} (max_pages)")
    if count > 0:
        return
    if document.is_repaired and not _says_no_pages(document):
        raise CorruptFile(f"{shown} is cut short: no page of it can be found")
    raise EmptyFile(f"{shown} has no pages")


def _says_no_pages(document: Any) -> bool:
    """Whether the file itself says that it has no pages, and has not just lost the list of them."""
    try:
        return bool(document.xref_get_key(document.pdf_catalog(), "Pages/Count") == ("int", "0"))
    except damage():
        return False


def contents_are_lost(document: Any, number: int) -> bool:
    """Whether page ``number`` (0-based) of a repaired document, or what it shows, is gone from the file."""
    try:
        page = document[number]
        if document.xref_get_key(page.xref, "Type")[1] != "/Page":
            return True
        return any(not document.xref_is_stream(xref) for xref in page.get_contents())
    except damage():
        return True


def language_of(document: Any) -> str | None:
    """The language that the file declares for its text, as in "de" or "en-US"."""
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except damage():
        return None
    return value if kind == "string" and _LANGUAGE.fullmatch(value) else None
