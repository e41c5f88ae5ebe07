"""Which way is up: a page's picture as it stands, turned, or as columns of signs, whichever leaves least
doubt when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .ocr_boxes import Detector, Pixels, TextBox
from .ocr_judged import certainty, legible
from .ocr_lines import Recogniser, Said, cut_line, is_plain
from .ocr_stacked import side_by_side
from .ocr_turn import half_turned, quarter_turned, runs_upright

_SAMPLE = 6
_SURE = 0.9
_LEVEL = 0.85
_MOST_UPRIGHT = 4
"""Boxes for each that is not upright, where that may say how a page lies: a page number may not."""


@dataclass(frozen=True, slots=True)
class View:
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The view and the recogniser that leave least doubt, whether what they gave holds no ideographs or kana
    (``plain``), and what some boxes, by their place among the view's, were ``read`` as."""

    view: View
    reader: Recogniser
    plain: bool
    read: Mapping[int, Said]


def surest(pixels: Pixels, detector: Detector, recognisers: Sequence[Recogniser]) -> Chosen | None:
    """The view and the recogniser that leave least doubt about a few lines; None where there is nothing to
    read."""
    best: tuple[float, Chosen] | None = None
    for view in _views(pixels, detector, recognisers):
        shape = [abs(box.length / box.height - _SAMPLE) for box in view.boxes]
        chosen = sorted(range(len(shape)), key=shape.__getitem__)[:_SAMPLE]
        sample = [view.boxes[index] for index in chosen]
        lines = [view.line(box) for box in sample]
        for reader in recognisers:
            said = [reader.read(line) for line in lines]
            sure = legible(sample, said)
            if best is None or sure > best[0]:
                plain = all(is_plain(line.text) for line in said)
                best = sure, Chosen(view, reader, plain, dict(zip(chosen, said, strict=True)))
        if best and best[0] > _SURE:
            break
    return best[1] if best else None


def _views(pixels: Pixels, detector: Detector, recognisers: Sequence[Recogniser]) -> Iterator[View]:
    """The ways in which a picture can be looked at, the likeliest first."""
    boxes = detector.find(pixels)
    if not boxes:
        return
    if runs_upright(boxes) and not any(_stands_level(pixels, boxes, reader) for reader in recognisers):
        turned = quarter_turned(pixels)
        boxes = detector.find(turned)
        yield View(turned, boxes, 90)
        over, boxes = half_turned(turned, boxes)
        # The model reads columns on their sides too, with as little doubt and more mistakes.
        yield View(over, boxes, -90, stacked=True)
        yield View(over, boxes, -90)
    else:
        yield View(pixels, boxes, 0)
        yield View(*half_turned(pixels, boxes), 180)


def _stands_level(pixels: Pixels, boxes: Sequence[TextBox], reader: Recogniser) -> bool:
    """Whether the short lines of a picture in which most runs up or down are read with less doubt as they
    stand than turned, as in a chart whose labels run upwards. Signs of Chinese and Japanese say nothing: they
    stand upright in columns as well."""
    short = [box for box in boxes if box.length > box.height / 2]
    if _MOST_UPRIGHT * len(short) < len(boxes):
        return False
    lines = [cut_line(pixels, box) for box in short[: 2 * _SAMPLE]]
    level = [reader.read(line) for line in lines]
    if not all(is_plain(line.text) for line in level):
        return False
    sides = ([reader.read(np.ascontiguousarray(np.rot90(line, turn))) for line in lines] for turn in (1, -1))
    return certainty(level) > max(_LEVEL, *map(certainty, sides))
