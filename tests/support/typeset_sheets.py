"""The kinds of tables that are drawn: each a function from a random source to a sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

import pymupdf
from typeset_drawing import Cell, Table, draw_table, wrapped
from typeset_words import CHINESE, JAPANESE, Words

_LEFT = 72.0
_WIDTH = 450.0
Part = Callable[[pymupdf.Page, float], float]


@dataclass
class Sheet:
    """Parts drawn down each page, and the tables and captions among them."""

    pages: list[list[Part]] = field(default_factory=lambda: [[]])
    known: list[list[list[str]]] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)

    def text(self, text: str, size: float = 10, left: float = _LEFT, gap: float = 12) -> None:
        """A paragraph over the width of the page."""

        def draw(page: pymupdf.Page, y: float) -> float:
            for line in wrapped(text, _WIDTH, "helv", size):
                y += 1.3 * size
                page.insert_text((left, y), line, fontsize=size)
            return y + gap

        self.pages[-1].append(draw)

    def caption(self, text: str) -> None:
        """A caption, which belongs to the table beside it."""
        self.captions.append(text)
        self.text(text, 9, gap=8)

    def table(self, table: Table, left: float = _LEFT, known: bool = True, gap: float = 14) -> None:
        """A table; not ``known`` where it only goes on with one that is."""
        if known:
            self.known.append(table.grid())
        self.pages[-1].append(lambda page, y: draw_table(page, table, left, y) + gap)

    def down_to(self, height: float) -> None:
        """Go on at ``height``."""
        self.pages[-1].append(lambda page, y: max(y, height))

    def beside(self, *parts: tuple[Table, float, str | None]) -> None:
        """Tables side by side: each with its left side and the caption above it."""
        for table, _, caption in parts:
            self.known.append(table.grid())
            self.captions.extend([caption] if caption else [])

        def draw(page: pymupdf.Page, y: float) -> float:
            for _, left, caption in parts:
                if caption:
                    page.insert_text((left, y + 10), caption, fontsize=9)
            return max(draw_table(page, table, left, y + 18) for table, left, _ in parts) + 14

        self.pages[-1].append(draw)


def _begun(words: Words) -> Sheet:
    sheet = Sheet()
    sheet.text(words.prose(34))
    return sheet


def _ended(sheet: Sheet, words: Words) -> Sheet:
    sheet.text(words.prose(30))
    return sheet


def _rows(first: int, *columns: tuple[str, list[str]]) -> list[Cell]:
    return [
        Cell(first + row, number, text, align)
        for number, (align, texts) in enumerate(columns)
        for row, text in enumerate(texts)
    ]


def _head(titles: list[str], aligns: str, row: int = 0) -> list[Cell]:
    return [
        Cell(row, column, title, align)
        for column, (title, align) in enumerate(zip(titles, aligns, strict=True))
        if title
    ]


def _plain(words: Words, style: str, rows: int, font: str = "helv", multi: bool = False) -> Table:
    """A label, a sentence or two words, a number and a unit."""
    columns = (
        ("l", words.names(rows)),
        ("l", [words.prose(words.random.randint(6, 14)) if multi else words.name() for _ in range(rows)]),
        ("r", words.numbers(rows)),
        ("l", words.units(rows)),
    )
    widths = (110.0, 180.0 if multi else 130.0, 60.0, 50.0)
    titles = [words.name(1) for _ in widths]
    return Table((*_head(titles, "llrl"), *_rows(1, *columns)), widths, style=style)  # type: ignore[arg-type]


def ruled(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_plain(words, "ruled", random.randint(4, 9)))
    return _ended(sheet, words)


def ruled_lines(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.table(_plain(words, "ruled", random.randint(4, 7), multi=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def _spanning(words: Words, style: str, rows: int, **more: object) -> Table:
    """A header of two rows, the upper one over pairs of columns."""
    cells = [
        Cell(0, 0, words.name(1), "l", down=2),
        Cell(0, 1, words.name(1), "c", across=2),
        Cell(0, 3, words.name(1), "c", across=2),
        *(
            Cell(1, column, title, "r")
            for column, title in zip((1, 2, 3, 4), ("min", "max", "typ", "abs"), strict=True)
        ),
        *_rows(2, ("l", words.names(rows)), *(("r", words.numbers(rows)) for _ in range(4))),
    ]
    return Table(tuple(cells), (130.0, 66.0, 66.0, 66.0, 66.0), heads=2, style=style, **more)  # type: ignore[arg-type]


def ruled_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_spanning(words, "ruled", random.randint(4, 8)))
    return _ended(sheet, words)


def ruled_down(random: Random) -> Sheet:
    """Labels merged down over the rows of their group."""
    words = Words(random)
    cells = _head([words.name(1) for _ in range(4)], "llrl")
    row = 1
    for _ in range(random.randint(2, 4)):
        count = random.randint(2, 4)
        cells.append(Cell(row, 0, words.name(), "l", down=count))
        cells += [
            replace(cell, column=cell.column + 1)
            for cell in _rows(
                row, ("l", words.names(count)), ("r", words.numbers(count)), ("l", words.units(count))
            )
        ]
        row += count
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (120.0, 130.0, 70.0, 60.0)))
    return _ended(sheet, words)


def ruled_across(random: Random) -> Sheet:
    """Some values stand for two or three columns; one for two rows as well."""
    words = Words(random)
    rows = random.randint(5, 8)
    cells = _head([words.name(1), "Q1", "Q2", "Q3"], "lrrr")
    merged = set(random.sample(range(rows - 1), 2))
    for row in range(rows):
        cells.append(Cell(row + 1, 0, words.name(), "l"))
        if row in merged:
            width = random.randint(2, 3)
            cells.append(Cell(row + 1, 1, "not available" if width == 3 else "reserved", "c", across=width))
            cells += [Cell(row + 1, column, words.number(), "r") for column in range(1 + width, 4)]
        else:
            cells += [Cell(row + 1, column, words.number(), "r") for column in (1, 2, 3)]
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(Table(tuple(cells), (130.0, 80.0, 80.0, 80.0)))
    return _ended(sheet, words)


def ruled_sections(random: Random) -> Sheet:
    """Rows that hold one title over the whole width."""
    words = Words(random)
    cells = _head([words.name(1) for _ in range(3)], "lrl")
    row = 1
    for _ in range(3):
        cells.append(Cell(row, 0, words.name(3), "l", across=3))
        count = random.randint(2, 3)
        cells += _rows(
            row + 1, ("l", words.names(count)), ("r", words.numbers(count)), ("l", words.units(count))
        )
        row += count + 1
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (180.0, 90.0, 90.0)))
    return _ended(sheet, words)


def columns_ruled(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_plain(words, "columns", random.randint(5, 9)))
    return _ended(sheet, words)


def rows_ruled(random: Random) -> Sheet:
    """Rules between rows of several lines, none between columns."""
    words = Words(random)
    sheet = _begun(words)
    sheet.table(_plain(words, "rows", random.randint(4, 7), multi=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def _numbers(words: Words, style: str, rows: int) -> Table:
    """Numbers to the right, with their units on a header's second line."""
    titles = [words.name(1), *(f"{words.name(1)}\n({unit})" for unit in ("mA", "kW", "%"))]
    cells = _head(titles, "lrrr")
    cells += _rows(1, ("l", words.names(rows)), *(("r", words.numbers(rows)) for _ in range(3)))
    return _joined(Table(tuple(cells), (150.0, 80.0, 80.0, 80.0), style=style))  # type: ignore[arg-type]


