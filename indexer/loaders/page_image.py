"""A page of a file as a picture, for what reads pictures: OCR, a vision model, a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import CorruptFile
from ..pages import PageBox, PageImage
from ..sources_names import escape_name
from . import media
from .images import check_pictures, image_dpi
from .page_marks import mark
from .pdf_garbled import is_garbled, is_holed
from .pdf_open import damage, open_pdf
from .pdf_page import engine
from .pdf_text import clean
from .settings import LoadSettings

_POINTS = 72
"""Points an inch."""
_MOST_TEXT = 200_000
"""Characters of a text layer that go with a picture."""


def draw_page(
    path: Path,
    media_type: str,
    number: int,
    dpi: float,
    settings: LoadSettings,
    password: str | None = None,
    marks: Sequence[PageBox] = (),
    clip: PageBox | None = None,
) -> PageImage:
    """Page ``number`` (1-based) of a file as it is shown, upright, at ``dpi`` or at less where it would hold
    more than ``settings.max_pixels``, with ``marks`` on it; an image file at no more than it holds. Of the
    page what is in ``clip``, where that is given.

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
            area = engine().Rect(clip.x0, clip.y0, clip.x1, clip.y1) & page.rect if clip else page.rect
            return _drawn(page, area, number, dpi, settings.max_pixels, marks)
        except damage() as error:
            raise CorruptFile(f"page {number} of {escape_name(path.name)} cannot be drawn") from error


def _drawn(
    page: Any, area: Any, number: int, dpi: float, max_pixels: int, marks: Sequence[PageBox]
) -> PageImage:
    inches = area.width * area.height / _POINTS**2
    if inches <= 0:
        raise CorruptFile(f"page {number} has nothing there to draw")
    dpi = max(1, int(min(dpi, (max_pixels / inches) ** 0.5)))
    said = page.get_text() if area == page.rect else ""
    text = "\n".join(map(clean, said.splitlines()))[:_MOST_TEXT]
    pixmap = _pixels(page, area, dpi)
    mark(pixmap, marks, dpi)
    digest = hashlib.sha256(f"{pixmap.width}x{pixmap.height}\n".encode() + pixmap.samples).hexdigest()
    png = pixmap.tobytes("png")
    text = "" if is_garbled(text) or is_holed(text) else text  # there is nothing to hold against it
    return PageImage(number, png, pixmap.width, pixmap.height, dpi, digest, text)


def _pixels(page: Any, area: Any, dpi: int) -> Any:
    """The picture of an area, whose corner is at 0, 0: so it is the same wherever on a page it stands."""
    if area == page.rect:
        return page.get_pixmap(dpi=dpi, colorspace=engine().csRGB, alpha=False)
    scale = dpi / _POINTS
    matrix = engine().Matrix(scale, 0, 0, scale, -area.x0 * scale, -area.y0 * scale)
    return page.get_pixmap(matrix=matrix, clip=area, colorspace=engine().csRGB, alpha=False)
