"""Plain text and source code, in any encoding."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import LimitExceeded, NoText
from ..pages import Page
from ..types import Content
from . import media
from .encoding import Decoded, decode
from .reading import read_bytes
from .settings import LoadSettings
from .text_headings import headings

_OVERSTRIKE = re.compile("[^\n]\b")


def read_text(path: Path, settings: LoadSettings, media_type: str = media.PLAIN) -> Content:
    """The text of a file as it stands, line ends as ``\\n``.

    Form feeds, where there are any, end pages, as in printed standards. Overstruck letters, as old
    manual pages have them for bold, become plain ones. ``media_type`` says of source code which
    language it is in; in reStructuredText, AsciiDoc and Org the headings become sections.

    Raises NoText where there are only spaces, EmptyFile, LimitExceeded, UnreadableFile.
    """
    decoded = decode(read_bytes(path, settings))
    text = _OVERSTRIKE.sub("", decoded.text) if "\b" in decoded.text else decoded.text
    check_text(text, settings)
    return Content(
        text=text,
        media_type=media_type,
        pages=_pages(text),
        sections=headings(text, media_type),
        dropped=undecodable(decoded),
    )


def check_text(text: str, settings: LoadSettings) -> None:
    """Raises NoText for nothing but white space, LimitExceeded for more than may come out of a file."""
    if not text.strip():
        raise NoText("holds only white space")
    if len(text) > settings.max_characters:
        raise LimitExceeded(f"holds more than max_characters = {settings.max_characters}; raise it in [load]")


def undecodable(decoded: Decoded) -> dict[str, int]:
    """The count of bytes that became U+FFFD, as Content.dropped names it."""
    return {"undecodable bytes": decoded.undecodable} if decoded.undecodable else {}


def _pages(text: str) -> tuple[Page, ...]:
    if "\f" not in text.rstrip():
        return ()
    starts = [0, *(match.end() for match in re.finditer("\f", text))]
    if not text[starts[-1] :].strip() and len(starts) > 1:
        starts.pop()
    ends = [*starts[1:], len(text)]
    return tuple(
        Page(number, start, end)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    )
