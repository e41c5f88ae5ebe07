"""Lines that OCR read, as the lines of a text layer: what the layout of a page is made from.

A detector's boxes stand loosely around their lines, the more so the smaller the letters. Measured against
the text layers of 15 manuals and reports, in sizes of the font: the baseline is .27 (+-.03) below the middle
of a box and .39 (+-.06) above its foot; boxes are 1.3 (+-.1) high and reach out by .15 of that at either end.
So a baseline is taken from the middle, and sizes are rounded to steps from the page's usual one: a layout
takes a line of another size for a heading.
"""

from __future__ import annotations

import math

from ..pages import PageBox, PageReading, ReadLine
from .pdf_page import SCALE, Box, Line

_HEIGHTS = 1.3
_BASE = 0.27
_ASCENT = 0.95
_DESCENT = 0.25
_MARGIN = 0.12
_STEP = 1.4


def lines_of(reading: PageReading) -> list[Line]:
    """The lines of a reading on its upright page, in tenths of a point; those on their sides are left out."""
    usual = _usual_size(reading)
    level = [line for line in reading.lines if not _is_sideways(line)]
    return [_line(line, usual, order) for order, line in enumerate(level)]


def sideways_of(reading: PageReading) -> list[tuple[str, Box]]:
    """The lines that run up or down the page, each a text with its place in tenths of a point."""
    return [
        (line.text, Box(*(round(side * SCALE) for side in line.box)))
        for line in reading.lines
        if _is_sideways(line)
    ]


def rules_in(reading: PageReading) -> list[Box]:
    """The rules drawn on the upright page, in tenths of a point."""
    return [Box(*(round(side * SCALE) for side in rule)) for rule in reading.rules]


def upright_size(width: float, height: float, turned: float) -> tuple[float, float]:
    """Width and height of a page of that size once it is turned by so many degrees, to hold all of it."""
    cos, sin = abs(math.cos(math.radians(turned))), abs(math.sin(math.radians(turned)))
    return width * cos + height * sin, width * sin + height * cos


def as_shown(box: PageBox, turned: float, width: float, height: float) -> PageBox:
    """A rectangle of the upright page around the same place on the page as it is shown, which is ``width`` by
    ``height`` and was turned by ``turned`` degrees to be upright; all in one unit."""
    if not turned:
        return box
    across, down = upright_size(width, height, turned)
    cos, sin = math.cos(math.radians(-turned)), math.sin(math.radians(-turned))
    corners = [(x - across / 2, y - down / 2) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    xs = [x * cos - y * sin + width / 2 for x, y in corners]
    ys = [x * sin + y * cos + height / 2 for x, y in corners]
    return PageBox(box.page, max(0.0, min(xs)), max(0.0, min(ys)), min(width, max(xs)), min(height, max(ys)))


def _is_sideways(line: ReadLine) -> bool:
    x0, y0, x1, y1 = line.box
    return y1 - y0 > 2 * (x1 - x0) and len(line.text) > 2


def _size(line: ReadLine) -> float:
    return max(1.0, (line.box[3] - line.box[1]) / _HEIGHTS)


def _usual_size(reading: PageReading) -> float:
    """The size that most characters have."""
    half, passed = sum(len(line.text) for line in reading.lines) / 2, 0
    for size, length in sorted((_size(line), len(line.text)) for line in reading.lines):
        passed += length
        if passed >= half:
            return size
    return 1.0


def _line(line: ReadLine, usual: float, order: int) -> Line:
    x0, y0, x1, y1 = line.box
    margin = min(_MARGIN * (y1 - y0), (x1 - x0) / 4)
    size = usual * _STEP ** round(math.log(_size(line) / usual, _STEP))
    base = (y0 + y1) / 2 + _BASE * size
    sides = (x0 + margin, base - _ASCENT * size, x1 - margin, base + _DESCENT * size, base, size)
    left, top, right, bottom, foot, high = (round(side * SCALE) for side in sides)
    return Line(left, top, right, bottom, foot, max(1, high), False, False, line.text, order)
