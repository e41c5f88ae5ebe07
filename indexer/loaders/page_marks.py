"""Marking a passage on a picture of its page: tinted as by a highlighter, with a thin frame around it.

The picture is changed, not the file: so it works for every format that has pages, and for pages that are
rotated or cropped, whose pictures are what boxes are measured on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..pages import PageBox
from .pdf_page import engine

_BLACK, _YELLOW = 0x000000, 0xFFEE88
_FRAME = (200, 60, 0)
_POINTS = 72
_AROUND = 1.5
"""Points that are left free around a passage."""


def mark(picture: Any, boxes: Iterable[PageBox], dpi: float) -> None:
    """Mark ``boxes`` on ``picture``, an RGB pixmap of their page at ``dpi``. What is dark stays dark."""
    scale = dpi / _POINTS
    for box in boxes:
        x0, y0, x1, y1 = box.x0 - _AROUND, box.y0 - _AROUND, box.x1 + _AROUND, box.y1 + _AROUND
        inside = _inside(picture, [round(each * scale) for each in (x0, y0, x1, y1)])
        if not inside.is_empty:
            _tint(picture, inside)
            _frame(picture, inside, max(1, round(scale / 2)))


def _inside(picture: Any, corners: Sequence[int]) -> Any:
    """The part of a rectangle that is on the picture."""
    x0, y0, x1, y1 = corners
    right, bottom = picture.x + picture.width, picture.y + picture.height
    left, top = max(picture.x, picture.x + x0), max(picture.y, picture.y + y0)
    return engine().IRect(left, top, min(right, picture.x + x1), min(bottom, picture.y + y1))


def _tint(picture: Any, inside: Any) -> None:
    part = engine().Pixmap(picture.colorspace, inside, False)
    part.copy(picture, inside)
    part.tint_with(_BLACK, _YELLOW)
    picture.copy(part, inside)


def _frame(picture: Any, inside: Any, width: int) -> None:
    x0, y0, x1, y1 = inside
    for side in ((x0, y0, x1, y0 + width), (x0, y1 - width, x1, y1), (x0, y0, x0 + width, y1),
                 (x1 - width, y0, x1, y1)):  # fmt: skip
        picture.set_rect(engine().IRect(*side), _FRAME)
