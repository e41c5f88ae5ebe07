"""As much of a result as the budget has room for, and where the rest begins."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...indexer.models.usage import estimate_tokens
from .squeezing import squeezed

if TYPE_CHECKING:
    from ..read_result import KeptImage

Entry = dict[str, Any]
"""One item of a result as JSON values."""

Pictures = dict[str, "KeptImage"]
"""Pictures that are kept of documents, by id."""

CURSOR_ROOM = 70
"""Tokens kept free for the generation, the trace, the cursor and their names."""
LONGEST = 40
"""Characters that one token hardly ever has more of: what is longer has no room, and need not be counted."""
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。！？])\s*"), re.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found: ``head``, which every page of the result begins with, ``first``, which stands on the
    first one alone, and ``items`` under the key ``name``, each made when it is its turn. Where one alone has
    no room its ``text`` key is cut. ``pictures`` are those that the items made so far name under ``images``,
    by id."""

    head: Entry
    name: str
    items: Sequence[Callable[[], Entry]]
    text: str = "text"
    first: Mapping[str, Any] = field(default_factory=dict)
    pictures: Pictures = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of what was found, and ``rest``: the item, and the character of its text, that comes next;
    None where nothing is left."""

    document: Entry
    rest: tuple[int, int] | None


def dump(document: Mapping[str, Any]) -> str:
    """The JSON text that an agent gets, which is also what is counted."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


class Pager:
    """Fills pages of at most ``tokens`` tokens, as :func:`.estimate_tokens` counts them."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._longest = tokens * LONGEST

    def page(self, found: Found, item: int = 0, offset: int = 0) -> Page:
        """The page that begins ``offset`` characters into the text of item number ``item``."""
        head = found.head if item or offset else self._opening(found)
        room = self._tokens - CURSOR_ROOM - self._cost({**head, found.name: []})
        shown: list[Entry] = []
        at = item
        while at < len(found.items):
            entry = _from(found.items[at](), found.text, offset)
            far = len(entry.get(found.text, "")) > self._longest
            cost = room + 1 if far else self._cost(entry) + 1
            if cost > room and shown:
                break
            if cost > room:
                entry, taken = self._shortened(entry, found.text, room)
                shown.append(entry)
                if taken:
                    return Page({**head, found.name: shown}, (at, offset + taken))
            else:
                shown.append(entry)
            room -= cost
            at, offset = at + 1, 0
        return Page({**head, found.name: shown}, (at, 0) if at < len(found.items) else None)

    def _opening(self, found: Found) -> Entry:
        """The head of the first page, which takes half of the budget at most."""
        return squeezed({**found.head, **found.first}, lambda head: 2 * self._cost(head) <= self._tokens)

    def _cost(self, document: Mapping[str, Any]) -> int:
        return estimate_tokens(dump(document))

    def _shortened(self, entry: Entry, key: str, room: int) -> tuple[Entry, int]:
        """The entry with as much of its text as there is room for, and how many characters that is: 0 where
        all of it is there. What surrounds the text takes half of the room at most."""
        text = entry.get(key, "")
        around = {**entry, key: ""} if text else entry
        share = 2 if text else 1
        around = squeezed(around, lambda bare: share * (self._cost(bare) + 1) <= room)
        whole = {**around, key: text} if text else around
        if not text or (len(text) <= self._longest and self._cost(whole) < room):
            return whole, 0
        least, most = 1, min(len(text), self._longest)
        while least < most:
            middle = (least + most + 1) // 2
            cut = {**around, key: text[:middle], "goes_on": True}
            least, most = (middle, most) if self._cost(cut) < room else (least, middle - 1)
        taken = _break(text, least)
        return {**around, key: text[:taken], "goes_on": True}, taken


def _from(entry: Entry, key: str, offset: int) -> Entry:
    """The entry from ``offset`` of its text on."""
    if offset == 0:
        return entry
    return {**entry, key: entry.get(key, "")[offset:], "continued": True}


def _break(text: str, most: int) -> int:
    """The best place to cut a text at or before ``most``: after a paragraph, line, sentence or word in its
    second half, else there."""
    for pattern in _BREAKS:
        ends = [found.end() for found in pattern.finditer(text, most // 2, most)]
        if ends and ends[-1] > 0:
            return ends[-1]
    return most
