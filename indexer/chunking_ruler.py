"""A document's text measured in tokens, once."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from .models.ports import Tokenizer
from .table_rows import said_again

Span = tuple[int, int]

_SPACE = re.compile(r"\s*")
_LONG_WORD = 64
_RULES = frozenset("|-:")


class Ruler:
    """``text`` with the ends of its tokens, so that any stretch is counted by two bisections.

    The bars and dashes that rule a Markdown table do not count, nor what its header says again for each
    column: they are not indexed either, and a table of figures is half made of them.
    """

    def __init__(self, text: str, tokenizer: Tokenizer, tables: Sequence[Span] = ()) -> None:
        self.text = text
        self._tokenizer = tokenizer
        self._ends = array("Q", _without_rules(text, tokenizer.ends(text), tables))

    def position(self, offset: int) -> int:
        """How many tokens end at or before ``offset``."""
        return bisect_right(self._ends, offset)

    def tokens(self, start: int, end: int) -> int:
        """Number of tokens between two offsets."""
        return bisect_right(self._ends, end) - bisect_right(self._ends, start)

    def skip(self, offset: int) -> int:
        """The offset of the first character from ``offset`` on that is not whitespace (or the end)."""
        found = _SPACE.match(self.text, offset)
        return found.end() if found else offset

    def ink(self, span: Span) -> Span:
        """The span without the whitespace around it; the span itself where it holds nothing else."""
        text = self.text[span[0] : span[1]]
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        return (span[0] + start, span[0] + end) if end > start else span

    def reach(self, start: int, size: int, stop: int) -> int:
        """The furthest good place to cut after ``start`` within ``size`` tokens, at most ``stop``.

        After whitespace if there is any, else after a token, else after one character; always past
        ``start``. Whitespace that follows is included.
        """
        last = self.position(start) + size
        if last >= len(self._ends) or self._ends[last] > stop:
            return stop
        while last and self._ends[last - 1] == self._ends[last]:
            last -= 1  # the token that is one too many shares its end with those before: all stay out
        end = self._ends[last - 1] if last else 0
        return min(stop, self.skip(self._word_start(start, end)))

    def _word_start(self, start: int, end: int) -> int:
        """The start of the word that ``end`` stands in, if there is ink before it, else ``end`` itself."""
        first = self.skip(start)
        end = max(end, first + 1)
        if end >= len(self.text) or self.text[end].isspace():
            return min(end, len(self.text))
        for at in range(end, max(first, end - _LONG_WORD), -1):
            if self.text[at - 1].isspace():
                return at
        return end

    def within(self, span: Span, size: int) -> list[Span]:
        """The span, or parts of it where it holds more than ``size`` tokens when counted by itself.

        A cut inside a word changes how the rest of it is counted, if by little.
        """
        if not (self._inside_word(span[0]) or self._inside_word(span[1])):
            return [span]
        parts: list[Span] = []
        start = span[0]
        while start < span[1]:
            end = self.reach(start, size, span[1])
            while end - self.skip(start) > 1 and (held := self._tokenizer.count(self.text[start:end])) > size:
                end = self._word_start(start, start + max(1, (end - start) * size // held))
            end = min(span[1], self.skip(end))
            parts.append((start, end))
            start = end
        return parts

    def count(self, span: Span) -> int:
        """Tokens of the span counted by itself."""
        if self._inside_word(span[0]) or self._inside_word(span[1]):
            return self._tokenizer.count(self.text[span[0] : span[1]])
        return self.tokens(*span)

    def _inside_word(self, offset: int) -> bool:
        text = self.text
        return 0 < offset < len(text) and not text[offset].isspace() and not text[offset - 1].isspace()


def _without_rules(text: str, ends: Sequence[int], tables: Sequence[Span]) -> Iterator[int]:
    """``ends`` but for those of the tokens that only rule a table."""
    at = 0
    for start, end in tables:
        first, last = bisect_right(ends, start, at), bisect_right(ends, end, at)
        yield from ends[at:first]
        again = list(said_again(text[start : max(start, text.find("\n", start, end))]))
        yield from (
            place
            for place in ends[first:last]
            if text[place - 1] not in _RULES and not any(a < place - start <= b for a, b in again)
        )
        at = last
    yield from ends[at:]