def _joined(table: Table) -> Table:
    return table


def book(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_numbers(words, "book", random.randint(5, 9)))
    return _ended(sheet, words)


def book_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.table(_spanning(words, "book", random.randint(4, 8), ruled_heads=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def book_notes(random: Random) -> Sheet:
    """Marks at figures, and the notes below."""
    words = Words(random)
    table = _numbers(words, "book", random.randint(5, 8))
    body = [cell for cell in table.cells if cell.row > 0 and cell.column == 2]
    marked = dict(zip(random.sample(body, 2), ("a", "b"), strict=True))
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(
        replace(table, cells=tuple(replace(cell, mark=marked.get(cell, "")) for cell in table.cells)), gap=2
    )
    sheet.text(f"a  {words.prose(8)}", 7, gap=0)
    sheet.text(f"b  {words.prose(9)}", 7)
    return _ended(sheet, words)


def bare(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_numbers(words, "none", random.randint(5, 9)))
    return _ended(sheet, words)


def bare_lines(random: Random) -> Sheet:
    """Cells of several lines with nothing but space between the rows."""
    words = Words(random)
    table = _plain(words, "none", random.randint(4, 6), multi=True)
    sheet = _begun(words)
    sheet.table(replace(table, groups=frozenset(range(1, table.rows))))
    return _ended(sheet, words)


def bare_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_spanning(words, "none", random.randint(5, 8)))
    return _ended(sheet, words)


def _overleaf(words: Words, table: Table, repeated: bool, again: str = "") -> Sheet:
    rows = table.rows - table.heads
    cut = words.random.randint(3, rows - 3)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.known.append(table.grid())
    sheet.down_to(420)
    sheet.table(table.part(0, cut, header=True), known=False)
    sheet.pages.append([])
    if again:
        sheet.text(again, 9, gap=8)
    sheet.table(table.part(cut, rows, header=repeated), known=False)
    for _ in range(4):  # so that what is at the head and foot of each page is known to be running
        _ended(sheet, words)
        sheet.pages.append([])
    return _ended(sheet, words)


def over_repeated(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, _plain(words, "ruled", random.randint(9, 13)), repeated=True)


def over_bare(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, _plain(words, "ruled", random.randint(9, 13)), repeated=False)


def over_span(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, _spanning(words, "ruled", random.randint(9, 13)), repeated=True)


def over_book(random: Random) -> Sheet:
    words = Words(random)
    table = _numbers(words, "book", random.randint(9, 13))
    return _overleaf(words, table, repeated=True, again=f"Table {random.randint(1, 9)} (continued)")


def over_book_bare(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, _numbers(words, "book", random.randint(9, 13)), repeated=False)


def beside_ruled(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.beside(
        (_pairs(words, "ruled", random.randint(4, 7)), _LEFT, words.caption("Table")),
        (_pairs(words, "ruled", random.randint(4, 7)), _LEFT + 240, words.caption("Table")),
    )
    return _ended(sheet, words)


def beside_bare(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.beside(
        (_pairs(words, "book", random.randint(5, 7)), _LEFT, words.caption("Table")),
        (_pairs(words, "book", random.randint(5, 7)), _LEFT + 240, words.caption("Table")),
    )
    return _ended(sheet, words)


def _pairs(words: Words, style: str, rows: int) -> Table:
    cells = _head([words.name(1), words.name(1), words.name(1)], "lrl")
    cells += _rows(1, ("l", words.names(rows, 1)), ("r", words.numbers(rows)), ("l", words.units(rows)))
    return Table(tuple(cells), (90.0, 60.0, 50.0), style=style)  # type: ignore[arg-type]


def _foreign(random: Random, lexicon: tuple[str, ...], font: str, style: str) -> Sheet:
    words = Words(random)
    rows = random.randint(4, 7)
    cells = _head(random.sample(lexicon, 3), "lrl")
    cells += _rows(
        1, ("l", random.sample(lexicon, rows)), ("r", words.numbers(rows)), ("l", words.units(rows))
    )
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (120.0, 90.0, 90.0), style=style, font=font))  # type: ignore[arg-type]
    return _ended(sheet, words)


def chinese(random: Random) -> Sheet:
    return _foreign(random, CHINESE, "china-s", "ruled")


def japanese(random: Random) -> Sheet:
    return _foreign(random, JAPANESE, "japan", "book")


def turned(random: Random) -> Sheet:
    """A header whose titles run upwards."""
    words = Words(random)
    rows = random.randint(4, 8)
    cells = [Cell(0, 0, words.name(1))]
    cells += [Cell(0, column, words.name(2), turned=True) for column in (1, 2, 3, 4)]
    cells += _rows(1, ("l", words.names(rows)), *(("c", words.numbers(rows)) for _ in range(4)))
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (150.0, 50.0, 50.0, 50.0, 50.0)))
    return _ended(sheet, words)


def shaded(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(_plain(words, "shaded", random.randint(5, 9)))
    return _ended(sheet, words)


SHEETS: dict[str, Callable[[Random], Sheet]] = {
    make.__name__: make
    for make in (
        ruled,
        ruled_lines,
        ruled_span,
        ruled_down,
        ruled_across,
        ruled_sections,
        columns_ruled,
        rows_ruled,
        book,
        book_span,
        book_notes,
        bare,
        bare_lines,
        bare_span,
        over_repeated,
        over_bare,
        over_span,
        over_book,
        over_book_bare,
        beside_ruled,
        beside_bare,
        chinese,
        japanese,
        turned,
        shaded,
    )
}
"""Every kind by its name."""
