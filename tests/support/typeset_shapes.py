"""Tables of random words and numbers, in the shapes that the sheets draw in several styles."""

from __future__ import annotations

from typing import Any

from typeset_drawing import Cell, Style, Table
from typeset_words import Words


def body(first: int, *columns: tuple[str, list[str]]) -> list[Cell]:
    """Columns of (alignment, texts) as cells from the row ``first`` on."""
    return [
        Cell(first + row, number, text, align)
        for number, (align, texts) in enumerate(columns)
        for row, text in enumerate(texts)
    ]


def head(titles: list[str], aligns: str, row: int = 0) -> list[Cell]:
    """Titles as the cells of a header, those that are empty left out."""
    return [
        Cell(row, column, title, align)
        for column, (title, align) in enumerate(zip(titles, aligns, strict=True))
        if title
    ]


def plain(words: Words, style: Style, rows: int, font: str = "helv", multi: bool = False) -> Table:
    """A label, a sentence or two words, a number and a unit."""
    columns = (
        ("l", words.names(rows)),
        ("l", [words.prose(words.random.randint(6, 14)) if multi else words.name() for _ in range(rows)]),
        ("r", words.numbers(rows)),
        ("l", words.units(rows)),
    )
    widths = (110.0, 180.0 if multi else 130.0, 60.0, 50.0)
    titles = [words.name(1) for _ in widths]
    return Table((*head(titles, "llrl"), *body(1, *columns)), widths, style=style)


def spanning(words: Words, style: Style, rows: int, **more: Any) -> Table:
    """A header of two rows, the upper one over pairs of columns."""
    cells = [
        Cell(0, 0, words.name(1), "l", down=2),
        Cell(0, 1, words.name(1), "c", across=2),
        Cell(0, 3, words.name(1), "c", across=2),
        *(
            Cell(1, column, title, "r")
            for column, title in zip((1, 2, 3, 4), ("min", "max", "typ", "abs"), strict=True)
        ),
        *body(2, ("l", words.names(rows)), *(("r", words.numbers(rows)) for _ in range(4))),
    ]
    return Table(tuple(cells), (130.0, 66.0, 66.0, 66.0, 66.0), heads=2, style=style, **more)


def numbers(words: Words, style: Style, rows: int) -> Table:
    """Numbers to the right, with their units on a header's second line."""
    titles = [words.name(1), *(f"{words.name(1)}\n({unit})" for unit in ("mA", "kW", "%"))]
    cells = head(titles, "lrrr")
    cells += body(1, ("l", words.names(rows)), *(("r", words.numbers(rows)) for _ in range(3)))
    return Table(tuple(cells), (150.0, 80.0, 80.0, 80.0), style=style)


def pairs(words: Words, style: Style, rows: int) -> Table:
    """A narrow table: a label, a number, a unit."""
    cells = head([words.name(1), words.name(1), words.name(1)], "lrl")
    cells += body(1, ("l", words.names(rows, 1)), ("r", words.numbers(rows)), ("l", words.units(rows)))
    return Table(tuple(cells), (90.0, 60.0, 50.0), style=style)
