"""Captions: which lines are one, and which table, listing or figure each belongs to."""

from __future__ import annotations

import re

_LONGEST = 300
_KINDS = (
    r"table|tabelle|tab\.|tableau|tabla|tabella|tabela|tabel|listing|example|exhibit|chart|figure|fig\.|abbildung|abb\."
    r"|figura|afbeelding|таблица|рисунок|рис\.|diagramm?|illustration|表|图|圖|図|표|그림|例"
)
_CAPTION = re.compile(rf"(?:{_KINDS})\s*[A-Z]?[\d.\-‑–]+", re.IGNORECASE)


def is_caption(line: str) -> bool:
    """Whether a line is a caption, as in "Table 3.2: Minimum sizes"."""
    return _CAPTION.match(line) is not None and len(line) <= _LONGEST
