"""Strings on their way to Neo4j, which speaks UTF-8: halves of surrogate pairs, which a damaged document
can hold, have none. They travel as the last 2,048 code points of the private planes, and come back."""

from __future__ import annotations

import re
from typing import Any

_FIRST, _MARK = 0x10F800, chr(0x10F7FF)
_ODD = re.compile(f"[\ud800-\udfff{_MARK}-\U0010ffff]")
_SENT = re.compile(f"{_MARK}(.)|([\U0010f800-\U0010ffff])", re.S)


def packed(value: Any) -> Any:
    """``value`` (strings, and lists and dicts of them) as it can be sent. Code points that stand for a half
    are marked where they stand for themselves."""
    if isinstance(value, str):
        return value if value.isascii() else _ODD.sub(_sent, value)
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [item if type(item) is str and item.isascii() else packed(item) for item in value]
    return value


def unpacked(value: Any) -> Any:
    """What :func:`packed` made its argument of."""
    if isinstance(value, str):
        return value if value.isascii() else _SENT.sub(_meant, value)
    if isinstance(value, dict):
        return {key: unpacked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [item if type(item) is str and item.isascii() else unpacked(item) for item in value]
    return value


def _sent(found: re.Match[str]) -> str:
    at = ord(found[0])
    return chr(at - 0xD800 + _FIRST) if at < 0xE000 else _MARK + found[0]


def _meant(found: re.Match[str]) -> str:
    return found[1] or chr(ord(found[2]) - _FIRST + 0xD800)
