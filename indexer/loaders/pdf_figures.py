"""Which texts are figures: numbers, and the signs that stand for one."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"[(\[$€£¥\s+\u2212\u2013-]*\d[\d.,\s]*[)\]%\s*]*(?:\([a-z]\))?$|[\u2014\u2013-]$|NM$|N/A$"
)
_YEAR = re.compile(r"(?:19|20)\d\d$")


def is_figure(text: str) -> bool:
    """Whether ``text`` is a number or stands for one; a year is none."""
    return _NUMBER.match(text) is not None and _YEAR.match(text) is None
