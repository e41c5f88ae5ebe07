"""A table of a PDF: its header in one row, its rows, and how it goes on overleaf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..table_rows import without_repeats
from .pdf_page import Box
from .tables import markdown_table

Side = tuple[int, int]
"""Where a column begins and ends, in tenths of a point."""
Stand = tuple[int, str]
"""How far down a line stands, and its text."""


class Table(NamedTuple):
    """A table: its Markdown, its header's cells in one line, and the rectangle that it stands in.

    ``rows`` are its cells, the header's first; ``sides`` say where its columns stand. ``is_told`` is False
    where nothing but its place says that the first row is a header. ``title`` is a line over all columns that
    stood on top of it. ``stands`` are the lines that it was made of, downwards.
    """

    text: str
    header: str
    box: Box
    rows: tuple[tuple[str, ...], ...] = ()
    sides: tuple[Side, ...] = ()
    is_told: bool = False
    title: str = ""
    stands: tuple[Stand, ...] = ()

    @property
    def title_box(self) -> Box:
        """Where its title stands: above the first line that is none of it."""
        below = next((height for height, text in self.stands if text not in self.title), self.box.y1)
        return self.box._replace(y1=below) if below > self.box.y0 else self.box


def make_table(
    rows: Sequence[Sequence[str]],
    box: Box,
    sides: Sequence[Side],
    told: bool,
    title: str = "",
    stands: Iterable[Stand] = (),
) -> Table | None:
    """The table of ``rows``, the header first; None where there is no cell."""
    text = markdown_table(rows)
    if not text:
        return None
    held = tuple(map(tuple, rows))
    return Table(text, join_header(rows[0]), box, held, tuple(sides), told, title, tuple(stands))


def join_header(cells: Sequence[str]) -> str:
    """The texts of a header's cells in one line; a title over several columns only once."""
    told = filter(None, cells)
    line = without_repeats(f"| {' | '.join(told)} |")
    return line[2:-2]


def rest_of(first: Table, second: Table) -> Table | None:
    """The rows of ``second`` as those with which ``first`` goes on, without the header if it is repeated.

    None where ``second`` is a table of its own: other columns, or another header.
    """
    if not first.rows or not second.rows or len(first.rows[0]) != len(second.rows[0]):
        return None
    if not _same_columns(first.sides, second.sides):
        return None
    repeated = same_cells(first.rows[0], second.rows[0])
    if not repeated and second.is_told:
        return None
    rows = second.rows[1:] if repeated else second.rows
    written = markdown_table([first.rows[0], *rows])
    if not rows or written is None:
        return None
    text = written.split("\n", 2)[2]
    return second._replace(text=text, header=first.header, rows=(first.rows[0], *rows), is_told=first.is_told)


def with_rows(first: Table, rows: Sequence[Sequence[str]], box: Box, stands: Iterable[Stand]) -> Table | None:
    """``rows`` with the header of ``first``, as :func:`rest_of` gives them; None where there is no cell."""
    made = make_table([first.rows[0], *rows], box, first.sides, first.is_told, stands=stands)
    return None if made is None else made._replace(text=made.text.split("\n", 2)[2], header=first.header)


def same_cells(row: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two rows say the same, but for white space and case."""
    return _plain(row) == _plain(other)


def _plain(row: Sequence[str]) -> list[str]:
    return ["".join(cell.split()).casefold() for cell in row]


def _same_columns(first: Sequence[Side], second: Sequence[Side]) -> bool:
    """Whether columns stand below each other: each shares room with its own one more than with the next."""
    return all(
        min(one[1], other[1]) > max(one[0], other[0]) for one, other in zip(first, second, strict=True)
    )
