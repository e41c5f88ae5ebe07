"""A page of a file as a picture, for what reads pictures: OCR, a vision model, a person."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..errors import CorruptFile
from ..pages import PageImage
from ..sources_names import escape_name
from . import media
from .images import check_pictures, image_dpi
from .pdf_garbled import is_garbled
from .pdf_open import damage, open_pdf
from .pdf_page import engine
from .pdf_text import clean
from .settings import LoadSettings

_POINTS = 72
"""Points an inch."""
_MOST_TEXT = 200_000
"""Characters of a text layer that go with a picture."""


def draw_page(
    path: Path, media_type: str, number: int, dpi: float, settings: LoadSettings, password: str | None = None
) -> PageImage:
    """Page ``number`` (1-based) of a file as it is shown, upright, at ``dpi`` or at less where it would hold
    more than ``settings.max_pixels``; an image file at no more than it holds.

    Raises the LoadErrors of opening the file, CorruptFile where there is no such page or it cannot be drawn,
    and LimitExceeded where it shows a picture that is too large to decode.
    """
    with open_pdf(path, settings, password, media_type) as document:
        if not 1 <= number <= document.page_count:
            raise CorruptFile(f"{escape_name(path.name)} has no page {number}")
        try:
            page = document[number - 1]
            check_pictures(page, escape_name(path.name))
            if media_type in media.IMAGES:
                dpi = image_dpi(page, dpi)
            return _drawn(page, number, dpi, settings.max_pixels)
        except damage() as error:
            raise CorruptFile(f"page {number} of {escape_name(path.name)} cannot be drawn") from error


def _drawn(page: Any, number: int, dpi: float, max_pixels: int) -> PageImage:
    area = page.rect.width * page.rect.height / _POINTS**2
    dpi = min(dpi, (max_pixels / area) ** 0.5) if area > 0 else dpi
    text = "\n".join(map(clean, page.get_text().splitlines()))[:_MOST_TEXT]
    pixmap = page.get_pixmap(dpi=max(1, int(dpi)), colorspace=engine().csRGB, alpha=False)
    digest = hashlib.sha256(f"{pixmap.width}x{pixmap.height}\n".encode() + pixmap.samples).hexdigest()
    png = pixmap.tobytes("png")
    text = "" if is_garbled(text, 0) else text  # there is nothing to hold against it
    return PageImage(number, png, pixmap.width, pixmap.height, max(1, int(dpi)), digest, text)
