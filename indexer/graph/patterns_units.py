"""A sentence as the relation patterns read it: names as single units among its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..names import Found
from .patterns_conditions import Span

_PIECE = re.compile(r"[^\W_]+(?:['’]t\b)?|[()\[\],;:—–]|[^\s\w]")
_OPEN, _CLOSE = "([", ")]"
_QUOTES = "'’\"“”„«»*_`"
_ADJECTIVE = re.compile(r"(?:an|ese|ish|ic|al|[nt]ch|ek|utch|iss)\Z")

WALL = "|"
"""What no pattern reads across: a condition, a semicolon, a dash, other signs."""


class Unit(NamedTuple):
    """A name (``name`` is not None), a word, a comma, or a wall; ``start`` and ``end`` in the sentence.
    ``text`` is case-folded where it is a word, ``written`` as it stands."""

    text: str
    start: int
    end: int
    name: Found | None = None
    written: str = ""

    @property
    def word(self) -> str:
        """The word, the comma or the wall; empty for a name."""
        return self.text if self.name is None else ""

    def as_name(self) -> Found:
        """The word as a name; its offsets are those in the sentence."""
        return Found(self.written, self.start, self.end, "term")


class Triple(NamedTuple):
    """A relation between two names of a sentence; an end that is None is what the chunk is about."""

    source: Found | None
    type: str
    target: Found | None


def read_units(sentence: str, offset: int, names: Sequence[Found], conditions: Sequence[Span]) -> list[Unit]:
    """The units of a sentence that begins at ``offset`` of the text that ``names`` were found in. What
    stands in brackets is left out, and so are conditions, behind a wall."""
    units: list[Unit] = []
    at = depth = 0
    for name in [*names, None]:
        stop = name.start - offset if name else len(sentence)
        for match in _PIECE.finditer(sentence, at, stop):
            piece, start = match[0], match.start()
            if piece in _OPEN:
                depth += 1
            elif piece in _CLOSE:
                depth = max(depth - 1, 0)
            elif depth:
                continue
            elif _within(start, conditions):
                _wall(units, start)
            elif piece == ",":
                units.append(Unit(",", start, match.end()))
            elif piece[0].isalnum():
                units.append(Unit(piece.casefold().replace("’", "'"), start, match.end(), None, piece))
            elif piece not in _QUOTES:
                _wall(units, start)
        if name is not None:
            if not depth and not _within(stop, conditions):
                units.append(Unit(name.name, stop, name.end - offset, name, name.name))
            at = name.end - offset
    return units


def is_adjective(name: Found) -> bool:
    """Whether a capitalised word looks like one of a people or an age: American, Chinese, Victorian."""
    return name.kind == "name" and " " not in name.name and _ADJECTIVE.search(name.name) is not None


def _within(at: int, spans: Sequence[Span]) -> bool:
    return any(start <= at < end for start, end in spans)


def _wall(units: list[Unit], at: int) -> None:
    if not units or units[-1].text != WALL:
        units.append(Unit(WALL, at, at))
