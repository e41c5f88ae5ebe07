"""Tables that go on overleaf: joined to one, with one header."""

from __future__ import annotations

import re
from collections import Counter

from .pdf_flow import Piece
from .pdf_places import table_places
from .pdf_table import rest_of

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
        rest = rest_of(last.table, piece.table) if piece.table is not None else None
        if rest is None or piece.table is None or (said == 0 and piece.caption not in (None, last.caption)):
            return pieces
        self.goes_on = True
        left_out = sum(len(one.text) for one in pieces[:said])
        if len(rest.rows) == len(piece.table.rows):
            left_out += len(piece.table.header)
        if left_out:
            self.dropped[_REPEATED] += left_out
        places = table_places(rest.text, rest.box, rest.stands)
        joined = piece._replace(text=rest.text, table=rest, caption=last.caption, places=places)
        return [joined, *pieces[said + 1 :]]


def _says_continued(piece: Piece) -> bool:
    return piece.kind == "text" and len(piece.text) <= _LONGEST and bool(_CONTINUED.search(piece.text))
