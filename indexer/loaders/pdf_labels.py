"""Page labels: what is printed on a page ("xii", "A-3"), as the file's numbering rules give it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


def page_labels(rules: Iterable[Mapping[str, Any]], count: int) -> list[str | None]:
    """The label of each of ``count`` pages; None where no rule holds or the label is empty.

    A rule has ``startpage`` (0-based), ``prefix``, ``style`` (D, r, R, a, A or nothing) and
    ``firstpagenum``, and holds up to the next one: PDF 32000-1, 12.4.2.
    """
    labels: list[str | None] = [None] * count
    for rule in sorted(rules, key=_start):
        prefix, style = str(rule.get("prefix") or ""), str(rule.get("style") or "")
        first = int(rule.get("firstpagenum") or 1)
        for page in range(max(0, _start(rule)), count):
            labels[page] = prefix + _number(first + page - _start(rule), style) or None
    return labels


def _start(rule: Mapping[str, Any]) -> int:
    return int(rule.get("startpage") or 0)


def _number(value: int, style: str) -> str:
    match style:
        case "D":
            return str(value)
        case "r":
            return _roman(value)
        case "R":
            return _roman(value).upper()
        case "a" | "A":
            letter = chr(ord(style) + (value - 1) % 26)
            return letter * ((value - 1) // 26 + 1)
        case _:
            return ""


def _roman(value: int) -> str:
    written = ""
    for worth, sign in _ROMAN:
        written += sign * (value // worth)
        value %= worth
    return written
