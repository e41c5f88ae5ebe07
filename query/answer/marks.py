"""The marks in a model's answer that say what a sentence rests on: ``[1]``, ``[2][5]``, ``[3, 4]``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...indexer.sentences import sentence_ends

_MARK = re.compile(r"\s*[\[【]\s*(\d{1,3}(?:\s*(?:[,;、，]|[-–])\s*\d{1,3})*)\s*[\]】]")
_LEADING = re.compile(rf"(?:{_MARK.pattern})+[.。]?")
_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")
_LONGEST_RANGE = 12
_CLOSE = re.compile(r"(?<=[.!?…])(?=[\[【]\d)")
"""Between a full stop and a mark, where a sentence ends."""
_LOOSE = re.compile(r"\s+([.。!?！？,;])")
_DOUBLE = re.compile(r"(?<![.。])([.。!?！？])\s*[.。]$")
"""What taking marks out leaves behind: a space before a full stop, two full stops."""
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence without its marks; ``numbers`` are those in them, each once. ``lead`` is the white space
    before it. ``closed``: it ends as sentences do, or with a mark."""

    text: str
    numbers: tuple[int, ...]
    lead: str
    closed: bool


def read_marked(answer: str) -> list[Marked]:
    """The sentences of an answer with their marks, which may stand before or behind the full stop."""
    found: list[Marked] = []
    for stretch in _stretches(_CLOSE.sub(" ", answer)):
        numbers = [number for mark in _marks(stretch) for number in _numbers(mark[1])]
        text = "".join(_between(stretch))
        lead = stretch[: len(stretch) - len(stretch.lstrip())]
        body = _DOUBLE.sub(r"\1", _LOOSE.sub(r"\1", text).strip())
        if body:
            closed = body[-1] in '.!?…。！？:：)”"»」' or stretch.rstrip()[-1] in "]】"
            found.append(Marked(body, tuple(dict.fromkeys(numbers)), lead, closed))
        elif found and numbers:
            last = found[-1]
            found[-1] = Marked(last.text, tuple(dict.fromkeys([*last.numbers, *numbers])), last.lead, True)
    return found


def _stretches(answer: str) -> list[str]:
    """The answer in sentences, marks that stand behind a full stop with the sentence before it."""
    ends = [0, *sentence_ends(answer)]
    moved: list[int] = []
    for end in ends[1:]:
        behind = _LEADING.match(answer, end)
        space = len(answer[:end]) - len(answer[:end].rstrip())
        moved.append(behind.end() if behind else end - space)
    starts = [0, *moved]
    return [answer[a:b] for a, b in zip(starts, moved, strict=False) if a < b]


def _marks(stretch: str) -> list[re.Match[str]]:
    code = [match.span() for match in _CODE.finditer(stretch)]
    return [m for m in _MARK.finditer(stretch) if not any(a < m.end() <= b for a, b in code)]


def _between(stretch: str) -> list[str]:
    parts, at = [], 0
    for mark in _marks(stretch):
        parts.append(stretch[at : mark.start()])
        at = mark.end()
    return [*parts, stretch[at:]]


def _numbers(inside: str) -> list[int]:
    spread = _RANGE.sub(lambda m: ",".join(map(str, _spread(int(m[1]), int(m[2])))), inside)
    return [int(number) for number in re.findall(r"\d+", spread)]


def _spread(first: int, last: int) -> range | list[int]:
    return range(first, last + 1) if 0 <= last - first <= _LONGEST_RANGE else [first, last]
