"""Which of the lines that were read hold, and whether a page is in a script that the model does not know.

Of a script that it was not taught a network reads next to nothing: a full stop for a sentence. So a line is
unread where it is unsure, or far too short for its box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from .ocr_boxes import TextBox
from .ocr_lines import Said

UNSUPPORTED = "unsupported script"
_FEWEST = 0.6
"""Characters for each height that a line is long: ideographs have 1.2, Latin letters 2 and more."""
_LONG = 4.0
_SURE = 0.97
_MOST_UNREAD = 0.4
_GREEK = 0.3
_TALL = 3.0
"""Heights of the usual line above which what cannot be read is no line."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Which lines are ``kept``, how sure all of it is (0..1), and what is wrong with it, if anything."""

    kept: tuple[bool, ...]
    confidence: float
    why: str


def judge(boxes: Sequence[TextBox], said: Sequence[Said], least: float) -> Judged:
    """Of a page's lines those of ``least`` confidence; where much is unread, those that leave no doubt. Boxes
    much higher than the others of which nothing was read are shapes, and count for nothing."""
    unread = [_is_unread(box, line, least) for box, line in zip(boxes, said, strict=True)]
    tall = _TALL * median([box.height for box in boxes]) if boxes else 0.0
    lines = [(box, lost) for box, lost in zip(boxes, unread, strict=True) if not lost or box.height < tall]
    length = sum(box.length for box, _ in lines)
    share = sum(box.length for box, lost in lines if lost) / length if length else 0.0
    confidence = round(certainty(said) * (1 - share), 4)
    if _is_greek(said):
        return Judged((False,) * len(said), confidence, f"{UNSUPPORTED} in {len(said)} of {len(said)} lines")
    if share <= _MOST_UNREAD:
        return Judged(tuple(not is_lost for is_lost in unread), confidence, "")
    kept = tuple(not is_lost and _leaves_no_doubt(line) for is_lost, line in zip(unread, said, strict=True))
    left = len(said) - sum(unread) - sum(kept)
    why = f"{UNSUPPORTED} in {sum(unread)} of {len(unread)} lines"
    return Judged(kept, confidence, f"{why}; {left} more left out, as not sure" if left else why)


def _leaves_no_doubt(line: Said) -> bool:
    """Whether a line between such as were not read is read rightly. Signs of other scripts pass for a few
    letters, but not for a number."""
    text = line.text.strip()
    return line.confidence > _SURE and (len(text) > 2 or any(map(str.isdigit, text)))


def certainty(said: Sequence[Said]) -> float:
    """The mean certainty of all characters."""
    characters = sum(len(line.text) for line in said)
    total = sum(line.confidence * len(line.text) for line in said)
    return round(total / characters, 4) if characters else 0.0


def legible(boxes: Sequence[TextBox], said: Sequence[Said]) -> float:
    """How sure a few lines are (0..1), those that are too short for their boxes counting nothing."""
    read = [line for box, line in zip(boxes, said, strict=True) if not _is_unread(box, line, 0.0)]
    return certainty(read) * len(read) / max(1, len(said))


def fills(line: Said, length: float) -> bool:
    """Whether a text of at least three characters is long enough for a box of so many heights."""
    return len(line.text.replace(" ", "")) >= max(3.0, _FEWEST * length)


def _is_unread(box: TextBox, line: Said, least: float) -> bool:
    sparse = box.length > _LONG * box.height and not fills(line, box.length / box.height)
    return line.confidence < least or not line.text.strip() or sparse


def _is_greek(said: Sequence[Said]) -> bool:
    """Whether most letters are Greek: the model knows those that formulas use, and takes other scripts' for
    them."""
    letters = [letter for line in said for letter in line.text if letter.isalpha()]
    return sum("\u0370" <= letter < "\u0400" for letter in letters) > _GREEK * max(1, len(letters))
