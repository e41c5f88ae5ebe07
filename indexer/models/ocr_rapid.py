"""Pages read from their pictures by the PP-OCR models that rapidocr ships.

The detector finds the lines (:mod:`.ocr_boxes`), a recogniser reads each as it stands in the picture, level
or slanting (:mod:`.ocr_lines`). A page that lies on its side or upside down is turned first: a few lines are
read both ways, and the surer way is taken. Columns of Chinese and Japanese are lines on their left sides,
whose signs are turned one by one (:mod:`.ocr_stacked`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ModelCallError, PictureUnreadable
from ..pages import PageImage, PageReading, ReadLine
from .ocr_boxes import Detector, Pixels, TextBox
from .ocr_judged import fills, judge, legible
from .ocr_lines import Recogniser, Said, cut_line, is_plain
from .ocr_stacked import side_by_side
from .ocr_turn import half_turned, levelled, quarter_turned, runs_upright, slant

_RECIPE = 1
"""Part of the name: goes up when the same picture is read differently than before."""
_POINTS = 72
_SAMPLE = 6
_SURE = 0.9
_SIDEWAYS = 0.85
VERTICAL = "vertical text"


@dataclass(frozen=True, slots=True)
class _View:
    """A picture ``turned`` by so many degrees clockwise, with the boxes of its lines; if ``stacked`` these
    are columns on their sides."""

    pixels: Pixels
    boxes: Sequence[TextBox]
    turned: int
    stacked: bool = False

    def line(self, box: TextBox) -> Pixels:
        """The line in a box."""
        line = cut_line(self.pixels, box)
        return side_by_side(line) if self.stacked else line


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
            first = (str(error).splitlines() or [type(error).__name__])[0][:300]
            raise ModelCallError(f"OCR of page {image.number} failed: {first}") from error

    def _read(self, image: PageImage) -> PageReading:
        chosen = self._surest(self._views(_decoded(image)))
        if chosen is None:
            return PageReading(image.number, "ocr", why="no text in its picture")
        view, reader, plain = chosen
        said = [_said(reader, view.line(box), plain) for box in view.boxes]
        judged = judge(view.boxes, said, self._min_confidence)
        angle, scale = slant(view.boxes), _POINTS / image.dpi
        height, width = view.pixels.shape[:2]
        lines = []
        for box, line, kept in zip(view.boxes, said, judged.kept, strict=True):
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
        )

    def _views(self, pixels: Pixels) -> Iterator[_View]:
        """The ways in which a picture can be looked at, the likeliest first."""
        boxes = self._detector.find(pixels)
        if not boxes:
            return
        if runs_upright(boxes):
            turned = quarter_turned(pixels)
            boxes = self._detector.find(turned)
            yield _View(turned, boxes, 90)
            over, boxes = half_turned(turned, boxes)
            # The model reads columns on their sides too, with as little doubt and more mistakes.
            yield _View(over, boxes, -90, stacked=True)
            yield _View(over, boxes, -90)
        else:
            yield _View(pixels, boxes, 0)
            yield _View(*half_turned(pixels, boxes), 180)

    def _surest(self, views: Iterable[_View]) -> tuple[_View, Recogniser, bool] | None:
        """The view and the recogniser that leave least doubt about a few lines, and whether these hold no
        ideographs or kana; None where there is nothing to read."""
        best: tuple[float, tuple[_View, Recogniser, bool]] | None = None
        for view in views:
            sample = sorted(view.boxes, key=lambda box: abs(box.length / box.height - _SAMPLE))[:_SAMPLE]
            lines = [view.line(box) for box in sample]
            for reader in self._recognisers:
                said = [reader.read(line) for line in lines]
                sure = legible(sample, said)
                if best is None or sure > best[0]:
                    best = sure, (view, reader, all(is_plain(line.text) for line in said))
            if best and best[0] > _SURE:
                break
        return best[1] if best else None


def _said(reader: Recogniser, line: Pixels, plain: bool) -> Said:
    """What a line says; one that is higher than long may stand on its side."""
    said = reader.skim(line, plain)
    high, wide = line.shape[:2]
    if high <= 2 * wide:
        return said
    for turn in (1, -1):
        other = reader.skim(np.ascontiguousarray(np.rot90(line, turn)), plain)
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
