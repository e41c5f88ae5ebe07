"""What is taken of a page: its text layer, or what was read of it in another way, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..pages import Origin, PageBox, PageReading
from .pdf_flow import Piece
from .pdf_page import Box, Line, RawPage
from .pdf_reading_lines import as_shown, lines_of, rules_in, sideways_of, upright_size
from .pdf_ways import DRAWING_AND_LITTLE, GARBLED, HOLED, IMAGE_AND_LITTLE, Signs, Verdict, text_of

NO_MORE = "the picture holds no more words"
NO_WORDS = "the picture holds no words"
LESS = "OCR reads less of it"
SAME = "the picture says the same"
_LITTLE_LAYERS = (IMAGE_AND_LITTLE, DRAWING_AND_LITTLE)
_MORE = 1.5
_ENOUGH = 0.7
"""Of the letters of a layer with some missing; what reads fewer of them does not know their script."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_FEWEST = 20
_SHARED = {GARBLED: 0.9, HOLED: 0.95}
"""Of so many words that OCR reads the layer has so large a share: what is left OCR misread. Where one letter
in fifty is missing a layer has nine words in ten."""


class Taken(NamedTuple):
    """A page to be laid out: its lines, or (of a page that a model wrote down) its pieces. ``turned`` is by
    how many degrees the page of these lines was turned from how it is ``shown``, of which size."""

    page: RawPage
    origin: Origin = "text"
    confidence: float | None = None
    why: str = ""
    pieces: Sequence[Piece] | None = None
    turned: float = 0.0
    shown: tuple[int, int] = (0, 0)

    def as_shown(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """``pieces`` of these lines with their places on the page as it is shown."""
        if not self.turned:
            return pieces
        return [
            piece._replace(places=tuple((offset, self._back(box)) for offset, box in piece.places))
            for piece in pieces
        ]

    def _back(self, box: Box) -> Box:
        back = as_shown(PageBox(1, *box), self.turned, *self.shown)
        return Box(round(back.x0), round(back.y0), round(back.x1), round(back.y1))


def take(page: RawPage, signs: Signs, verdict: Verdict, reading: PageReading | None) -> Taken:
    """The page as ``reading`` has it, where there is one that says more than the page's own text layer."""
    if reading is None:
        return Taken(page, why=verdict.why if verdict.way == "text" else f"{verdict.why}; not read yet")
    if reading.origin == "text":
        return Taken(page, why=reading.why or verdict.why)
    why = "; ".join(filter(None, (verdict.why, reading.why)))
    if reading.markdown:
        from .pdf_markdown import pieces_of

        return Taken(page, reading.origin, reading.confidence, why, pieces_of(reading.markdown))
    lines = lines_of(reading)
    letters = sum(map(len, (line.text for line in lines)))
    if verdict.why == HOLED and letters < _ENOUGH * signs.letters:
        return Taken(page, why=f"{HOLED}; {LESS}" + (f", {reading.why}" if reading.why else ""))
    holds_text = signs.letters > 0 and not signs.garbled
    if holds_text and (not lines or (verdict.why in _LITTLE_LAYERS and letters < _MORE * signs.letters)):
        return Taken(page, why=f"{verdict.why}; {NO_MORE if lines else reading.why or NO_WORDS}")
    if verdict.why in _SHARED and _says_the_same(page, lines, _SHARED[verdict.why]):
        return Taken(page, why=f"{verdict.why}; {SAME}")
    if not lines:
        why = f"{why}; {NO_WORDS}" if not reading.why else why
    boxes = page.boxes if page.boxes and not reading.turned else rules_in(reading)
    read = page._replace(lines=lines, sideways=sideways_of(reading), unmapped=0, boxes=boxes)
    if reading.turned:
        width, height = upright_size(page.width, page.height, reading.turned)
        read = read._replace(width=round(width), height=round(height))
    size = (page.width, page.height)
    return Taken(read, reading.origin, reading.confidence, why, turned=reading.turned, shown=size)


def _says_the_same(page: RawPage, lines: Sequence[Line], shared: float) -> bool:
    """Whether what looks like a cipher is what stands there: no cipher shares its words with the picture; nor
    does a layer whose words have lost letters, but one with rows of signs does."""
    layer = set(_WORD.findall(text_of(page).lower()))
    words = _WORD.findall(" ".join(line.text for line in lines).lower())
    return len(words) >= _FEWEST and sum(word in layer for word in words) >= shared * len(words)
