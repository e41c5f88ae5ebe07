"""JSON that a model wrote, which may be anything at all."""

from __future__ import annotations

import json
from typing import Any

from .sound_text import without_halves


def read_json(text: str, *, strict: bool = True) -> Any:
    """The JSON value that ``text`` is; not ``strict``, line breaks and the like may stand in its strings.
    Escapes of half a character, which no store takes, become U+FFFD.

    Raises ValueError where it is none, and where it is nested too deeply to be read.
    """
    try:
        return json.loads(without_halves(text), strict=strict)
    except RecursionError:
        raise ValueError("nested too deeply") from None
