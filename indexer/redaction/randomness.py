"""Whether a string looks as if a machine had drawn it: letters of both cases and digits in no order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

_BITS_HEX, _BITS_TEXT = 3.0, 3.7
"""Least Shannon entropy, in bits a character, of a random string of hex digits, and of other text.
Of 32 random ones it is 3.6 and 4.4 on average."""
_CHANGES, _CHANGES_GOING_ON, _CHANGES_SHORT = 0.38, 0.3, 0.55
"""Least share of neighbouring letters and digits that are of different classes (large, small, digit). Random
base64 has .62, names in camel case have .2."""
_LEAST_PIECE, _LEAST_SURE = 4, 10
_LEAST_DIGITS = 8
_HEX = frozenset("0123456789abcdef")


def is_hex(text: str) -> bool:
    """Whether all of it is hex digits, in one case, with some of both sorts."""
    digits = set(text)
    one_case = text in (text.lower(), text.upper())
    return one_case and set(text.lower()) <= _HEX and any(map(str.isdigit, digits)) and not text.isdigit()


def is_drawn(text: str) -> bool:
    """Whether a string, of 12 characters or more, was drawn and not written: hex, or base64 and the like."""
    if is_hex(text):
        return entropy(text.lower()) >= _BITS_HEX and not _counts_up(text.lower())
    if not (_has(text, str.isdigit) and _has(text, str.isupper) and _has(text, str.islower)):
        return False
    return entropy(text) >= min(_BITS_TEXT, math.log2(len(text)) - 0.9) and changes(text) >= _CHANGES


def is_mixed(text: str) -> bool:
    """Whether a string behind a prefix that an issuer gave may be a key: with digits, and no row of words."""
    digits = sum(map(str.isdigit, text))
    return digits >= _LEAST_DIGITS or (digits > 0 and changes(text) >= _CHANGES_GOING_ON)


def goes_on(piece: str) -> bool:
    """Whether a piece at the beginning of a line is the rest of a random string rather than a word."""
    bare = piece.rstrip("=")
    if len(bare) < _LEAST_PIECE:
        return len(piece) > len(bare) or any(map(str.isdigit, bare))
    if len(bare) < _LEAST_SURE:
        return (any(map(str.isdigit, bare)) and any(map(str.isalpha, bare))) or changes(bare) > _CHANGES_SHORT
    return changes(bare) >= _CHANGES_GOING_ON or is_hex(bare)


def entropy(text: str) -> float:
    """Shannon entropy, in bits a character."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


def changes(text: str) -> float:
    """The share of neighbouring letters and digits that are of different classes."""
    classes = [_class(character) for character in text]
    pairs = [(a, b) for a, b in pairwise(classes) if a and b]
    return sum(a != b for a, b in pairs) / max(1, len(pairs))


def _counts_up(text: str) -> bool:
    """Whether most of it counts, as 0123456789abcdef does, or repeats what is just before."""
    steps = [int(b, 16) - int(a, 16) for a, b in pairwise(text)]
    return sum(step in (0, 1, -1) for step in steps) > 0.6 * len(steps)


def _has(text: str, test: Callable[[str], bool]) -> bool:
    return any(map(test, text))


def _class(character: str) -> int:
    """1 to 3 for digits, large and small letters; 0 for signs."""
    if character.isdigit():
        return 1
    return 2 if character.isupper() else 3 if character.islower() else 0
