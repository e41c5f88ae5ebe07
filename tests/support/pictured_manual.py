"""A manual as PDF whose passages stand at known places: a paragraph, a picture with its caption, a passage
that goes on overleaf, a page that is turned and cropped."""

from __future__ import annotations

from pathlib import Path

import pymupdf

FIGURE = pymupdf.Rect(120, 300, 320, 420)
CAPTION = "Figure 7: The gate in its frame"
GATE = "The gate stays shut while the orange lamp burns, whatever the operator asks of it."
OVERLEAF = "A passage that begins at the very end of one page and ends only on the page that comes after it"
_TURN = OVERLEAF.index(" and ends")


def picture(shade: int = 0) -> bytes:
    """A striped picture, another one for each ``shade``, as PNG."""
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 200, 120))
    pixels.clear_with(255)
    for x in range(0, 200, 20):
        pixels.set_rect(pymupdf.IRect(x, 10, x + 10, 110), (x, 120, shade))
    return pixels.tobytes("png")


def write_manual(path: Path, *, shade: int = 0, password: str | None = None, text: str = GATE) -> Path:
    """Four pages: one with a picture, two that a passage goes over, one turned by a quarter and cropped."""
    path.parent.mkdir(exist_ok=True, parents=True)
    document = pymupdf.open()
    first = document.new_page()
    first.insert_text((72, 100), "1 The gate", fontsize=16)
    first.insert_text((72, 140), text, fontsize=10)
    first.insert_image(FIGURE, stream=picture(shade))
    first.insert_text((120, 440), CAPTION, fontsize=10)
    for half, y in ((OVERLEAF[:_TURN], 760), (OVERLEAF[_TURN:], 90)):
        document.new_page().insert_text((72, y), half.strip(), fontsize=10)
    turned = document.new_page()
    turned.insert_text((200, 300), "On a turned page the valve is opened by hand.", fontsize=10)
    turned.set_cropbox(pymupdf.Rect(150, 100, 550, 700))
    turned.set_rotation(90)
    locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": password}
    document.save(path, **(locked if password else {}))
    document.close()
    return path
