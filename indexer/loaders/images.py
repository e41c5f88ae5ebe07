"""Image files: PNG, JPEG, and TIFF of several pages. Their pages are pictures; what stands on them is read by
OCR or a vision model, as that of a scan in a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import CorruptFile, LimitExceeded
from ..pages import PageReading
from ..sources_names import escape_name
from ..types import Content
from .pdf import read_pages
from .pdf_open import damage, open_pdf
from .settings import LoadSettings

_POINTS = 72
_LARGE = 2500
"""Pixels of the longer side that are enough for any page."""
_MOST_PIXELS = 250_000_000
"""Of one picture: what is decoded holds up to four bytes a pixel, whatever is drawn of it."""


def read_image(
    path: Path, settings: LoadSettings, media_type: str, readings: Sequence[PageReading] = ()
) -> Content:
    """What the pages of an image say, by their ``readings``; those without one are ``Content.wanted``.

    Raises EmptyFile, CorruptFile, UnreadableFile, LimitExceeded (pages, bytes or pixels) and NoText if no
    page holds any text and none is wanted.
    """
    name = escape_name(path.name)
    with open_pdf(path, settings, None, media_type) as document:
        try:
            for page in document:
                check_pictures(page, name)
        except damage() as error:
            raise CorruptFile(f"{name} is damaged, or cut short") from error
        return read_pages(document, name, settings, readings, Content("", media_type))


def image_dpi(page: Any, dpi: float) -> float:
    """The dots an inch at which the page of an image is drawn: ``dpi``, but fewer where its longer side would
    be over 2500 pixels. What size it has on paper only some files say, and not all of those truly."""
    largest = max(page.rect.width, page.rect.height)
    return min(dpi, _POINTS * _LARGE / largest) if largest > 0 else dpi


def check_pictures(page: Any, name: str) -> None:
    """Raises LimitExceeded where a page shows a picture that would take too much memory to decode."""
    for image in page.get_image_info():
        width, height = image["width"], image["height"]
        if width * height > _MOST_PIXELS:
            raise LimitExceeded(
                f"{name} holds a picture of {width} by {height} pixels, over the limit of "
                f"{_MOST_PIXELS // 1_000_000} million; make it smaller"
            )
