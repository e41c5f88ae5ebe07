"""Rows of one region become pieces of text: paragraphs, listings, and lines that stand alone."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from .pdf_code import Pitches, listing
from .pdf_places import Strips, places_of, table_places
from .pdf_rows import Row, begins_item
from .pdf_rules import Rule
from .pdf_table import Table
from .pdf_tables import find_tables
from .pdf_text import is_divided, is_ideographic, join_lines, shorten_leaders

_SENTENCE_ENDS = frozenset(".!?:;\u3002\uff01\uff1f\uff1a")
_RTL = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class Piece(NamedTuple):
    """A paragraph, listing, table or figure. ``marks`` are (offset in ``text``, height on the page) of its
    lines, ``places`` where the text from an offset on stands, up to the next one's. ``rows`` are those that a
    paragraph was made of."""

    kind: Literal["text", "code", "table", "figure"]
    text: str
    marks: tuple[tuple[int, int], ...]
    header: str | None = None
    caption: str | None = None
    table: Table | None = None
    places: Strips = ()
    rows: tuple[Row, ...] = ()


class _Shape(NamedTuple):
    """The usual distance between a region's baselines, and its sides."""

    lead: float
    left: int
    right: int


class Flow:
    """Turns the rows of a document's regions into pieces.

    ``words`` are those of the document, to mend divided ones by; with ``tables`` rows whose cells stand
    below each other become tables.
    """

    def __init__(self, pitches: Pitches, words: Container[str], tables: bool) -> None:
        self._pitches = pitches
        self._words = words
        self._tables = tables

    def pieces(self, rows: list[Row], drawn: Sequence[Table], rules: Sequence[Rule] = ()) -> list[Piece]:
        """The pieces of one region. ``drawn`` are the page's ruled tables, which rows may stand for, and
        ``rules`` its level ones."""
        found: list[Piece] = []
        if not rows:
            return found
        shape = _Shape(_leading(rows), min([row.x0 for row in rows]), max([row.x1 for row in rows]))
        start = 0
        for index, row in enumerate(rows):
            if row.table is not None:
                found.extend(self._unruled(rows[start:index], shape, rules))
                found.extend(_table_pieces(drawn[row.table]))
                start = index + 1
        found.extend(self._unruled(rows[start:], shape, rules))
        return found

    def _unruled(self, rows: list[Row], shape: _Shape, rules: Sequence[Rule]) -> Iterator[Piece]:
        code = [self._pitches.is_code(row) for row in rows]
        _settle_code(rows, code, shape.lead)
        start = 0
        tables = find_tables(rows, code, shape.lead, self._words, rules) if self._tables else ()
        for first, end, table in tables:
            yield from self._running(rows[start:first], code[start:first], shape)
            yield from _table_pieces(table)
            start = end
        yield from self._running(rows[start:], code[start:], shape)

    def _running(self, rows: list[Row], code: list[bool], shape: _Shape) -> Iterator[Piece]:
        """Paragraphs and listings."""
        for start, end in _runs(rows, code, shape.lead):
            run = rows[start:end]
            if code[start]:
                yield _listing(run)
                continue
            mirrored = _mirrored(run)
            right = _right_edge(run, shape) if mirrored is run else max([row.x1 for row in mirrored])
            yield from _paragraphs(mirrored, run, right, self._words)


def _table_pieces(table: Table) -> Iterator[Piece]:
    """A table, after the title that stood inside it, if any."""
    top = ((0, table.box.y0),)
    if table.title:
        yield Piece("text", table.title, top, places=((0, table.title_box),))
    places = table_places(table.text, table.box, table.stands)
    yield Piece("table", table.text, top, table.header, table.title or None, table, places)


