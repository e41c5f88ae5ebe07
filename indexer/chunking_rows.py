"""Long tables, cut between rows: a few of them a chunk, so that each is found by what it says.

A chunk of many rows is about none of them, to an encoder least of all. What a row means without the rest of
its table, its columns' names, its context says (:mod:`.context_rows`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from .chunking_ruler import Ruler
from .types import Block

LONG = 2
"""A table of more than so many chunks' worth of tokens is cut to rows. Cutting all that do not fit one chunk
lost more questions to whole tables than it won for their rows (876 questions over 15 PDFs)."""
FEW = 4
"""Rows go together up to the size of a chunk divided by this."""
ROWS = -3.0
"""The price of a cut between two such groups: it pays more than any chunk costs, so that all are made."""


def is_long(block: Block, ruler: Ruler, size: int) -> bool:
    """Whether a table is cut to rows, where chunks are of ``size`` tokens."""
    return block.kind == "table" and ruler.tokens(block.start, block.end) > LONG * size


def row_starts(block: Block, ruler: Ruler, size: int, pages: Sequence[int]) -> list[int]:
    """Where groups of rows of a table begin, but for the first, which has the header; ascending.

    A group holds rows of at most a ``FEW``-th of ``size`` tokens together, or one, and ends with its page:
    ``pages`` are the offsets at which pages begin, ascending.
    """
    text, end = ruler.text, block.end
    starts: list[int] = []
    at = start = ruler.skip(block.start)
    lines = 0
    while start < end:
        stop = text.find("\n", start, end) + 1 or end
        turns = bisect_left(pages, at + 1) < bisect_left(pages, start + 1)
        # The header and the rule below it say nothing without a row.
        if lines > 2 and (turns or ruler.tokens(at, stop) > size // FEW):
            starts.append(start)
            at = start
        start = ruler.skip(stop) if stop < end else end
        lines += 1
    return starts
