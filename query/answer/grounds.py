"""What of a sentence does not stand in the passages that it cites.

The line that says where a passage is from holds numbers, too (pages, sections, editions, dates), and a number
of the sentence may rest on those only where the sentence says that it is one of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set

from ...indexer.checks.dates import read_dates
from ...indexer.checks.faithful import Fault, faults
from ...indexer.checks.quantities import read_quantities

_NUMBER = r"\d+(?:\.\d+)*"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:[-–,~〜]|to|and|bis|und|至|到|和|から|と)\s*{_NUMBER})*"
_BEFORE = (
    r"pages?|pp?\.|sections?|sect?\.|§+|chapters?|chap\.|ch\.|editions?|ed\.|versions?|revision|rev\."
    r"|seiten?|s\.|abschnitte?n?|kapiteln?|kap\.|ausgabe|auflage|fassung"
)
_BEHIND = r"edition|ausgabe|auflage|fassung"
_DENSE_BEFORE, _DENSE_BEHIND = r"第|版本|版|页|頁|ページ", r"版|页|頁|ページ|章|节|節"
_YEAR = r"(?:in|of|from|since|seit|ab|von|aus|im jahre?)\s+(?:19|20)\d\d(?!\w)|(?:19|20)\d\d\s*年"
_PLACE = re.compile(
    rf"(?<!\w)(?:{_BEFORE})\s*{_NUMBERS}|(?:{_DENSE_BEFORE})\s*{_NUMBERS}(?:\s*(?:{_DENSE_BEHIND}))?"
    rf"|(?<![\w.]){_NUMBER}(?:st|nd|rd|th|\.)?\s+(?:{_BEHIND})(?!\w)|(?<![A-Za-z0-9_.]){_NUMBER}\s*(?:{_DENSE_BEHIND})"
    rf"|(?<!\w)(?:{_YEAR})",
    re.IGNORECASE,
)
"""A number that is said to be one of a place."""
_PAGE = re.compile(r"(?<!\w)(?:pages?|pp?\.|seiten?|s\.)|[页頁]|ページ", re.IGNORECASE)


def ungrounded(
    sentence: str,
    texts: Sequence[str],
    places: Sequence[str],
    language: str,
    source: str | None,
    pages: Set[int] = frozenset(),
) -> list[Fault]:
    """What ``sentence``, in ``language``, says and none of ``texts``, in ``source``, does. Identifiers, dates
    and quantities with a unit may stand in ``places``; bare numbers of those only count as what they are, as
    do the numbers of the ``pages`` there."""
    normal = unicodedata.normalize("NFKC", sentence)
    told = {number for place in places for number in re.findall(_NUMBER, place)}
    found = faults(_without_places(normal, told, set(map(str, pages))), texts, language, source)
    if not found:
        return []
    beside = {fault.text for fault in faults(normal, [*texts, *places], language, source)}
    return [fault for fault in found if fault.text in beside or _is_bare(fault, language)]


def _without_places(sentence: str, told: set[str], pages: set[str]) -> str:
    """The sentence without the numbers that it names as those of a place, and that one has."""

    def blank(match: re.Match[str]) -> str:
        known = set(re.findall(_NUMBER, match[0])) <= (told | pages if _PAGE.search(match[0]) else told)
        return re.sub(_NUMBER, lambda number: " " * len(number[0]), match[0]) if known else match[0]

    return _PLACE.sub(blank, sentence)


def _is_bare(fault: Fault, language: str) -> bool:
    """Whether a fault is a number alone."""
    if fault.kind != "number" or any(read_dates(fault.text)):
        return False
    return not any(quantity.unit for quantity in read_quantities(fault.text, language))
