"""Tables that go on overleaf: joined to one, with one header."""

from __future__ import annotations

import re
from collections import Counter

from .pdf_flow import Piece
from .pdf_overleaf_rows import rows_below
from .pdf_places import table_places
from .pdf_table import Table, rest_of, with_rows

_CONTINUED = re.compile(
    r"\bcont(?:inued|inuation|['’]?d\b|\.)|\bfortsetzung|\bfortges|\bsuite\b|\bcontinuación|\bcontinua|続き|续|續|계속",
    re.IGNORECASE,
)
_LONGEST = 200
_REPEATED = "repeated table header"


class Overleaf:
    """Says of each page whether it begins with the rest of the last one's table (``goes_on``), and counts in
    characters what of its header or caption is left out since it stood there before (``dropped``)."""

    def __init__(self) -> None:
        self.goes_on = False
        self.dropped: Counter[str] = Counter()

    def joined(self, last: Piece | None, pieces: list[Piece]) -> list[Piece]:
        """The pieces of a page after one that ended with ``last``: the rest of its table without header."""
        self.goes_on = False
        if last is None or last.table is None:
            return pieces
        said = 1 if len(pieces) > 1 and _says_continued(pieces[0]) else 0
        piece = pieces[said]
        if piece.kind == "text":
            return self._with_last_rows(last, last.table, pieces, said)
        rest = rest_of(last.table, piece.table) if piece.table is not None else None
        if rest is None or piece.table is None or (said == 0 and piece.caption not in (None, last.caption)):
            return pieces
        self.goes_on = True
        left_out = sum(len(one.text) for one in pieces[:said])
        if len(rest.rows) == len(piece.table.rows):
            left_out += len(piece.table.header)
        if left_out:
            self.dropped[_REPEATED] += left_out
        return [_rest(rest, last), *pieces[said + 1 :]]

    def _with_last_rows(self, last: Piece, table: Table, pieces: list[Piece], said: int) -> list[Piece]:
        """The pieces of a page that may begin with the last rows of ``table``, too few to be one."""
        below = rows_below(table, pieces[said:])
        rest = with_rows(table, below.rows, below.box, below.stands) if below else None
        if below is None or rest is None:
            return pieces
        self.goes_on = True
        if left_out := below.repeated + sum(len(one.text) for one in pieces[:said]):
            self.dropped[_REPEATED] += left_out
        return [_rest(rest, last), *pieces[said + below.pieces :]]


def _rest(rest: Table, last: Piece) -> Piece:
    """The rest of a table as a piece that goes on with ``last``."""
    places = table_places(rest.text, rest.box, rest.stands)
    return Piece("table", rest.text, ((0, rest.box.y0),), rest.header, last.caption, rest, places)


def _says_continued(piece: Piece) -> bool:
    return piece.kind == "text" and len(piece.text) <= _LONGEST and bool(_CONTINUED.search(piece.text))
