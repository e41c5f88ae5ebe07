"""JSON that a model wrote, which may be anything at all."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str, *, strict: bool = True) -> Any:
    """The JSON value that ``text`` is; not ``strict``, line breaks and the like may stand in its strings.

    Raises ValueError where it is none, and where it is nested too deeply to be read.
    """
    try:
        return json.loads(text, strict=strict)
    except RecursionError:
        raise ValueError("nested too deeply") from None
