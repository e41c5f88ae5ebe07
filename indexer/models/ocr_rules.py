"""Straight lines drawn on a page's picture: the rules of its tables.

A rule is what is left of the ink once it was opened with a long thin stroke (mathematical morphology; Serra,
"Image Analysis and Mathematical Morphology", 1982): letters are shorter, and what is as long but thick is a
bar or a picture.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .ocr_boxes import Pixels

_INK = 24
"""By how much (of 255) a pixel must be darker than those around it."""
_AROUND = 31
_LEVEL, _UPRIGHT = 25, 16
"""Points that a rule must be long: more than a letter is wide or high."""
_THICK = 3.0
"""Points that it may be thick, with what a slant too small to be levelled adds."""
_MOST = 400

Sides = tuple[float, float, float, float]


def rules(pixels: Pixels, angle: float, dpi: float) -> list[Sides]:
    """The rules of a picture, as left, top, right, bottom in points, once it is turned by ``-angle`` degrees
    and its canvas widened to hold all of it; none where there are too many for tables."""
    import cv2

    grey: Any = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    if angle:
        grey = _turned(grey, angle)
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _AROUND, _INK)
    scale = 72 / dpi
    level, upright = round(_LEVEL / scale), round(_UPRIGHT / scale)
    found = [*_strokes(ink, (level, 1), scale), *_strokes(ink, (1, upright), scale)]
    return found if len(found) <= _MOST else []


def _strokes(ink: Any, size: tuple[int, int], scale: float) -> list[Sides]:
    """The thin parts that are left of the ink by a stroke of a ``size``."""
    import cv2

    left = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones(size[::-1], np.uint8))
    _, _, parts, _ = cv2.connectedComponentsWithStats(left)
    thick = _THICK / scale
    return [
        (x * scale, y * scale, (x + wide) * scale, (y + high) * scale)
        for x, y, wide, high, _ in parts[1:].tolist()
        if min(wide, high) <= thick
    ]


def _turned(grey: Any, angle: float) -> Any:
    import cv2

    high, wide = grey.shape
    turn: Any = cv2.getRotationMatrix2D((wide / 2, high / 2), angle, 1.0)
    cos, sin = abs(turn[0, 0]), abs(turn[0, 1])
    across, down = round(wide * cos + high * sin), round(wide * sin + high * cos)
    turn[:, 2] += (across / 2 - wide / 2, down / 2 - high / 2)
    return cv2.warpAffine(grey, turn, (across, down), borderMode=cv2.BORDER_REPLICATE)
