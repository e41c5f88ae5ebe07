"""The marks in a model's answer that say what a sentence rests on: ``[1]``, ``[2][5]``, ``[3, 4]``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...indexer.sentences import sentence_ends
from ...indexer.word_forms import is_dense

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
_BRACKETS = "[【"
_INDEX = re.compile(r"(?P<word>\w+)(?:[\[【][^\[\]【】]*[\]】])+\Z")
"""A word and the brackets that are glued to it."""
_APART = str.maketrans("[【]】", "⟦⟦⟧⟧")


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence without its marks; ``numbers`` are those in them, each once. ``lead`` is the white space
    before it. ``closed``: it ends as sentences do, or with a mark."""

    text: str
    numbers: tuple[int, ...]
    lead: str
    closed: bool


def read_marked(answer: str, passages: Sequence[str] = ()) -> list[Marked]:
    """The sentences of an answer with their marks, which may stand before or behind the full stop. What is
    glued to a word as in one of the ``passages`` that were handed (``argv[1]``, ``CR4[9]``) is no mark."""
    return [marked for _, marked in read_from(parted(answer), passages, 0)]


def parted(answer: str) -> str:
    """The answer with a space between each full stop and a mark that is glued to it."""
    return _CLOSE.sub(" ", answer)


def read_from(answer: str, passages: Sequence[str], begin: int) -> list[tuple[int, Marked]]:
    """The sentences of a :func:`parted` answer from ``begin`` on, where one begins, each with its offset."""
    found: list[tuple[int, Marked]] = []
    for start, stretch in _stretches(answer, begin):
        marks = [mark for mark in _marks(stretch) if not _is_index(stretch, mark, passages)]
        numbers = [number for mark in marks for number in _numbers(mark[1])]
        text = "".join(_between(stretch, marks))
        lead = stretch[: len(stretch) - len(stretch.lstrip())]
        body = _DOUBLE.sub(r"\1", _LOOSE.sub(r"\1", text).strip())
        if body:
            closed = body[-1] in '.!?…。！？:：)”"»」' or stretch.rstrip()[-1] in "]】"
            found.append((start, Marked(body, tuple(dict.fromkeys(numbers)), lead, closed)))
        elif found and numbers:
            at, last = found[-1]
            numbers = list(dict.fromkeys([*last.numbers, *numbers]))
            found[-1] = (at, Marked(last.text, tuple(numbers), last.lead, True))
    return found


def set_apart(text: str) -> str:
    """``text`` of a document with its own marks as ``⟦2⟧``, so that none of them reads as a mark of ours.
    What is glued to a word, or stands in code, is left."""
    parts, at, kept = [], 0, -1
    for mark in _marks(text):
        if _is_glued(text, mark, kept):
            kept = mark.end()
        else:
            parts += [text[at : mark.start()], mark[0].translate(_APART)]
            at = mark.end()
    return "".join([*parts, text[at:]])


def _is_glued(text: str, mark: re.Match[str], kept: int) -> bool:
    """Whether a mark stands at the end of a word, or of brackets there that were ``kept``; in a script
    without spaces a word before it says nothing."""
    before = text[mark.start() - 1 : mark.start()]
    ends_word = (before.isalnum() or before == "_") and not is_dense(before)
    return mark[0][0] in _BRACKETS and (ends_word or mark.start() == kept)


def _is_index(stretch: str, mark: re.Match[str], passages: Sequence[str]) -> bool:
    """Whether a mark is one of the brackets of a word that stands with them in a passage."""
    found = _INDEX.search(stretch[: mark.end()])
    if found is None or mark[0][0] not in _BRACKETS or is_dense(found["word"][-1]):
        return False
    start = next(
        (n for n in range(found.end("word"), found.start(), -1) if is_dense(stretch[n - 1])), found.start()
    )
    said = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(stretch[start : mark.end()])}")
    return any(said.search(passage) for passage in passages)


def _stretches(answer: str, begin: int) -> list[tuple[int, str]]:
    """The answer from ``begin`` on in sentences with their offsets, marks that stand behind a full stop with
    the sentence before it."""
    moved: list[int] = []
    for end in sentence_ends(answer, begin):
        behind = _LEADING.match(answer, end)
        space = len(answer[:end]) - len(answer[:end].rstrip())
        moved.append(behind.end() if behind else end - space)
    starts = [begin, *moved]
    return [(a, answer[a:b]) for a, b in zip(starts, moved, strict=False) if a < b]


def _marks(stretch: str) -> list[re.Match[str]]:
    code = [match.span() for match in _CODE.finditer(stretch)]
    return [m for m in _MARK.finditer(stretch) if not any(a < m.end() <= b for a, b in code)]


def _between(stretch: str, marks: Sequence[re.Match[str]]) -> list[str]:
    parts, at = [], 0
    for mark in marks:
        parts.append(stretch[at : mark.start()])
        at = mark.end()
    return [*parts, stretch[at:]]


def _numbers(inside: str) -> list[int]:
    spread = _RANGE.sub(lambda m: ",".join(map(str, _spread(int(m[1]), int(m[2])))), inside)
    return [int(number) for number in re.findall(r"\d+", spread)]


def _spread(first: int, last: int) -> range | list[int]:
    return range(first, last + 1) if 0 <= last - first <= _LONGEST_RANGE else [first, last]
