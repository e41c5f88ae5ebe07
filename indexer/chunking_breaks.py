"""The places where a document may be cut, and the price of each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .chunking_rows import ROWS, is_long, row_starts
from .chunking_ruler import Ruler, Span
from .sentences import sentence_ends
from .types import Block, Content

HEADING = 24
"""At most so many tokens, without a second paragraph, are a heading."""

PARAGRAPH = 0.0
SENTENCE = 0.6
LEAD = 1.0
"""After a heading, a caption or an "as follows:"."""
LINE = 1.0
WORD = 1.5
SECTION = -1.3
PARENT = -1.5
"""The end of a section pays more than the chunk that it makes costs, so that only slivers are joined over
it; where the outline goes back up, a little more. Nearer to 0, more sections share chunks: better for
questions to long reports, worse for terms that manuals have short sections on."""
PAGE = -1.75
"""A chunk that lies on one page is cited by that page. Ending chunks with their pages, but for a few
words, found the right page first for one question in eight more (876 questions over 15 PDFs)."""
FIGURE = -2.0
"""A figure's caption is found and cited by itself, where it says something: ``CAPTION`` tokens or more."""
CAPTION = 12

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_NEWLINE = re.compile(r"\n")
_LEAD = 90
_TERMINAL = tuple(".!?。！？؟۔।…;；")


class Break(NamedTuple):
    """A place to cut before: ``offset`` is never whitespace; ``cost`` is in chunks."""

    offset: int
    cost: float


def document_breaks(content: Content, ruler: Ruler, size: int, within: Span) -> list[Break]:
    """The places between paragraphs, sentences and blocks, ascending, each once.

    Inside a table or a listing that fits ``size`` there are none; in a larger one, its lines; in a long table
    the starts of a few rows each, all of which are to be taken.
    """
    start, end = within
    text = content.text[start:end]
    costs: dict[int, float] = {}
    for offset in sentence_ends(text):
        costs[start + offset] = SENTENCE
    for match in _BLANK.finditer(text):
        costs[start + match.end()] = LEAD if _leads(text, match.start()) else PARAGRAPH
    costs.update(_sections(content, ruler))
    turns = [ruler.skip(page.start) for page in content.pages]
    for block in content.blocks:
        _add_block(costs, block, ruler, size)
        if is_long(block, ruler, size):
            _add_rows(costs, block, ruler, size, turns)
    starts = [ruler.skip(section.start) for section in content.sections]
    for at in turns:
        before = bisect_left(starts, at) - 1
        if before < 0 or not is_heading(ruler, starts[before], at):
            costs[at] = min(PAGE, costs.get(at, PAGE))
    return [Break(at, costs[at]) for at in sorted(costs) if start < at < end and not ruler.text[at].isspace()]


def _sections(content: Content, ruler: Ruler) -> Iterator[tuple[int, float]]:
    """The starts of the sections; one that follows no more than a heading belongs with it."""
    at, level = None, 0
    for section in content.sections:
        start = ruler.skip(section.start)
        if at is not None and is_heading(ruler, at, start):
            yield start, LEAD
        else:
            yield start, PARENT if section.level < level else SECTION
        at, level = start, section.level


def is_heading(ruler: Ruler, start: int, end: int) -> bool:
    """Whether a stretch is no more than a heading, so that it belongs with what follows."""
    return ruler.tokens(start, end) <= HEADING and "\n\n" not in ruler.text[start:end].strip()


def _leads(text: str, end: int) -> bool:
    """Whether the paragraph that ends there leads into the next: a heading, a caption, "as follows:"."""
    start = max(text.rfind("\n", 0, end) + 1, end - _LEAD - 1)
    line = text[start:end].strip()
    return 0 < len(line) <= _LEAD and not line.endswith(_TERMINAL) and "|" not in line


def _add_block(costs: dict[int, float], block: Block, ruler: Ruler, size: int) -> None:
    start, end = ruler.skip(block.start), ruler.skip(block.end)
    for at in [at for at in range(start + 1, end) if at in costs]:
        del costs[at]
    if block.kind == "figure" and ruler.tokens(start, end) >= CAPTION:
        costs[start] = costs[end] = FIGURE
    costs.setdefault(start, PARAGRAPH)
    costs.setdefault(end, PARAGRAPH)
    if ruler.tokens(start, end) <= size:
        return
    for match in _NEWLINE.finditer(ruler.text, start, block.end):
        at = match.end()
        if at < end and not ruler.text[at : at + 1].isspace():
            blank = ruler.text[max(start, at - 2) : at] == "\n\n"
            costs[at] = PARAGRAPH if blank else SENTENCE
        elif at < end:
            costs.setdefault(ruler.skip(at), LINE)


def _add_rows(costs: dict[int, float], block: Block, ruler: Ruler, size: int, turns: Sequence[int]) -> None:
    """A long table's groups of rows; what follows it is none of them."""
    for at in [at for at in range(block.start + 1, block.end) if at in costs]:
        del costs[at]
    for at in [*row_starts(block, ruler, size, turns), ruler.skip(block.end)]:
        costs[at] = ROWS


def thinned(places: Sequence[Break], ruler: Ruler, least: int) -> list[Break]:
    """The places without those that follow a place at least as good within ``least`` tokens; the first
    and the last stay."""
    kept = [places[0]]
    for place in places[1:-1]:
        if place.cost < kept[-1].cost or ruler.tokens(kept[-1].offset, place.offset) >= least:
            kept.append(place)
    return [*kept, places[-1]]


def with_finer(places: Sequence[Break], ruler: Ruler, size: int) -> list[Break]:
    """The places with finer ones (lines, then words) between any two more than ``size`` tokens apart."""
    found: list[Break] = [places[0]]
    for place in places[1:]:
        if ruler.tokens(found[-1].offset, place.offset) > size:
            found += _lines(found[-1].offset, place.offset, ruler, size)
        found.append(place)
    return found


def _lines(start: int, end: int, ruler: Ruler, size: int) -> list[Break]:
    """Line breaks inside a stretch without a better place, and words where a line is too long too."""
    lines = {ruler.skip(match.end()) for match in _NEWLINE.finditer(ruler.text, start, end)} - {start}
    ordered = [Break(line, LINE) for line in sorted(lines) if line < end]
    found: list[Break] = []
    at = start
    for line, _ in thinned([Break(start, LINE), *ordered, Break(end, LINE)], ruler, size // 16)[1:]:
        while ruler.tokens(at, line) > size:
            parts = -(-ruler.tokens(at, line) // size)
            at = ruler.reach(at, -(-ruler.tokens(at, line) // parts), line)
            found.append(Break(at, WORD))
        if line < end:
            found.append(Break(line, LINE))
            at = line
    return found
