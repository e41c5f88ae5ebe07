"""Chunks that the source made itself: a document with cuts is cut exactly there."""

from __future__ import annotations

from .chunking_ruler import Ruler, Span
from .chunking_structure import structure_spans
from .types import Content


def record_spans(content: Content, ruler: Ruler, size: int) -> list[tuple[Span, str | None]]:
    """The cuts as (span, record), with what lies between them so that nothing is lost.

    Whitespace after a cut goes with it; other text there becomes chunks of its own, without a record and
    of at most ``size`` tokens.
    """
    marked: list[tuple[Span, str | None]] = []
    reached = 0
    for entry in content.cuts:
        if entry.start > reached:
            marked = _with_gap(marked, content, ruler, (reached, entry.start), size)
        start = 0 if not marked and not content.text[: entry.start].strip() else entry.start
        marked.append(((start, entry.end), entry.record))
        reached = max(reached, entry.end)
    if reached < len(content.text):
        marked = _with_gap(marked, content, ruler, (reached, len(content.text)), size)
    return marked


def _with_gap(
    marked: list[tuple[Span, str | None]], content: Content, ruler: Ruler, gap: Span, size: int
) -> list[tuple[Span, str | None]]:
    start = min(ruler.skip(gap[0]), gap[1])
    if not marked:
        start = gap[0] if start < gap[1] else start
    for i, ((first, last), record) in enumerate(marked):
        if last == gap[0]:
            marked[i] = ((first, start), record)
    if start == gap[1]:
        return marked
    return marked + [(span, None) for span in structure_spans(content, ruler, size, (start, gap[1]))]
