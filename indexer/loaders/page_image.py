"""A page of a file as a picture, for what reads pictures: OCR, a vision model, a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import CorruptFile
from ..pages import PageBox, PageImage
from ..sources_names import escape_name
from .page_marks import mark
from .pdf_open import damage, open_pdf
from .pdf_page import engine
from .settings import LoadSettings

_POINTS = 72
"""Points an inch."""


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
    more than ``settings.max_pixels``, with ``marks`` on it; the part in
    ``clip`` alone, where that is given.

    Raises the LoadErrors of opening the file, and CorruptFile where there is no such page or it cannot be
    drawn.
    """
    with open_pdf(path, settings, password) as document:
        if not 1 <= number <= document.page_count:
            raise CorruptFile(f"{escape_name(path.name)} has no page {number}")
        try:
            page = document[number - 1]
            area = engine().Rect(clip.x0, clip.y0, clip.x1, clip.y1) if clip else page.rect
            return _drawn(page, area & page.rect, number, dpi, settings.max_pixels, marks)
        except damage() as error:
            raise CorruptFile(f"page {number} of {escape_name(path.name)} cannot be drawn") from error


def _drawn(
    page: Any, area: Any, number: int, dpi: float, max_pixels: int, marks: Sequence[PageBox]
) -> PageImage:
    inches = area.width * area.height / _POINTS**2
    if inches <= 0:
        raise CorruptFile(f"page {number} has nothing there to draw")
    dpi = max(1, int(min(dpi, (max_pixels / inches) ** 0.5)))
    scale = dpi / _POINTS
    matrix = engine().Matrix(scale, 0, 0, scale, -area.x0 * scale, -area.y0 * scale)
    pixmap = page.get_pixmap(matrix=matrix, clip=area, colorspace=engine().csRGB, alpha=False)
    mark(pixmap, marks, dpi)
    digest = hashlib.sha256(f"{pixmap.width}x{pixmap.height}\n".encode() + pixmap.samples).hexdigest()
    return PageImage(number, pixmap.tobytes("png"), pixmap.width, pixmap.height, dpi, digest)
