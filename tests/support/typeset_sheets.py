"""The kinds of tables that are drawn: each a function from a random source to a sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from typeset_drawing import Cell, Style, Table
from typeset_shapes import body, head, numbers, pairs, plain, spanning
from typeset_sheet import LEFT, Sheet
from typeset_words import CHINESE, JAPANESE, Words


def _begun(words: Words) -> Sheet:
    sheet = Sheet()
    sheet.text(words.prose(34))
    return sheet


def _ended(sheet: Sheet, words: Words) -> Sheet:
    sheet.text(words.prose(30))
    return sheet


def ruled(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(plain(words, "ruled", random.randint(4, 9)))
    return _ended(sheet, words)


def ruled_lines(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.table(plain(words, "ruled", random.randint(4, 7), multi=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def ruled_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(spanning(words, "ruled", random.randint(4, 8)))
    return _ended(sheet, words)


def ruled_down(random: Random) -> Sheet:
    """Labels merged down over the rows of their group."""
    words = Words(random)
    cells = head([words.name(1) for _ in range(4)], "llrl")
    row = 1
    for _ in range(random.randint(2, 4)):
        count = random.randint(2, 4)
        cells.append(Cell(row, 0, words.name(), "l", down=count))
        cells += [
            replace(cell, column=cell.column + 1)
            for cell in body(
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
    cells = head([words.name(1), "Q1", "Q2", "Q3"], "lrrr")
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
    cells = head([words.name(1) for _ in range(3)], "lrl")
    row = 1
    for _ in range(3):
        cells.append(Cell(row, 0, words.name(3), "l", across=3))
        count = random.randint(2, 3)
        cells += body(
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
    sheet.table(plain(words, "columns", random.randint(5, 9)))
    return _ended(sheet, words)


def rows_ruled(random: Random) -> Sheet:
    """Rules between rows of several lines, none between columns."""
    words = Words(random)
    sheet = _begun(words)
    sheet.table(plain(words, "rows", random.randint(4, 7), multi=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def book(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(numbers(words, "book", random.randint(5, 9)))
    return _ended(sheet, words)


def book_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.table(spanning(words, "book", random.randint(4, 8), ruled_heads=True), gap=4)
    sheet.caption(words.caption("Table"))
    return _ended(sheet, words)


def book_notes(random: Random) -> Sheet:
    """Marks at figures, and the notes below."""
    words = Words(random)
    table = numbers(words, "book", random.randint(5, 8))
    figures = [cell for cell in table.cells if cell.row > 0 and cell.column == 2]
    marked = dict(zip(random.sample(figures, 2), ("a", "b"), strict=True))
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
    sheet.table(numbers(words, "none", random.randint(5, 9)))
    return _ended(sheet, words)


def bare_lines(random: Random) -> Sheet:
    """Cells of several lines with nothing but space between the rows."""
    words = Words(random)
    table = plain(words, "none", random.randint(4, 6), multi=True)
    sheet = _begun(words)
    sheet.table(replace(table, groups=frozenset(range(1, table.rows))))
    return _ended(sheet, words)


def bare_span(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(spanning(words, "none", random.randint(5, 8)))
    return _ended(sheet, words)


def _overleaf(words: Words, table: Table, repeated: bool, again: str = "", last: int = 0) -> Sheet:
    """``last`` rows stand overleaf; where it is 0, three or more."""
    rows = table.rows - table.heads
    cut = rows - last if last else words.random.randint(3, rows - 3)
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
    return _overleaf(words, plain(words, "ruled", random.randint(9, 13)), repeated=True)


def over_bare(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, plain(words, "ruled", random.randint(9, 13)), repeated=False)


def over_span(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, spanning(words, "ruled", random.randint(9, 13)), repeated=True)


def over_book(random: Random) -> Sheet:
    words = Words(random)
    table = numbers(words, "book", random.randint(9, 13))
    return _overleaf(words, table, repeated=True, again=f"Table {random.randint(1, 9)} (continued)")


def over_book_bare(random: Random) -> Sheet:
    words = Words(random)
    return _overleaf(words, numbers(words, "book", random.randint(9, 13)), repeated=False)


def over_last(random: Random) -> Sheet:
    """One row alone overleaf."""
    words = Words(random)
    return _overleaf(words, plain(words, "ruled", random.randint(5, 9)), repeated=False, last=1)


def over_last_lines(random: Random) -> Sheet:
    """One row of several lines alone overleaf, without rules."""
    words = Words(random)
    table = plain(words, "rows", random.randint(5, 9), multi=True)
    return _overleaf(words, table, repeated=False, last=1)


def over_last_book(random: Random) -> Sheet:
    """One row alone overleaf, below its header."""
    words = Words(random)
    return _overleaf(words, numbers(words, "book", random.randint(5, 9)), repeated=True, last=1)


def beside_ruled(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.beside(
        (pairs(words, "ruled", random.randint(4, 7)), LEFT, words.caption("Table")),
        (pairs(words, "ruled", random.randint(4, 7)), LEFT + 240, words.caption("Table")),
    )
    return _ended(sheet, words)


def beside_bare(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.beside(
        (pairs(words, "book", random.randint(5, 7)), LEFT, words.caption("Table")),
        (pairs(words, "book", random.randint(5, 7)), LEFT + 240, words.caption("Table")),
    )
    return _ended(sheet, words)


def _foreign(random: Random, lexicon: tuple[str, ...], font: str, style: Style) -> Sheet:
    words = Words(random)
    rows = random.randint(4, 7)
    cells = head(random.sample(lexicon, 3), "lrl")
    cells += body(
        1, ("l", random.sample(lexicon, rows)), ("r", words.numbers(rows)), ("l", words.units(rows))
    )
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (120.0, 90.0, 90.0), style=style, font=font))
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
    cells += body(1, ("l", words.names(rows)), *(("c", words.numbers(rows)) for _ in range(4)))
    sheet = _begun(words)
    sheet.table(Table(tuple(cells), (150.0, 50.0, 50.0, 50.0, 50.0)))
    return _ended(sheet, words)


def shaded(random: Random) -> Sheet:
    words = Words(random)
    sheet = _begun(words)
    sheet.caption(words.caption("Table"))
    sheet.table(plain(words, "shaded", random.randint(5, 9)))
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
        over_last,
        over_last_lines,
        over_last_book,
        beside_ruled,
        beside_bare,
        chinese,
        japanese,
        turned,
        shaded,
    )
}
"""Every kind by its name."""
