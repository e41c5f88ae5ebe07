"""Where lines of text stand in a picture.

Differentiable binarisation (Liao et al., "Real-time Scene Text Detection with Differentiable Binarization",
arXiv 1911.08947, section 3.4): the network gives each pixel's likelihood of lying in the core of a line;
cores are cut out at a threshold, boxed, and grown back to the size of the line.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class TextBox:
    """A line's rectangle in pixels: its centre, ``length`` along the text, ``height`` across, and the
    ``angle`` by which it is turned, in degrees clockwise, -45..45. A line that runs up or down the page is
    higher than long."""

    x: float
    y: float
    length: float
    height: float
    angle: float

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
        """The boxes of a picture's lines, in no order that means anything."""
        height, width = image.shape[:2]
        scale = min(1.0, self._side / max(height, width))
        shown = (_steps(width * scale), _steps(height * scale))
        likely = self._session.run(None, {self._input: _as_input(image, shown)})[0][0, 0]
        return _boxes(likely, width / shown[0], height / shown[1])


def _steps(pixels: float) -> int:
    return max(1, round(pixels / _STEP)) * _STEP


def _as_input(image: Pixels, size: tuple[int, int]) -> NDArray[np.float32]:
    import cv2

    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    planes = np.ascontiguousarray(small.transpose(2, 0, 1)[np.newaxis], dtype=np.float32)
    planes *= np.float32(2 / 255)
    planes -= np.float32(1)
    return planes


def _boxes(likely: NDArray[np.float32], across: float, down: float) -> list[TextBox]:
    import cv2

    mask = cv2.dilate((likely > _CORE).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for outline in sorted(outlines, key=len, reverse=True)[:_MOST]:
        core = _levelled(cv2.minAreaRect(outline))
        if min(core.length, core.height) < _SMALLEST or _likelihood(likely, core) < _SURE:
            continue
        more = _GROWTH * core.length * core.height / (core.length + core.height)
        found.append(
            TextBox(
                (core.x + 0.5) * across,
                (core.y + 0.5) * down,
                (core.length + more) * across,
                (core.height + more) * down,
                core.angle,
            )
        )
    return found


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
