"""Captions: which lines are one, and which table, listing or figure each belongs to."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from ..sentences import sentence_ends
from .pdf_flow import Piece

_LONGEST = 300
_HEADING = 90
_LEAD = 120
"""A longer sentence would push the header out of what situates a part of the table."""
_FULL_STOPS = (".", "。", "．", ";", ",", ":", "：")
_POINTS = re.compile(
    r"\btables?\b|\bfollow|\bbelow\b|:$|\btabelle|\bfolgend|\bnachstehend|\btableau|\bsuivant|\btabla|\bsiguiente"
    r"|表|如下|以下|次の|下記|다음|아래",
    re.IGNORECASE,
)
_KINDS = (
    r"table|tabelle|tab\.|tableau|tabla|tabella|tabela|tabel|listing|example|exhibit|chart|figure|fig\.|abbildung|abb\."
    r"|figura|afbeelding|таблица|рисунок|рис\.|diagramm?|illustration|表|图|圖|図|표|그림|例"
)
_FIGURE = re.compile(
    r"(?:figure|fig\.|abbildung|abb\.|figura|afbeelding|рисунок|рис\.|chart|diagramm?|illustration|图|圖|図|그림)"
    r"\s*[A-Z]?\d[\d.\-‑–]*\s*(?:[:.–—|-]|$|(?=[A-Z\u0410-\u042f\u3040-\uffff]))",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\d\s+[a-z]")
_CAPTION = re.compile(rf"(?:{_KINDS})\s*[A-Z]?[\d.\-‑–]+", re.IGNORECASE)


def is_caption(line: str) -> bool:
    """Whether a line is a caption, as in "Table 3.2: Minimum sizes"."""
    return _CAPTION.match(line) is not None and len(line) <= _LONGEST


def is_figure_caption(text: str) -> bool:
    """Whether a paragraph is a figure's caption, as in "Figure 3: The pump", and none that speaks of one."""
    match = _FIGURE.match(text)
    return match is not None and len(text) <= _LONGEST and not _SAYS.match(text, max(0, match.end() - 2))


def with_captions(pieces: Sequence[Piece]) -> list[Piece]:
    """``pieces`` with each table, listing and description of a figure told its caption, if the paragraph
    before or after is one; a table without one what leads to it. A figure's caption that belongs to none of
    them stands for it."""
    told: list[Piece] = []
    for index, piece in enumerate(pieces):
        if piece.kind != "text" and piece.caption is None:
            before = pieces[index - 1] if index else None
            after = pieces[index + 1] if index + 1 < len(pieces) else None
            captions = (_caption(other) for other in (before, after) if other and other.kind == "text")
            caption = next(filter(None, captions), None)
            if caption is None and piece.kind == "table" and before is not None and before.kind == "text":
                caption = _lead(before.text)
            piece = piece._replace(caption=caption)
        told.append(piece)
    taken = {piece.caption for piece in told}
    return [_as_figure(piece, taken) for piece in told]


def _as_figure(piece: Piece, taken: Container[str | None]) -> Piece:
    """A paragraph as a figure, if it is the caption of one."""
    if piece.kind != "text" or not is_figure_caption(piece.text):
        return piece
    caption = " ".join(piece.text.split())
    return piece if caption in taken else piece._replace(kind="figure", caption=caption)


def _caption(piece: Piece) -> str | None:
    return next((line for line in piece.text.split("\n") if is_caption(line)), None)


def _lead(text: str) -> str | None:
    """What leads from a paragraph to the table below it: a last sentence that speaks of it.

    A short line without a full stop does not: where it is a heading the section says it, and as often it is
    what was left over of the table's own header.
    """
    line = text.rstrip().rsplit("\n", 1)[-1].strip()
    ends = [end for end in sentence_ends(line) if end < len(line)]
    last = line[ends[-1] if ends else 0 :].strip()
    is_said = last.endswith(_FULL_STOPS) or len(last) > _HEADING
    return last if is_said and len(last) <= _LEAD and _POINTS.search(last) else None
