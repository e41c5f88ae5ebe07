"""Words of questions and sentences, and where a name stands among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
_LETTER = rf"(?:(?![{_UNSPACED}])\w)"
"""What a name that begins or ends with the like of it does not go on with; scripts without spaces do."""
_ENDS = re.compile(_LETTER)


def place_of(name: str, text: str) -> int:
    """Where ``name`` stands in ``text`` as a word or words of its own, -1 if nowhere; both case-folded.
    P-1 does not stand in "P-12"; of a name that ends with a letter the plural counts as well."""
    found = _pattern(name).search(text) if name else None
    return found.start() if found else -1


def names_any(names: Iterable[str], text: str) -> bool:
    """Whether one of ``names`` stands in ``text``, as :func:`place_of` says."""
    return any(name in text and place_of(name, text) >= 0 for name in names)


@lru_cache(maxsize=1 << 12)
def _pattern(name: str) -> re.Pattern[str]:
    before = rf"(?<!{_LETTER})" if _ENDS.match(name[0]) else ""
    plural = "(?:e?s)?" if name[-1].isalpha() else ""
    after = rf"{plural}(?!{_LETTER})" if _ENDS.match(name[-1]) else ""
    return re.compile(before + re.escape(name) + after)
