"""Where pre-cut chunks stand in the document that they were cut from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..types import Cut


def locate(text: str, records: Sequence[tuple[str, str]]) -> tuple[str, tuple[Cut, ...]]:
    """The document's text and the place of each (id, text) record in it, in the order given.

    A record is sought from the end of the one before, then (chunks that overlap) from just after its
    start, then without regard to white space. Where one is not to be found at all, the document's text
    becomes that of its records, one after the other.
    """
    cuts: list[Cut] = []
    bare: _Bare | None = None
    start = end = 0
    for record, wanted in records:
        span = _find(text, wanted, end) or _find(text, wanted, start + 1 if cuts else 0)
        if span is None:
            bare = bare or _Bare(text)
            span = bare.find(wanted, end) or bare.find(wanted, start + 1 if cuts else 0)
        if span is None:
            return _joined(records)
        start, end = span
        cuts.append(Cut(record, start, end))
    return text, tuple(cuts)


def _find(text: str, wanted: str, start: int) -> tuple[int, int] | None:
    position = text.find(wanted, start)
    return None if position < 0 else (position, position + len(wanted))


class _Bare:
    """A text without its white space, and where each character of that stands in the text."""

    def __init__(self, text: str) -> None:
        self.places = [place for place, character in enumerate(text) if not character.isspace()]
        self.text = "".join(text.split())

    def find(self, wanted: str, start: int) -> tuple[int, int] | None:
        """The span in the full text of ``wanted`` at or after offset ``start`` there."""
        bare = "".join(wanted.split())
        position = self.text.find(bare, bisect_left(self.places, start))
        if position < 0 or not bare:
            return None
        return self.places[position], self.places[position + len(bare) - 1] + 1


def _joined(records: Sequence[tuple[str, str]]) -> tuple[str, tuple[Cut, ...]]:
    cuts: list[Cut] = []
    parts: list[str] = []
    offset = 0
    for record, text in records:
        cuts.append(Cut(record, offset, offset + len(text)))
        parts.append(text)
        offset += len(text) + 1
    return "\n".join(parts), tuple(cuts)
