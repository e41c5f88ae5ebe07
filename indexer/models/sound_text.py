"""Text from outside as every store takes it: without halves of characters, and without control characters."""

from __future__ import annotations

import re

_UNSOUND = re.compile(r"[\ud800-\udfff\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]")
"""Lone surrogates, and control characters but for tabs and line ends."""
_ESCAPES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""Escaped backslashes, whole surrogate pairs, and halves of them."""


def sound(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate and control character; tabs and line ends stay."""
    return _UNSOUND.sub("\ufffd", text)


def without_halves(line: str) -> str:
    """JSON with U+FFFD for each escape that is but half of a character, as whoever cuts a text in the middle
    of one writes it. It is as long as before."""
    return _ESCAPES.sub(lambda found: r"\ufffd" if found["half"] else found[0], line)
