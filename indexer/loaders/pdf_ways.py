"""The way in which a page should be read: from signs of the page, the mode asked for, and what is at hand.

A page whose text layer is what it shows is read by it. One whose text is in a picture, or in letters that
nobody can know the meaning of, goes to a vision model or else to OCR; one with figures to a vision model
alone. A page that nothing at hand can read stays by its text layer, and says why.
"""

from __future__ import annotations

from typing import NamedTuple

from ..pages import Origin
from .pdf_garbled import is_garbled, is_holed
from .pdf_page import RawPage
from .settings import LoadSettings

IMAGE = "an image without text"
IMAGE_AND_LITTLE = "an image with little text"
DRAWING = "a drawing without text"
DRAWING_AND_LITTLE = "a drawing with little text"
GARBLED = "letters without meaning"
HOLED = "words with letters missing"
RECOGNISED = "text that another OCR laid under the image"
FIGURE = "a figure or chart"
ASKED = "asked for"
DAMAGED = "damaged page"
NO_OCR = "no OCR is installed"
TEXT_MODE = "text mode"

SOUND = (FIGURE, ASKED)
"""Reasons that say nothing against a page's text layer: where the way that is wanted fails, it stays."""
_SOME_IMAGE = 0.02
_LARGE_IMAGE = 0.3
_WHOLE_PAGE = 0.5
_LITTLE = 100
_SOME_SHAPES = 12
_MANY_SHAPES = 100
_FIGURE = 0.05


class Signs(NamedTuple):
    """What speaks for and against a page's text layer. ``letters`` are its letters and figures, ``images``
    the share of the page under images, ``figures`` that under images and drawings; ``shapes`` is how many
    paths are drawn that are no rectangles; ``garbled`` says that nothing is known of its letters, ``holed``
    that some are missing from its words, ``invisible`` that the text is not drawn to be seen."""

    letters: int
    images: float
    figures: float
    shapes: int
    garbled: bool
    invisible: bool
    holed: bool = False


class Verdict(NamedTuple):
    """The ``way`` in which to read a page, and ``why``; empty where the text layer leaves no doubt.
    ``open_to`` are the other ways in which auto would read it were everything at hand."""

    way: Origin
    why: str
    open_to: tuple[Origin, ...]


def text_of(page: RawPage) -> str:
    """All text of a page's layer."""
    return " ".join([*[line.text for line in page.lines], *[text for text, _ in page.sideways]])


def signs_of(page: RawPage) -> Signs:
    """The signs of a page as it was read by its text layer."""
    text = text_of(page)
    letters = sum(map(str.isalnum, text)) if len(text) < 2 * _LITTLE else len(text)
    garbled = is_garbled(text, page.unmapped) or (page.invisible and _is_noise(text))
    holed = not garbled and is_holed(text, page.unmapped)
    return Signs(letters, page.images, page.figures, page.shapes, garbled, page.invisible, holed)


def _is_noise(text: str) -> bool:
    """Whether an invisible text is what an OCR makes of a drawing: scraps of one or two letters."""
    tokens = text.split()
    scraps = sum(len(token) < 3 and not token.isdigit() for token in tokens)
    return len(tokens) >= 12 and 2 * scraps > len(tokens)


def decide(signs: Signs, settings: LoadSettings) -> Verdict:
    """How a page with these signs is to be read, by ``settings.pdf`` and by what is at hand."""
    why = _fault(signs)
    hard = bool(why)
    open_to: tuple[Origin, ...] = ("native", "ocr") if hard else ()
    if not hard and signs.letters and signs.figures >= _FIGURE and not signs.invisible:
        why, open_to = FIGURE, ("native",)
    blank = not hard and not signs.letters
    remark = RECOGNISED if signs.invisible and signs.letters and not hard else ""
    if blank or settings.pdf == "text":
        return Verdict("text", f"{why}; {TEXT_MODE}" if hard else remark, open_to)
    if settings.pdf == "auto":
        wanted = open_to
    else:
        why = why if hard else ASKED
        wanted = ("native", "ocr") if settings.pdf == "native" else ("ocr",)
    at_hand = {"native": settings.native, "ocr": settings.ocr}
    for way in wanted:
        if at_hand[way]:
            return Verdict(way, why, open_to)
    return Verdict("text", f"{why}; {NO_OCR}" if hard else remark, open_to)


def _fault(signs: Signs) -> str:
    """What is wrong with a page's text layer; empty for nothing, and for a blank page."""
    if signs.garbled:
        return GARBLED
    if signs.holed:
        return HOLED
    if signs.letters == 0:
        if signs.images >= _SOME_IMAGE:
            return IMAGE
        return DRAWING if signs.shapes >= _SOME_SHAPES else ""
    if signs.letters >= _LITTLE or (signs.invisible and signs.images < _WHOLE_PAGE):
        return ""
    if signs.images >= _LARGE_IMAGE and not signs.invisible:
        return IMAGE_AND_LITTLE
    return DRAWING_AND_LITTLE if signs.shapes >= _MANY_SHAPES else ""
