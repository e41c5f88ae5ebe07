"""Lines that OCR read, as the lines of a text layer: what the layout of a page is made from."""

from __future__ import annotations

from ..pages import PageReading
from .pdf_page import SCALE, Line

_DESCENT = 0.22
_SIZE = 0.8
"""Of a box's height: what is below the baseline, and the size of the font. OCR's boxes stand close around
the letters."""


def lines_of(reading: PageReading) -> list[Line]:
    """The lines of a reading, in tenths of a point, with a baseline and a size estimated from their boxes."""
    lines: list[Line] = []
    for line in reading.lines:
        text = " ".join(line.text.split())
        if not text:
            continue
        x0, y0, x1, y1 = (int(side * SCALE) for side in line.box)
        height = max(1, y1 - y0)
        base, size = int(y1 - _DESCENT * height), max(1, int(_SIZE * height))
        lines.append(Line(x0, y0, x1, y1, base, size, False, False, text, len(lines)))
    return lines
