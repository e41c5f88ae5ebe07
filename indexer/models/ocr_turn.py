"""How a page lies in its picture: which way is up, and by how much its lines slant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .ocr_boxes import Pixels, TextBox

_LINE = 2.5
"""A box that is so many times longer than high, or higher than long, shows a direction."""
_LONG = 5.0
_LEVEL = 0.3
"""Degrees that no layout minds."""


def runs_upright(boxes: Sequence[TextBox]) -> bool:
    """Whether most of a picture's text runs up or down, by the length of its lines."""
    level = sum(box.length for box in boxes if box.length > _LINE * box.height)
    upright = sum(box.height for box in boxes if box.height > _LINE * box.length)
    return upright > level


def slant(boxes: Sequence[TextBox]) -> float:
    """By how many degrees clockwise the lines slant: the median of the long ones' angles, weighted by
    length; 0 where there is none, or next to none."""
    long = sorted((box for box in boxes if box.length > _LONG * box.height), key=lambda box: box.angle)
    half, passed = sum(box.length for box in long) / 2, 0.0
    for box in long:
        passed += box.length
        if passed >= half:
            return box.angle if abs(box.angle) > _LEVEL else 0.0
    return 0.0


def quarter_turned(image: Pixels) -> Pixels:
    """The picture turned by 90 degrees clockwise."""
    return np.ascontiguousarray(np.rot90(image, -1))


def half_turned(image: Pixels, boxes: Sequence[TextBox]) -> tuple[Pixels, list[TextBox]]:
    """A picture and its boxes upside down."""
    height, width = image.shape[:2]
    turned = [replace(box, x=width - box.x, y=height - box.y) for box in boxes]
    return np.ascontiguousarray(image[::-1, ::-1]), turned


def levelled(box: TextBox, angle: float, width: int, height: int) -> tuple[float, float, float, float]:
    """The sides (left, top, right, bottom, in pixels) of a box in the picture once that has been turned by
    ``-angle`` degrees and its canvas widened to hold all of it."""
    turn = math.radians(-angle)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = box.x - width / 2, box.y - height / 2
    across, down = abs(width * cos) + abs(height * sin), abs(width * sin) + abs(height * cos)
    x, y = x * cos - y * sin + across / 2, x * sin + y * cos + down / 2
    rest = math.radians(box.angle - angle)
    half = abs(box.length * math.cos(rest)) + abs(box.height * math.sin(rest))
    rise = abs(box.length * math.sin(rest)) + abs(box.height * math.cos(rest))
    return x - half / 2, y - rise / 2, x + half / 2, y + rise / 2
