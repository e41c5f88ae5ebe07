"""Pages read from their pictures by the PP-OCR models that rapidocr ships.

The detector finds the lines (:mod:`.ocr_boxes`), a recogniser reads each as it stands in the picture, level
or slanting (:mod:`.ocr_lines`). A page that lies on its side or upside down is turned first: a few lines are
read both ways, and the surer way is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ModelCallError
from ..pages import PageImage, PageReading, ReadLine
from .ocr_boxes import Detector, Pixels, TextBox
from .ocr_judged import certainty, judge
from .ocr_lines import Recogniser, is_plain
from .ocr_turn import half_turned, levelled, quarter_turned, runs_upright, slant

_RECIPE = 1
"""Part of the name: goes up when the same picture is read differently than before."""
_POINTS = 72
_SAMPLE = 6
_SURE = 0.9


class RapidReader:
    """A PageReader. ``concurrency`` threads may read at once; each page is computed on its own thread."""

    def __init__(
        self, detector: Detector, recognisers: Sequence[Recogniser], min_confidence: float, concurrency: int
    ) -> None:
        models = "+".join(model.name for model in (detector, *recognisers))
        self.name = f"rapidocr/{_RECIPE}/{models}/{min_confidence:g}"
        self.concurrency = concurrency
        self._detector = detector
        self._recognisers = recognisers
        self._min_confidence = min_confidence

    def read(self, image: PageImage) -> PageReading:
        """The lines of a page. A page without text, or in a script that no model reads, has no lines and
        says why. Raises ModelCallError if the picture cannot be read."""
        try:
            return self._read(image)
        except ModelCallError:
            raise
        except Exception as error:  # OpenCV's and the runtime's own errors share no base below this
            first = (str(error).splitlines() or [type(error).__name__])[0][:300]
            raise ModelCallError(f"OCR of page {image.number} failed: {first}") from error

    def _read(self, image: PageImage) -> PageReading:
        pixels = _decoded(image)
        boxes = self._detector.find(pixels)
        if not boxes:
            return PageReading(image.number, "ocr", why="no text in its picture")
        turned = 0
        if runs_upright(boxes):
            pixels, turned = quarter_turned(pixels), 90
            boxes = self._detector.find(pixels)
        reader, upside_down, plain = self._surest(pixels, boxes)
        if upside_down:
            pixels, boxes = half_turned(pixels, boxes)
            turned += 180
        said = [reader.skim(pixels, box, plain) for box in boxes]
        angle = slant(boxes)
        height, width = pixels.shape[:2]
        scale = _POINTS / image.dpi
        places = [[side * scale for side in levelled(box, angle, width, height)] for box in boxes]
        judged = judge(boxes, said, self._min_confidence)
        lines = [
            ReadLine(line.text.strip(), (x0, y0, x1, y1), round(line.confidence, 4))
            for line, (x0, y0, x1, y1), kept in zip(said, places, judged.kept, strict=True)
            if kept
        ]
        return PageReading(
            image.number,
            "ocr",
            tuple(sorted(lines, key=lambda line: (line.box[1], line.box[0]))),
            confidence=judged.confidence if lines else None,
            why=judged.why,
            turned=_within(turned - angle),
        )

    def _surest(self, pixels: Pixels, boxes: Sequence[TextBox]) -> tuple[Recogniser, bool, bool]:
        """The recogniser that is surest of a few lines, whether it reads them upside down, and whether they
        hold no ideographs or kana."""
        sample = sorted(boxes, key=lambda box: abs(box.length / box.height - _SAMPLE))[:_SAMPLE]
        best: tuple[float, Recogniser, bool, bool] | None = None
        for upside_down, (picture, lines) in enumerate(((pixels, sample), half_turned(pixels, sample))):
            for reader in self._recognisers:
                said = [reader.read(picture, box) for box in lines]
                sure = certainty(said)
                if best is None or sure > best[0]:
                    best = sure, reader, bool(upside_down), all(is_plain(line.text) for line in said)
            if best and best[0] > _SURE:
                break
        if best is None:
            return self._recognisers[0], False, False
        return best[1:]


def _decoded(image: PageImage) -> Pixels:
    import cv2

    pixels = cv2.imdecode(np.frombuffer(image.png, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ModelCallError(f"the picture of page {image.number} is no image that can be read")
    return np.asarray(pixels, np.uint8)


def _within(angle: float) -> float:
    """An angle above -180 and up to 180 degrees, rounded."""
    return round(180 - (180 - angle) % 360, 2) or 0.0