def _leading(rows: list[Row]) -> float:
    """The distance between the baselines of a region's rows within a paragraph: one of the smaller ones."""
    gaps = [
        below.base - above.base
        for above, below in pairwise(rows)
        if 0.9 * below.size < below.base - above.base < 2.6 * below.size
    ]
    return sorted(gaps)[len(gaps) // 3] if len(gaps) > 2 else min([1.25 * rows[0].size, *gaps])


def _settle_code(rows: list[Row], code: list[bool], lead: float) -> None:
    """A lone row that looks like code inside a paragraph is prose that begins with a code word."""
    for index, row in enumerate(rows):
        if not code[index]:
            continue
        above = index > 0 and not code[index - 1] and row.base - rows[index - 1].base < 1.17 * lead
        below = (
            index + 1 < len(rows) and not code[index + 1] and rows[index + 1].base - row.base < 1.17 * lead
        )
        alone = not (index > 0 and code[index - 1]) and not (index + 1 < len(rows) and code[index + 1])
        aligned = above and abs(rows[index - 1].x0 - row.x0) < 0.3 * row.size
        if alone and above and (below or aligned):
            code[index] = False


def _runs(rows: list[Row], code: list[bool], lead: float) -> Iterator[tuple[int, int]]:
    """Stretches of rows (start, end) without a visible break between them."""
    start = 0
    if not rows:
        return
    for index in range(1, len(rows)):
        above, row = rows[index - 1], rows[index]
        gap = row.base - above.base
        if code[index] != code[index - 1]:
            apart = True
        elif code[index]:
            apart = gap > 2.6 * max(lead, row.size)
        else:
            apart = gap > 1.17 * max(lead, 1.05 * row.size) or _differ_in_size(above, row)
        if apart:
            yield start, index
            start = index
    yield start, len(rows)


def _differ_in_size(above: Row, row: Row) -> bool:
    """Whether two rows are set in clearly different sizes: a row's size is its first letter's.

    A step's large number says little of the words after it: there the width of a letter decides.
    """
    if abs(row.size - above.size) <= 0.12 * row.size:
        return False
    if not (above.cells[0].text[0].isdigit() or row.cells[0].text[0].isdigit()):
        return True
    first, second = sorted((_letter_width(above), _letter_width(row)))
    return second > 1.12 * first


def _letter_width(row: Row) -> float:
    return sum(cell.x1 - cell.x0 for cell in row.cells) / sum(len(cell.text) for cell in row.cells)


def _listing(rows: list[Row]) -> Piece:
    lines: list[str] = []
    marks: list[tuple[int, int]] = []
    length = 0
    lead = _leading(rows)
    for index, line in enumerate(listing(rows)):
        if index and rows[index].base - rows[index - 1].base > 1.6 * lead:
            lines.append("")
            length += 1
        marks.append((length, rows[index].y0))
        lines.append(line)
        length += len(line) + 1
    places = places_of(rows, [offset for offset, _ in marks], length)
    return Piece("code", "\n".join(lines), tuple(marks), places=places)


def _mirrored(run: list[Row]) -> list[Row]:
    """Rows of a script that runs from right to left with their sides exchanged: the rules then hold."""
    if all(row.cells[0].text.isascii() for row in run):
        return run
    if 2 * sum(1 for row in run if _RTL.search(row.cells[0].text)) <= len(run):
        return run
    return [row._replace(x0=-row.x1, x1=-row.x0, cells=row.cells[::-1]) for row in run]


def _right_edge(run: list[Row], shape: _Shape) -> int:
    """How far the lines of a run could reach: as far as the longest of them does.

    A short run of short lines (an address, commands) does not say: there it is the region's edge.
    """
    right = max(row.x1 for row in run)
    reaching = sum(1 for row in run if row.x1 > right - row.size)
    narrow = right < shape.left + 0.7 * (shape.right - shape.left)
    return shape.right if narrow and (len(run) < 4 or 2 * reaching < len(run)) else right


def _paragraphs(run: list[Row], shown: list[Row], right: int, words: Container[str]) -> Iterator[Piece]:
    """One run of rows as paragraphs: lines joined, lines that end early kept apart by a line break.
    ``shown`` are the rows as they stand on the page."""
    text = shorten_leaders(run[0].text)
    marks, offsets = [(0, run[0].y0)], [0]
    first = begun = 0
    for index in range(1, len(run)):
        above, row = run[index - 1], run[index]
        line = shorten_leaders(row.text)
        how = _between(above, row, right, first == index - 1, text)
        if how == "paragraph":
            yield _paragraph(text, marks, shown[begun:index], offsets)
            text, marks, offsets, first, begun = line, [(0, row.y0)], [], index, index
        elif how == "line":
            text = f"{text}\n{line}"
            marks.append((len(text) - len(line), row.y0))
            first = index
        else:
            text = join_lines(text, line, words)
        offsets.append(max(0, len(text) - len(line)))
    yield _paragraph(text, marks, shown[begun:], offsets)


def _paragraph(
    text: str, marks: Sequence[tuple[int, int]], rows: Sequence[Row], offsets: Sequence[int]
) -> Piece:
    return Piece("text", text, tuple(marks), places=places_of(rows, offsets, len(text)), rows=tuple(rows))


def _between(
    above: Row, row: Row, right: int, above_is_first: bool, written: str
) -> Literal["paragraph", "line", "join"]:
    """How ``row`` follows ``above``: in a new paragraph, on a new line, or on the same one.

    ``written`` is the paragraph so far; it ends with ``above``.
    """
    size = row.size
    if " ..." in written[-14:]:
        return "line"
    if is_divided(written, row.cells[0].text) and len(row.cells) == 1:
        return "join"
    if begins_item(row.cells[0].text) and (above.x1 < right - 2 * size or row.x0 <= above.x0 + size):
        return "line"
    if len(row.cells) > 1:
        return "line"
    shift = row.x0 - above.x0
    hangs = above_is_first and (len(above.cells) > 1 or begins_item(above.cells[0].text))
    if len(above.cells) > 1:
        return "join" if abs(row.x0 - above.cells[-1].x0) < 0.6 * size else "line"
    if _ends_early(above, row, right):
        return "paragraph" if shift > 0.8 * size and not hangs else "line"
    if shift > 0.8 * size and not hangs:
        ended = written[-1] in _SENTENCE_ENDS
        return "paragraph" if ended or not above_is_first else "join"
    if shift < -0.8 * size and not above_is_first:
        return "line"
    return "join"


def _ends_early(above: Row, row: Row, right: int) -> bool:
    """Whether the first word of ``row`` would have found room at the end of ``above``."""
    text = row.cells[0].text
    if is_ideographic(text[0]):
        return right - above.x1 > 2.5 * row.size
    letters = text.find(" ") if " " in text else len(text)
    width = (row.cells[0].x1 - row.cells[0].x0) / len(text)
    return right - above.x1 > width * (letters + 1) + 0.3 * row.size
