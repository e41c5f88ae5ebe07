"""Chunks of a fixed size, with or without an overlap: the plain way that the others are held against."""

from __future__ import annotations

from .chunking_ruler import Ruler, Span


def fixed_spans(ruler: Ruler, size: int, overlap: int) -> list[Span]:
    """Spans of at most ``size`` tokens, each but the first beginning about ``overlap`` tokens before the
    end of the one before it; cut between words where there are any."""
    length = len(ruler.text)
    spans = [_window(ruler, 0, size)]
    while (end := spans[-1][1]) < length:
        start = spans[-1][0]
        step = max(1, ruler.tokens(start, end) - overlap)
        again = _window(ruler, ruler.reach(start, step, end), size) if overlap else (end, end)
        spans.append(again if again[1] > end else _window(ruler, end, size))
    return spans


def _window(ruler: Ruler, start: int, size: int) -> Span:
    """The span from ``start`` on that holds as much as ``size`` allows."""
    return ruler.within((start, ruler.reach(start, size, len(ruler.text))), size)[0]
