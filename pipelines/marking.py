"""Where a text holds a question's words: to mark them, and to choose what of the text to show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..indexer.word_forms import bigrams, index_forms, is_dense, normalise, tokens

_WORD = re.compile(r"[^\W_]+")
_EVERYDAY = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from has have how i if in is it its me my of on or our "
        "that the their this to was were what when where which who why will with you your",
    )
)
"""English words that say nothing about where an answer stands; marking them would hide those that do."""

Span = tuple[int, int]


def question_forms(question: str, language: str | None = None) -> frozenset[str]:
    """The word forms of a question that are worth marking."""
    found = [token for token in tokens(normalise(question)) if token.casefold() not in _EVERYDAY]
    return frozenset(form for token in found for form in index_forms(token, language))


def marked_spans(text: str, forms: frozenset[str], language: str | None = None) -> list[Span]:
    """Where ``text`` holds one of ``forms``: (start, end) offsets, ascending, not overlapping."""
    spans: list[Span] = []
    for word in _WORD.finditer(text):
        token = normalise(word[0])
        if is_dense(token):
            spans += _dense_spans(word[0], word.start(), forms)
        elif token and not forms.isdisjoint(index_forms(token, language)):
            spans.append(word.span())
    return _merged(spans)


def _dense_spans(run: str, start: int, forms: frozenset[str]) -> list[Span]:
    """In a script without spaces, each pair of characters that the question has."""
    pairs = [(i, pair) for i, pair in enumerate(bigrams(run)) if normalise(pair) in forms]
    return [(start + i, start + i + len(pair)) for i, pair in pairs]


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a text with the spans in it that are to be marked; an ellipsis where it was cut."""

    text: str
    marks: tuple[Span, ...]


def snippet(text: str, forms: frozenset[str], width: int) -> Snippet:
    """The ``width`` characters of ``text`` that hold the most different words of ``forms``.

    White space is folded to single spaces first. Of equally good stretches the first is taken.
    """
    line = " ".join(text.split())
    spans = marked_spans(line, forms)
    if len(line) <= width:
        return Snippet(line, tuple(spans))
    start = _best_start(line, spans, width)
    end = min(len(line), start + width)
    before, after = "… " if start else "", " …" if end < len(line) else ""
    shift = len(before) - start
    marks = tuple((a + shift, b + shift) for a, b in spans if a >= start and b <= end)
    return Snippet(f"{before}{line[start:end]}{after}", marks)


def _best_start(line: str, spans: Sequence[Span], width: int) -> int:
    best, best_count = 0, 0
    lead = width // 8
    for first, _ in spans:
        start = _word_start(line, max(0, min(first - lead, len(line) - width)))
        held = {line[a:b].casefold() for a, b in spans if a >= start and b <= start + width}
        if len(held) > best_count:
            best, best_count = start, len(held)
    return best


def _word_start(line: str, at: int) -> int:
    """The start of the word at ``at``, if it is near: a stretch should not begin within a word."""
    if at == 0:
        return 0
    space = line.rfind(" ", max(0, at - 24), at)
    return space + 1 if space >= 0 else at
