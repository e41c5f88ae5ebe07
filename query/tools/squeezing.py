"""Making room: what surrounds a text is shortened where titles, paths or sentences are very long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

KEPT = frozenset({"id", "chunk", "source", "previous", "next"})
"""What leads somewhere, and would not any more if a character were missing."""
FIRST = "items"
"""What holds the first of many, of which fewer do."""
SHORTEST = 12
"""Characters below which a text is not worth shortening."""


def squeezed(entry: dict[str, Any], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The entry, with fewer of what it holds the first of, then with the longest text anywhere in it halved,
    until it ``fits``, or nothing long is left."""
    entry = deepcopy(entry)
    lists = list(_lists(entry))
    while any(lists) and not fits(entry):
        longest = max(lists, key=len)
        del longest[len(longest) // 2 :]
    places = list(_texts(entry))
    while places and not fits(entry):
        holder, key = max(places, key=lambda place: len(place[0][place[1]]))
        if len(holder[key]) <= SHORTEST:
            break
        text = holder[key].removesuffix("…")
        holder[key] = text[: len(text) // 2] + "…"
    return entry


def _lists(value: Any) -> Iterator[list[Any]]:
    """Each list in a JSON value of which fewer would do."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if key == FIRST and isinstance(part, list):
            yield part
        elif isinstance(part, dict | list):
            yield from _lists(part)


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each text in a JSON value that may be shortened, as what holds it and its key or place there."""
    places = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in places:
        if isinstance(part, str):
            if key not in KEPT:
                yield value, key
        elif isinstance(part, dict | list):
            yield from _texts(part)
