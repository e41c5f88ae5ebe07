"""The words of a page, to hold what was read of it against its text layer."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

_DENSE = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_DENSE}]+|[^\W_{_DENSE}]+(?:[.,:/'’_\u2010\u2011-][^\W_{_DENSE}]+)*")
_IS_DENSE = re.compile(f"[{_DENSE}]")
_DIVIDED = re.compile(r"([^\W\d_])[-\u00ad\u2010][ \t]*\n[ \t]*([^\W\d_])")
_MEANINGLESS = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")
_SHARE = 0.05
"""Of letters without meaning, from which on a text layer says nothing of its page."""
_LONG = 4
"""Letters from which on a word says which page it is from: shorter ones stand on any."""
FEWEST = 8
"""Telling words of a text layer that can be compared."""


class Word(NamedTuple):
    """A word in a text: folded, and where it stands."""

    form: str
    start: int
    end: int

    @property
    def figured(self) -> bool:
        """Whether it holds a digit."""
        return any(map(str.isdigit, self.form))


def words(text: str) -> list[Word]:
    """The words of a text in order; of a script without spaces, its runs of signs."""
    return [Word(folded(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]


def folded(word: str) -> str:
    """A word as it is compared: composed, in small letters."""
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'").replace("\u2011", "-")


def telling(text: str) -> frozenset[str]:
    """The words that say which page a text is from: the longer ones, those with digits, and of a script
    without spaces each pair of neighbours."""
    found: set[str] = set()
    for word in words(whole(text)):
        if _IS_DENSE.match(word.form):
            found.update(a + b for a, b in pairwise(word.form))
        elif len(word.form) >= _LONG or word.figured:
            found.add(word.form)
    return frozenset(found)


def whole(text: str) -> str:
    """A text whose divided words are whole."""
    return _DIVIDED.sub(r"\1\2", text)


def trusted(layer: str) -> str:
    """A text layer that can be compared with; empty for one of few words, or of letters without meaning."""
    ink = len(layer) - sum(map(str.isspace, layer))
    if ink == 0 or len(_MEANINGLESS.findall(layer)) > _SHARE * ink:
        return ""
    return layer if len(telling(layer)) >= FEWEST else ""
