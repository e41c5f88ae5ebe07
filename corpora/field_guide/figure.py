"""Figure 1 of the field guide: the parts of the device, drawn as vectors and rendered to a small PNG."""

from __future__ import annotations

import pymupdf

_BOXES = {
    "Solar input, external supply": (10, 10, 110, 36),
    "Battery pack BP7": (10, 62, 110, 88),
    "Sensors 1 to 8": (10, 114, 110, 140),
    "Charger": (140, 36, 200, 62),
    "Front end AF8": (140, 114, 200, 140),
    "Main board MB4": (232, 62, 310, 114),
    "Supervisor SV1": (232, 10, 310, 36),
    "Relay driver RD2": (340, 36, 420, 62),
    "Modem CM1 or radio RC9": (340, 114, 420, 140),
}
_POWER = (
    ((110, 23), (140, 42)),
    ((110, 75), (140, 56)),
    ((200, 49), (232, 75)),
)
_DATA = (
    ((110, 127), (140, 127)),
    ((200, 127), (232, 102)),
    ((271, 36), (271, 62)),
    ((310, 80), (340, 55)),
    ((310, 20), (360, 36)),
    ((310, 100), (340, 122)),
)


def draw_figure() -> bytes:
    """The figure as PNG bytes, 430 by 150 points at 150 dots per inch, in grey."""
    with pymupdf.open() as document:
        page = document.new_page(width=430, height=150)
        for start, end in _POWER:
            page.draw_line(start, end, width=2.4)
        for start, end in _DATA:
            page.draw_line(start, end, width=0.8)
        for text, (left, top, right, bottom) in _BOXES.items():
            page.draw_rect((left, top, right, bottom), width=0.8, fill=(0.95, 0.95, 0.95))
            page.insert_textbox((left + 2, top + 3, right - 2, bottom), text, fontsize=7.5, align=1)
        return bytes(page.get_pixmap(dpi=150, colorspace=pymupdf.csGRAY).tobytes("png"))
