"""A small page and its picture, for what reads pages."""

from __future__ import annotations

import hashlib
from typing import Any

from ...indexer.pages import PageImage

NUMBER = "4711"
"""What stands on the page."""
_DPI = 96


def pdf_page() -> bytes:
    """A PDF of one page with a line of text."""
    with _document() as document:
        return bytes(document.tobytes())


def picture() -> PageImage:
    """That page as a picture, without its text."""
    with _document() as document:
        pixels = document[0].get_pixmap(dpi=_DPI, alpha=False)
    digest = hashlib.sha256(pixels.samples).hexdigest()
    return PageImage(1, bytes(pixels.tobytes("png")), pixels.width, pixels.height, _DPI, digest)


def _document() -> Any:
    from ...indexer.loaders.pdf_page import engine

    document = engine().open()
    document.new_page(width=360, height=120).insert_text((30, 70), f"Number {NUMBER}", fontsize=36)
    return document
