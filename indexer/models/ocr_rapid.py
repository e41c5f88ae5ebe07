"""Pages read from their pictures by the PP-OCR models that rapidocr ships.

The detector finds the lines (:mod:`.ocr_boxes`), a recogniser reads each as it stands in the picture, level or
slanting (:mod:`.ocr_lines`). A page that lies on its side or upside down is turned first: a few lines are read
both ways, and the surer way is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ModelCallError
from ..pages import PageImage, PageReading, ReadLine
from .ocr_boxes import Detector, Pixels, TextBox
from .ocr_lines import Recogniser, Said
from .ocr_turn import half_turned, levelled, quarter_turned, runs_upright, slant

_RECIPE = 1
"""Part of the name: goes up when the same picture is read differently than before."""
_POINTS = 72
_SAMPLE = 6
_SURE = 0.9
_UNSURE = 0.6
_FEW = 3


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
        reader, upside_down = self._surest(pixels, boxes)
        if upside_down:
            pixels, boxes = half_turned(pixels, boxes)
            turned += 180
        said = [reader.read(pixels, box) for box in boxes]
        sure = _certainty(said)
        if len(boxes) >= _FEW and sure < _UNSURE:
            return PageReading(image.number, "ocr", confidence=sure, why="unsupported script")
        angle = slant(boxes)
        lines = self._lines(pixels, boxes, said, angle, _POINTS / image.dpi)
        return PageReading(
            image.number, "ocr", lines, confidence=sure if lines else None, turned=_within(turned - angle)
        )

    def _surest(self, pixels: Pixels, boxes: Sequence[TextBox]) -> tuple[Recogniser, bool]:
        """The recogniser that is surest of a few lines, and whether it reads them upside down."""
        sample = sorted(boxes, key=lambda box: abs(box.length / box.height - _SAMPLE))[:_SAMPLE]
        best: tuple[float, Recogniser, bool] | None = None
        over, turned = half_turned(pixels, sample)
        for upside_down, (picture, lines) in enumerate(((pixels, sample), (over, turned))):
            for reader in self._recognisers:
                sure = _certainty([reader.read(picture, box) for box in lines])
                if best is None or sure > best[0]:
                    best = (sure, reader, bool(upside_down))
            if best and best[0] > _SURE:
                break
        assert best is not None
        return best[1], best[2]

    def _lines(
        self, pixels: Pixels, boxes: Sequence[TextBox], said: Sequence[Said], angle: float, scale: float
    ) -> tuple[ReadLine, ...]:
        height, width = pixels.shape[:2]
        lines = []
        for box, line in zip(boxes, said, strict=True):
            if line.text.strip() and line.confidence >= self._min_confidence:
                x0, y0, x1, y1 = (side * scale for side in levelled(box, angle, width, height))
                lines.append(ReadLine(line.text.strip(), (x0, y0, x1, y1), round(line.confidence, 4)))
        return tuple(sorted(lines, key=lambda line: (line.box[1], line.box[0])))


def _decoded(image: PageImage) -> Pixels:
    import cv2

    pixels = cv2.imdecode(np.frombuffer(image.png, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise ModelCallError(f"the picture of page {image.number} is no image that can be read")
    return np.asarray(pixels, np.uint8)


def _certainty(said: Sequence[Said]) -> float:
    """The mean certainty of all characters."""
    characters = sum(len(line.text) for line in said)
    total = sum(line.confidence * len(line.text) for line in said)
    return round(total / characters, 4) if characters else 0.0


def _within(angle: float) -> float:
    """An angle as -180..180 degrees, rounded."""
    return round((angle + 180) % 360 - 180, 2) or 0.0
