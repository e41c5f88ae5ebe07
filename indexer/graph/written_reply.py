"""A model's answer that should list entities and relations: taken apart, mended where that is cheap."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..checked_calls import Wrong
from ..models.json_reply import read_json
from ..models.sound_text import without_halves
from ..models.thoughts import without_thoughts

EMPTY = "empty answer"
NOT_JSON = "answer was not JSON"
OTHER_SHAPE = "answer of another shape"
CUT_OFF = "answer cut off"
TOO_LONG = "answer too long"

LONGEST = 100_000
"""Characters of an answer that are read."""
_LISTS = ("entities", "relations")
_FENCE = re.compile(r"\A```\w*\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_MOST_ATTEMPTS = 1000

Item = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """The items of an answer as the model wrote them, nothing of them checked. ``whole`` is False where the
    answer was cut off after them."""

    entities: Sequence[object]
    relations: Sequence[object]
    whole: bool = True


def read_reply(answer: str) -> Reply | Wrong:
    """The items of an answer, or what is wrong with all of it. Thoughts before it, code fences and text
    around it are passed over."""
    text = _FENCE.sub("", without_thoughts(answer).strip())
    start = text.find("{")
    if not text.strip("` \n"):
        return Wrong(EMPTY)
    if start < 0:
        return Wrong(OTHER_SHAPE if _is_json(text) else NOT_JSON)
    value = _decoded(without_halves(text[:LONGEST]), start)
    if value is not None:
        return _shaped(value)
    if len(text) > LONGEST:
        return Wrong(TOO_LONG)
    return Wrong(CUT_OFF, "list the most telling ones alone") if _is_open(text, start) else Wrong(NOT_JSON)


def whole_items(answer: str) -> Reply:
    """The items of an answer that was cut off which are whole themselves."""
    text = without_halves(without_thoughts(answer)[:LONGEST])
    items: list[Item] = []
    at = text.find("{") + 1
    for _ in range(_MOST_ATTEMPTS):
        at = text.find("{", at)
        if at < 0:
            break
        found = _scanned(text, at)
        if found is None:
            at += 1
            continue
        value, at = found
        items.append(value)
    entities = [item for item in items if "name" in item]
    relations = [item for item in items if "source" in item and "target" in item]
    return Reply(entities, relations, whole=False)


def pack_reply(reply: Reply) -> str:
    """A reply as the text that is kept of a call; :func:`read_reply` reads it."""
    value = {"entities": reply.entities, "relations": reply.relations, "whole": reply.whole}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _shaped(value: Item) -> Reply | Wrong:
    """The two lists of an object; one of them may be missing."""
    if not any(name in value for name in _LISTS):
        return Wrong(OTHER_SHAPE, f"it needs the lists {' and '.join(_LISTS)}")
    entities, relations = (value.get(name) or [] for name in _LISTS)
    if not isinstance(entities, list) or not isinstance(relations, list):
        return Wrong(OTHER_SHAPE, f"{' and '.join(_LISTS)} are to be lists")
    return Reply(entities, relations, value.get("whole") is not False)


def _decoded(text: str, start: int) -> Item | None:
    found = _scanned(text, start)
    return found[0] if found else None


def _scanned(text: str, start: int) -> tuple[Item, int] | None:
    """The object that begins at ``start``, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def _is_json(text: str) -> bool:
    try:
        read_json(text.strip("` \n"))
    except ValueError:
        return False
    return True


def _is_open(text: str, start: int) -> bool:
    """Whether an object that begins at ``start`` is not closed by the end of the text."""
    bare = _STRING.sub("", text[start:])
    return bare.count("{") > bare.count("}") or bare.count("[") > bare.count("]")


_DECODER = json.JSONDecoder(strict=False)
