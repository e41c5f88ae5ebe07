"""Pictures on a page: where they are, and what of the page's text belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..pages import Figure, Page, PageBox
from .pdf_captions import is_figure_caption
from .pdf_page import SCALE, Box

_LEAST_SIDE = 48 * SCALE
"""Smaller pictures are icons, bullets and rules."""
_WHOLE_PAGE = 0.85
"""A picture with this share of the page is a scan of it, or its background."""
_TOUCH = 3 * SCALE
"""Pictures this near to each other are parts of one: many programs write them in strips."""
_FAR = 72 * SCALE
"""How far from its picture a caption stands at most."""


class Spot(NamedTuple):
    """A paragraph: where it begins in the document's text, what it says, and where it stands."""

    at: int
    text: str
    box: Box


def areas(pictures: Sequence[Box], width: int, height: int) -> list[Box]:
    """Where the pictures of a page are that are worth keeping, the parts of one put together; downwards."""
    found: list[Box] = []
    for each in pictures:
        box = Box(max(0, each.x0), max(0, each.y0), min(width, each.x1), min(height, each.y1))
        if box.x1 > box.x0 and box.y1 > box.y0:
            found = _joined(found, box)
    most = _WHOLE_PAGE * width * height
    kept = [box for box in found if min(box.x1 - box.x0, box.y1 - box.y0) >= _LEAST_SIDE]
    return sorted((box for box in kept if _area(box) < most), key=lambda box: (box.y0, box.x0))


def _joined(found: list[Box], box: Box) -> list[Box]:
    """``found`` with one more, those that it touches made one with it."""
    while touching := [other for other in found if _gap(box, other) <= _TOUCH]:
        found = [other for other in found if other not in touching]
        parts = [box, *touching]
        box = Box(
            min(part.x0 for part in parts),
            min(part.y0 for part in parts),
            max(part.x1 for part in parts),
            max(part.y1 for part in parts),
        )
    return [*found, box]


def figures(found: Sequence[Box], spots: Sequence[Spot], page: Page) -> tuple[Figure, ...]:
    """The pictures of a page at the areas ``found``, each with its caption, and the place in the text of that
    or of the paragraph nearest to it."""
    made = []
    for area in found:
        near = sorted(spots, key=lambda spot: _gap(area, spot.box))
        captions = [spot for spot in near if is_figure_caption(spot.text) and _gap(area, spot.box) <= _FAR]
        spot = captions[0] if captions else near[0] if near else None
        caption = " ".join(captions[0].text.split()) if captions else ""
        box = PageBox(page.number, area.x0 / SCALE, area.y0 / SCALE, area.x1 / SCALE, area.y1 / SCALE)
        made.append(Figure(box, spot.at if spot else page.start, caption))
    return tuple(made)


def _gap(one: Box, other: Box) -> int:
    """How far two rectangles are apart: 0 where they meet."""
    across = max(0, one.x0 - other.x1, other.x0 - one.x1)
    down = max(0, one.y0 - other.y1, other.y0 - one.y1)
    return across + down


def _area(box: Box) -> int:
    return (box.x1 - box.x0) * (box.y1 - box.y0)
