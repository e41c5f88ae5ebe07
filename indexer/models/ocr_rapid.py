"""Pages read from their pictures by the PP-OCR models that rapidocr ships.

The detector finds the lines (:mod:`.ocr_boxes`), a recogniser reads each as it stands in the picture, level
or slanting (:mod:`.ocr_lines`). A page that lies on its side or upside down is turned first: a few lines are
read both ways, and the surer way is taken (:mod:`.ocr_views`). Columns of Chinese and Japanese are lines on
their left sides, whose signs are turned one by one (:mod:`.ocr_stacked`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..error_lines import first_line
from ..errors import ModelCallError, PictureUnreadable
from ..pages import PageImage, PageReading, ReadLine
from .ocr_boxes import Detector, Pixels, TextBox
from .ocr_judged import fills, judge
from .ocr_lines import NO_DOUBT, Recogniser, Said
from .ocr_rules import rules
from .ocr_turn import levelled, slant
from .ocr_views import Chosen, surest

_RECIPE = 2
"""Part of the name: goes up when the same picture is read differently than before."""
_POINTS = 72
_SURE = 0.9
"""So sure must be what was not seen as text at first."""
_LARGE = 0.15
_SIDEWAYS = 0.85
_HIGHER = 1.3
VERTICAL = "vertical text"
_NOTHING = "no text in its picture"


class RapidReader:
    """A PageReader. ``concurrency`` threads may read at once; each page is computed on its own thread."""

    work = None

    def __init__(
        self, detector: Detector, recognisers: Sequence[Recogniser], min_confidence: float, concurrency: int
    ) -> None:
        models = "+".join([detector.name, *(model.name for model in recognisers)])
        self.name = f"rapidocr/{_RECIPE}/{models}/{min_confidence:g}"
        self.concurrency = concurrency
        self._detector = detector
        self._recognisers = recognisers
        self._min_confidence = min_confidence

    def read(self, image: PageImage) -> PageReading:
        """The lines of a page. A page without text, or in a script that no model reads, has no lines and
        says why. Raises PictureUnreadable, and ModelCallError where reading broke off."""
        try:
            return self._read(image)
        except ModelCallError:
            raise
        except Exception as error:  # OpenCV's and the runtime's own errors share no base below this
            first = first_line(error)[:300]
            raise ModelCallError(f"OCR of page {image.number} failed: {first}") from error

    def _read(self, image: PageImage) -> PageReading:
        chosen = surest(_decoded(image), self._detector, self._recognisers)
        if chosen is None:
            return PageReading(image.number, "ocr", why=_NOTHING)
        view = chosen.view
        boxes, said = _read_in(chosen)
        if not boxes:
            return PageReading(image.number, "ocr", why=_NOTHING)
        judged = judge(boxes, said, self._min_confidence)
        angle, scale = slant(boxes), _POINTS / image.dpi
        height, width = view.pixels.shape[:2]
        lines = []
        for box, line, kept in zip(boxes, said, judged.kept, strict=True):
            if kept:
                x0, y0, x1, y1 = (side * scale for side in levelled(box, angle, width, height))
                lines.append(ReadLine(line.text.strip(), (x0, y0, x1, y1), round(line.confidence, 4)))
        return PageReading(
            image.number,
            "ocr",
            tuple(sorted(lines, key=lambda line: (line.box[1], line.box[0]))),
            confidence=judged.confidence if lines else None,
            why="; ".join(filter(None, (judged.why, VERTICAL if view.stacked else ""))),
            turned=_within(view.turned - angle),
            rules=tuple(rules(view.pixels, angle, image.dpi)) if lines and not view.stacked else (),
        )


def _read_in(chosen: Chosen) -> tuple[list[TextBox], list[Said]]:
    """The boxes of a view and what they say, without those that are hardly text: seen only at a second look,
    or a large share of the picture, and not read."""
    boxes, said = [], []
    large = _LARGE * min(chosen.view.pixels.shape[:2])
    for index, box in enumerate(chosen.view.boxes):
        line = chosen.read.get(index)
        if line is None or line.confidence < NO_DOUBT or box.is_upright:
            line = _said(chosen.reader, chosen.view.line(box), chosen.plain)
        is_shape = min(box.length, box.height) > large and line.confidence < _SIDEWAYS
        if not is_shape and (not box.doubtful or line.confidence >= _SURE):
            boxes.append(box)
            said.append(line)
    return boxes, said


def _said(reader: Recogniser, line: Pixels, plain: bool) -> Said:
    """What a line says; one that is higher than long may stand on its side."""
    said = reader.skim(line, plain)
    high, wide = line.shape[:2]
    if high <= 2 * wide and (high <= _HIGHER * wide or said.confidence > _SIDEWAYS):
        return said
    for turn in (1, -1):
        other = reader.read(np.ascontiguousarray(np.rot90(line, turn)))
        if fills(other, high / wide) and other.confidence > _SIDEWAYS:
            return other
    return said


def _decoded(image: PageImage) -> Pixels:
    import cv2

    pixels = cv2.imdecode(np.frombuffer(image.png, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise PictureUnreadable(f"the picture of page {image.number} is no image that can be read")
    return np.asarray(pixels, np.uint8)


def _within(angle: float) -> float:
    """An angle above -180 and up to 180 degrees, rounded."""
    return round(180 - (180 - angle) % 360, 2) or 0.0
