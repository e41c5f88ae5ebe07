"""Small pages as pictures, typeset here, for what reads pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pymupdf
from treegraph.indexer.pages import PageImage

WIDTH, HEIGHT = 420, 300
DPI = 150

PUMP = (
    "The pump stops at 40 bar and says so.",
    "Close valve MV-17 before you open the cover.",
    "Oil is changed after 2,500 hours of work.",
    "Never run the motor without its guard.",
)


def typeset(
    lines: Sequence[str], font: str = "helv", rotate: float = 0, width: float = WIDTH, height: float = HEIGHT
) -> pymupdf.Page:
    """A page of these lines, turned clockwise by ``rotate`` degrees about its middle."""
    page = pymupdf.open().new_page(width=width, height=height)
    middle = pymupdf.Point(width / 2, height / 2)
    turn = pymupdf.Matrix(1, 1)
    turn.prerotate(-rotate)
    for index, line in enumerate(lines):
        at = pymupdf.Point(60, 70 + 24 * index)
        page.insert_text(at, line, fontsize=12, fontname=font, morph=(middle, turn))
    return page


def picture(page: pymupdf.Page, dpi: int = DPI, number: int = 1) -> PageImage:
    """A page as it is shown."""
    drawn = page.get_pixmap(dpi=dpi, alpha=False)
    digest = hashlib.sha256(drawn.samples).hexdigest()
    return PageImage(number, drawn.tobytes("png"), drawn.width, drawn.height, dpi, digest)
