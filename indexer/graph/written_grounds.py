"""Where a model's names and quotations stand in a chunk, letter for letter, however it wrote them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property, lru_cache

from ..sentences import sentence_ends
from ..word_forms import is_dense, stem

LONGEST_EVIDENCE = 600
"""Characters of evidence; a longer sentence (of code, say) gives the lines that were quoted."""
_MOST_SENTENCES = 2
_SHORTEST_QUOTE = 10
_SHORTEST_DENSE_QUOTE = 4
_SHORTEST_INFLECTED = 4

_PASSED_OVER = "`*\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SAME = (
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
)
_QUOTED_EDGES = " \t\n\"'“”„«»…"
_WORD = re.compile(r"[^\W_]+")
_INFLECTED = re.compile(r"[^\W\d_]+(?:[ '-]+[^\W\d_]+)*")

Span = tuple[int, int]


class Grounds:
    """A text in which names and quotations are found; white space, case, widths, kinds of hyphens and quotes,
    and the marks of emphasis do not count. Spans are offsets in ``text``."""

    def __init__(self, text: str, language: str | None = None) -> None:
        self.text = text
        self._language = language
        pieces: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text):
            folded = _folded(character)
            pieces.append(folded)
            places += [place] * len(folded)
        self._folded = "".join(pieces)
        self._places = places

    def name(self, name: str) -> list[Span]:
        """Where a name stands as a whole word; inflected, where it is nowhere as it is."""
        return [span for span in self._find(name) if self._is_word(span)] or self._inflected(name)

    def quotation(self, quoted: str, within: Span | None = None) -> list[Span]:
        """Where a quotation stands, within a stretch of the text where one is given."""
        first, last = within or (0, len(self.text))
        found = self._find(quoted.strip(_QUOTED_EDGES))
        return [(start, end) for start, end in found if first <= start and end <= last]

    def sentence(self, span: Span) -> Span | None:
        """The sentence around a stretch, or the two that it reaches into; None of one that reaches into
        more."""
        ends = self._ends
        first, last = bisect_right(ends, span[0]), bisect_right(ends, span[1] - 1)
        if last - first >= _MOST_SENTENCES:
            return None
        whole = self._trimmed((ends[first - 1] if first else 0, ends[last]))
        if whole[1] - whole[0] <= LONGEST_EVIDENCE:
            return whole
        lines = self.text.rfind("\n", 0, span[0]) + 1, self.text.find("\n", span[1])
        whole = self._trimmed((lines[0], lines[1] if lines[1] >= 0 else len(self.text)))
        return whole if whole[1] - whole[0] <= LONGEST_EVIDENCE else span

    def written(self, span: Span) -> str:
        """What stands there, on one line."""
        return " ".join(self.text[span[0] : span[1]].split())

    @cached_property
    def _ends(self) -> list[int]:
        return sentence_ends(self.text)

    @cached_property
    def _words(self) -> list[tuple[str, int, int]]:
        return [
            (stem(found[0], self._language), found.start(), found.end())
            for found in _WORD.finditer(self.text)
        ]

    def _find(self, wanted: str) -> list[Span]:
        folded = "".join(map(_folded, wanted))
        spans: list[Span] = []
        at = self._folded.find(folded) if folded else -1
        while at >= 0:
            end = at + len(folded)
            if self._is_begun(at) and self._is_begun(end):
                spans.append((self._places[at], self._places[end - 1] + 1))
            at = self._folded.find(folded, end)
        return spans

    def _is_begun(self, at: int) -> bool:
        """Whether a character of the text begins at this place of the folded one, and is no accent."""
        if at == 0 or at == len(self._folded):
            return True
        return self._places[at] != self._places[at - 1] and not unicodedata.combining(self._folded[at])

    def _is_word(self, span: Span) -> bool:
        start, end = span
        return not _joins(self.text, start) and not _joins(self.text, end)

    def _inflected(self, name: str) -> list[Span]:
        short = len(name) < _SHORTEST_INFLECTED and not name.isupper()  # LEDs are of LED
        if short or not _INFLECTED.fullmatch(name.strip()):
            return []
        wanted = [stem(word, self._language) for word in _WORD.findall(name)]
        size = len(wanted)
        return [
            (self._words[at][1], self._words[at + size - 1][2])
            for at in range(len(self._words) - size + 1)
            if all(self._words[at + n][0] == wanted[n] for n in range(size))
        ]

    def _trimmed(self, span: Span) -> Span:
        text = self.text[span[0] : span[1]]
        start = span[0] + len(text) - len(text.lstrip())
        return start, max(start, span[0] + len(text.rstrip()))


def is_quotation(text: str) -> bool:
    """Whether a text is long enough to be a sentence of evidence rather than a word of one."""
    size = len("".join(text.split()))
    return size >= (_SHORTEST_DENSE_QUOTE if is_dense(text) else _SHORTEST_QUOTE)


def _joins(text: str, at: int) -> bool:
    """Whether a word goes on from before to behind this place."""
    if not 0 < at < len(text):
        return False
    before, behind = text[at - 1], text[at]
    return all((c.isalnum() or c == "_") and not is_dense(c) for c in (before, behind))


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    if character.isspace() or character in _PASSED_OVER:
        return ""
    plain = unicodedata.normalize("NFKD", _SAME.get(character, character)).casefold()
    return "".join(plain.split())
