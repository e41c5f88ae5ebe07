"""What a line of text says: its picture to characters, each with how sure the network is of it.

Connectionist temporal classification (Graves et al., ICML 2006), decoded greedily: the likeliest character of
each step, repetitions as one, blanks left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelUnavailable
from .ocr_boxes import Pixels, TextBox
from .ocr_models import ModelFile, open_session

_HEIGHT = 48
_NARROWEST = 32
_WIDEST = 4800
_BLANK = 0
_NARROWED = 0.9
"""From .8 down letters that stand twice are read once: "botle", "ofset"."""
_SHORT = 3
_WIDENED = 1.15
"""Small figures that stand alone in a chart or a table are read rightly more often so: "37%" was "378"."""
NO_DOUBT = 0.93
_LEVEL = 0.25
"""Degrees by which a line may slant and still be cut out as it is."""


@dataclass(frozen=True, slots=True)
class Said:
    """The text of a line and the mean certainty of its characters, 0..1."""

    text: str
    confidence: float


class Recogniser:
    """Reads lines of text in the scripts of its characters."""

    def __init__(self, file: ModelFile, plain: bool = False) -> None:
        """The model's characters are its own, or stand one a line in a file beside it that ends in
        ``.txt``; if ``plain`` it knows no ideographs or kana. Raises ModelUnavailable."""
        self.name = f"{file.name}-plain" if plain else file.name
        self._whole = open_session(file)
        self._input = self._whole.get_inputs()[0].name
        self._characters = ["", *_characters(self._whole, file), " "]
        kept = [index for index, letter in enumerate(self._characters) if is_plain(letter)]
        self._lean = open_session(file, len(self._characters), kept)
        self._few = [self._characters[index] for index in kept]
        if plain:
            self._whole, self._characters = self._lean, self._few

    def read(self, line: Pixels) -> Said:
        """What a line says."""
        likely = self._whole.run(None, {self._input: _as_input(line, 1.0)})[0][0]
        return _decoded(likely, self._characters)

    def skim(self, line: Pixels, plain: bool) -> Said:
        """The same in two thirds of the time, from a narrower picture (a wider one of a few signs) and,
        if ``plain``, without ideographs and kana, unless that leaves doubt: then the line is read."""
        session, letters = (self._lean, self._few) if plain else (self._whole, self._characters)
        width = _WIDENED if line.shape[1] < _SHORT * line.shape[0] else _NARROWED
        said = _decoded(session.run(None, {self._input: _as_input(line, width)})[0][0], letters)
        if said.confidence >= NO_DOUBT:
            return said
        return max(said, self.read(line), key=lambda said: said.confidence)


def is_plain(text: str) -> bool:
    """Whether none of its characters is of the many of Chinese and Japanese."""
    return all(letter < "\u2e80" for letter in text)


def _decoded(likely: NDArray[np.float32], characters: Sequence[str]) -> Said:
    best = likely.argmax(axis=1)
    kept = best != _BLANK
    kept[1:] &= best[1:] != best[:-1]
    steps = np.flatnonzero(kept)
    if not len(steps):
        return Said("", 0.0)
    text = "".join([characters[index] for index in best[steps]])
    return Said(text, float(likely[steps, best[steps]].mean()))


def _characters(session: Any, file: ModelFile) -> list[str]:
    held = session.get_modelmeta().custom_metadata_map.get("character")
    try:
        text = held or file.path.with_suffix(".txt").read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelUnavailable(
            f"{file.path} does not hold its characters; put them beside it, one a line, as "
            f"{file.path.with_suffix('.txt').name}"
        ) from error
    characters = text.split("\n")
    return characters[:-1] if characters[-1] == "" else characters


def cut_line(image: Pixels, box: TextBox) -> Pixels:
    """The part of a picture within a box, level."""
    import cv2

    length, height = max(1, round(box.length)), max(1, round(box.height))
    left, top = max(0, round(box.x - length / 2)), max(0, round(box.y - height / 2))
    cut: Any = image[top : top + height, left : left + length]
    if abs(box.angle) > _LEVEL or not cut.size:
        turn: Any = cv2.getRotationMatrix2D((box.x, box.y), box.angle, 1.0)
        turn[:, 2] += (length / 2 - box.x, height / 2 - box.y)
        cut = cv2.warpAffine(
            image, turn, (length, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
    return np.asarray(cut, np.uint8)


def _as_input(line: Pixels, narrowed: float) -> NDArray[np.float32]:
    """A line of the height that the network reads, and ``narrowed`` in its width."""
    import cv2

    high, wide = line.shape[:2]
    width = min(max(round(_HEIGHT * wide / high * narrowed), _NARROWEST), _WIDEST)
    way = cv2.INTER_AREA if high > _HEIGHT else cv2.INTER_LINEAR
    resized: Any = cv2.resize(line, (width, _HEIGHT), interpolation=way)
    planes = np.ascontiguousarray(resized.transpose(2, 0, 1)[np.newaxis], dtype=np.float32)
    planes *= np.float32(2 / 255)
    planes -= np.float32(1)
    return planes
