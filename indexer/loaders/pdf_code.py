"""Code in PDFs: rows set in a font whose letters are all equally wide, laid out again on its grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .pdf_page import Line
from .pdf_rows import Row
from .pdf_text import is_ideographic

_LONG = 12
_SHARE = 0.1
_TOLERANCE = 0.016
_USUAL = (0.525, 0.55, 0.6)


class Pitches:
    """The widths of a letter, in parts of the font's size, that the fixed fonts of a document have.

    A line is told by its first letter's font only; that the whole line is set in it shows in its
    width, which is then a multiple of the letter's. Until two lines agree on one, the letters are taken
    to be as wide as those of the best-known fixed fonts.
    """

    def __init__(self) -> None:
        self._seen: Counter[float] = Counter()
        self._common: tuple[float, ...] = ()

    def observe(self, lines: Iterable[Line]) -> None:
        """Count the widths of the long lines that begin in a fixed font."""
        for line in lines:
            if line.mono and len(line.text) >= _LONG:
                self._seen[round(_pitch(line.x0, line.x1, line.text, line.size), 2)] += 1
        least = max(2.0, _SHARE * self._seen.total())
        self._common = tuple(sorted(pitch for pitch, count in self._seen.items() if count >= least)) or _USUAL

    def is_code(self, row: Row) -> bool:
        """Whether all of ``row`` is set in a fixed font."""
        if not row.mono:
            return False
        for cell in row.cells:
            pitch = _pitch(cell.x0, cell.x1, cell.text, row.size)
            tolerance = _TOLERANCE if len(cell.text) >= _LONG else 2 * _TOLERANCE
            if not any(abs(pitch - common) <= tolerance for common in self._common):
                return False
        return True


def _pitch(x0: int, x1: int, text: str, size: int) -> float:
    return (x1 - x0) / max(1, _columns(text) * size)


def _columns(text: str) -> int:
    """How many columns ``text`` takes on a terminal's grid."""
    return len(text) if text.isascii() else len(text) + sum(map(is_ideographic, text))


def listing(rows: list[Row]) -> list[str]:
    """The lines of a run of code rows, with their indentation and inner gaps as spaces."""
    left = min(row.x0 for row in rows)
    return [_on_grid(row, left) for row in rows]


def _on_grid(row: Row, left: int) -> str:
    longest = max(row.cells, key=lambda cell: len(cell.text))
    step = max(1.0, (longest.x1 - longest.x0) / max(1, _columns(longest.text)))
    line = ""
    for cell in row.cells:
        gap = round((cell.x0 - left) / step) - _columns(line)
        line += " " * max(gap, 1 if line else 0) + cell.text
    return line
