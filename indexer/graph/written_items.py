"""What is usable of a model's answer about a chunk, and the reasons for which the rest is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..checked_calls import Faults
from ..checks.planted import INSTRUCTION
from .extraction import Named, Stated
from .written_reply import Item, Reply

NOTHING_USABLE = "nothing usable"
NOT_AN_ITEM = "item is not an object"
TOO_MANY = "item over the limit"
NO_NAME = "name missing"
NOT_TEXT = "name is not text"
LONG_NAME = "name too long"
PLAIN_NAME = "name says nothing"
PLACE = "name is a place of the document"
ELSEWHERE = "name not in the text"
OTHER_TYPE = "type not configured"
BAD_TYPE = "type unusable"
NOT_NAMED = "relation to what was not named"
SELF_LOOP = "relation to itself"
BAD_VERB = "relation's type unusable"
NO_EVIDENCE = "evidence not in the text"
ENDLESS = "evidence too long"
NEITHER_END = "evidence names neither end"
NO_CONDITION = "condition not in the evidence"
DESCRIPTION = "description: {}"

MOST_ITEMS = 64
"""Entities, and relations, of one answer that are read."""
_LONGEST_TYPE = 40
_TYPE = re.compile(r"[^\W\d_][\w'’/ -]*")
_TOLD_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Items:
    """What is usable of an answer. ``whole`` is False where it was cut off after these."""

    names: tuple[Named, ...]
    statements: tuple[Stated, ...]
    whole: bool = True

    def reply(self) -> Reply:
        """The same as a model would have answered it."""
        entities = [
            {"name": named.name, "type": named.type, "description": named.description} for named in self.names
        ]
        relations = [
            {
                "source": said.source,
                "target": said.target,
                "type": said.type,
                "evidence": said.sentence,
                "condition": said.condition,
                "description": said.description,
            }
            for said in self.statements
        ]
        return Reply(entities, relations, self.whole)


class Rejected(Exception):
    """Why an item is left out, and which."""

    def __init__(self, reason: str, what: object = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.what = what


def plain_type(value: object) -> str:
    """A type or verb in small letters; empty for what cannot be one."""
    if not isinstance(value, str) or len(value) > _LONGEST_TYPE or INSTRUCTION.search(value):
        return ""
    text = spaced(value).lower()
    return text if _TYPE.fullmatch(text) else ""


def spaced(value: str) -> str:
    """A type with single spaces and nothing around it."""
    return " ".join(value.replace("_", " ").split()).strip(" .:,;")


def read_items(items: Sequence[object], faults: Faults) -> Iterator[Item]:
    """The items that are objects, up to the limit."""
    if len(items) > MOST_ITEMS:
        faults[TOO_MANY] += len(items) - MOST_ITEMS
    for item in items[:MOST_ITEMS]:
        if isinstance(item, dict):
            yield item
        else:
            faults[NOT_AN_ITEM] += 1


def note(rejected: Rejected, faults: Faults, told: list[str]) -> None:
    """Count what is left out, and keep what to say of it."""
    faults[rejected.reason] += 1
    what = str(rejected.what) if isinstance(rejected.what, str | int | float) else ""
    told.append(f"{rejected.reason}: {what[:_TOLD_LENGTH]}".rstrip(": ").encode("utf-8", "ignore").decode())
