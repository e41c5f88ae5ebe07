"""Where lines of text stand in a picture.

Differentiable binarisation (Liao et al., "Real-time Scene Text Detection with Differentiable Binarization",
arXiv 1911.08947, section 3.4): the network gives each pixel's likelihood of lying in the core of a line;
cores are cut out at a threshold, boxed, and grown back to the size of the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ocr_models import ModelFile, open_session

Pixels = NDArray[np.uint8]
"""A picture: height x width x 3, blue first."""

_STEP = 32
_CORE = 0.3
_SURE = 0.5
_GROWTH = 1.6
_SMALLEST = 3
_MOST = 3000
_LEFT = 6
"""Pixels of a likely core that no box took: there may be a sign that the network saw in part."""
_AGAIN = (0.6, 0.5)
"""Of 1,386 words in 80 drawn charts 67 were not found at first, and 25 of these not in a picture of .6 of the
size either; larger ones find fewer of them, and take longer."""
_FLAT = 3.0
"""The least deviation (of 255) of the pixels in a core that has letters in it; a bar of a chart has less."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A line's rectangle in pixels: its centre, ``length`` along the text, ``height`` across, and the
    ``angle`` by which it is turned, in degrees clockwise, -45..45. A line that runs up or down the page is
    higher than long. What is ``doubtful`` was seen at a second look only, and may be no text."""

    x: float
    y: float
    length: float
    height: float
    angle: float
    doubtful: bool = False

    @property
    def is_upright(self) -> bool:
        """Whether it is so much higher than long that it may be text that runs up or down."""
        return self.height > 2 * self.length


class Detector:
    """Finds lines of text. ``side`` is the most pixels of the longer side of what the network is shown."""

    def __init__(self, file: ModelFile, side: int) -> None:
        """Raises ModelUnavailable."""
        self.name = f"{file.name}-{side}"
        self._session = open_session(file)
        self._input = self._session.get_inputs()[0].name
        self._side = side

    def find(self, image: Pixels) -> list[TextBox]:
        """The boxes of a picture's lines, in no order that means anything. Where something was seen that made
        no box, or a box around nothing but colour, as among the bars of a chart, smaller pictures are looked
        at as well: signs that stand alone are found in one or the other."""
        likely, found, is_odd = self._look(image, 1.0)
        for share in _AGAIN:
            if not is_odd and not _is_left(likely, found, image):
                break
            _, again, _ = self._look(image, share)
            new = [box for box in again if not any(_meet(box, other) for other in found)]
            found += [replace(box, doubtful=True) for box in new]
            is_odd = False
        return found

    def _look(self, image: Pixels, share: float) -> tuple[NDArray[np.float32], list[TextBox], bool]:
        """What the network makes of a picture at a ``share`` of the usual size, the boxes in it, and whether
        some held nothing."""
        height, width = image.shape[:2]
        scale = share * min(1.0, self._side / max(height, width))
        shown = (_steps(width * scale), _steps(height * scale))
        small = _resized(image, shown)
        likely = self._session.run(None, {self._input: _as_input(small)})[0][0, 0]
        cores = _cores(likely)
        inked = [core for core in cores if not _is_flat(small, core)]
        boxes = [_grown(core, width / shown[0], height / shown[1]) for core in inked]
        return likely, boxes, len(inked) < len(cores)


def _steps(pixels: float) -> int:
    return max(1, round(pixels / _STEP)) * _STEP


def _resized(image: Pixels, size: tuple[int, int]) -> Pixels:
    import cv2

    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _as_input(small: Pixels) -> NDArray[np.float32]:
    planes = np.ascontiguousarray(small.transpose(2, 0, 1)[np.newaxis], dtype=np.float32)
    planes *= np.float32(2 / 255)
    planes -= np.float32(1)
    return planes


def _cores(likely: NDArray[np.float32]) -> list[TextBox]:
    """The cores of lines, in pixels of what the network was shown."""
    import cv2

    mask = cv2.dilate((likely > _CORE).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for outline in sorted(outlines, key=len, reverse=True)[:_MOST]:
        core = _levelled(cv2.minAreaRect(outline))
        if min(core.length, core.height) >= _SMALLEST and _likelihood(likely, core) >= _SURE:
            found.append(core)
    return found


def _grown(core: TextBox, across: float, down: float) -> TextBox:
    """The line of a core, in pixels of the picture."""
    more = _GROWTH * core.length * core.height / (core.length + core.height)
    return TextBox(
        (core.x + 0.5) * across,
        (core.y + 0.5) * down,
        (core.length + more) * across,
        (core.height + more) * down,
        core.angle,
    )


def _is_flat(small: Pixels, core: TextBox) -> bool:
    """Whether there is one colour in a core, and no ink."""
    import cv2

    wide, high = core.length, core.height
    left, top = max(0, round(core.x - wide / 2)), max(0, round(core.y - high / 2))
    part = small[top : top + max(1, round(high)), left : left + max(1, round(wide))]
    return bool(part.size) and float(cv2.meanStdDev(part)[1].max()) < _FLAT


def _is_left(likely: NDArray[np.float32], boxes: Sequence[TextBox], image: Pixels) -> bool:
    """Whether anything likely lies outside of the ``boxes`` of a picture."""
    import cv2

    rest = (likely > _CORE).astype(np.uint8)
    scale = (rest.shape[1] / image.shape[1], rest.shape[0] / image.shape[0])
    for box in boxes:
        corners = cv2.boxPoints(((box.x, box.y), (box.length, box.height), box.angle))
        cv2.fillPoly(rest, [np.round(corners * scale).astype(np.int32)], 0)
    _, _, parts, _ = cv2.connectedComponentsWithStats(rest)
    return bool((parts[1:, cv2.CC_STAT_AREA] >= _LEFT).any())


def _meet(box: TextBox, other: TextBox) -> bool:
    """Whether two boxes share room, the slant of both left aside."""
    return (
        abs(box.x - other.x) < (box.length + other.length) / 2
        and abs(box.y - other.y) < (box.height + other.height) / 2
    )


def _levelled(rectangle: Any) -> TextBox:
    """A rectangle of OpenCV with its angle within -45..45 degrees."""
    (x, y), (length, height), angle = rectangle
    while angle > 45:
        length, height, angle = height, length, angle - 90
    while angle <= -45:
        length, height, angle = height, length, angle + 90
    return TextBox(x, y, length, height, angle)


def _likelihood(likely: NDArray[np.float32], core: TextBox) -> float:
    """The mean likelihood within a core."""
    import cv2

    corners = cv2.boxPoints(((core.x, core.y), (core.length, core.height), core.angle))
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = likely[top:bottom, left:right]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(corners - (left, top)).astype(np.int32)], 1)
    return float(cv2.mean(part, mask)[0])
