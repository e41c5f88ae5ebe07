"""The dates of a text, in one form whatever way they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ROWS = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
_MONTHS = {word: number for row in _ROWS for number, word in enumerate(row.split(), start=1)}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    r"(?<![\w.])(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?![\w]|[.]\d)"
    r"|(?<![\w.])(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y2>\d{4})(?!\w)"
    rf"|(?<!\w)(?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s(?:(?:of|de)\s)?(?P<n3>{_MONTH})\.?,?\s(?:de\s)?(?P<y3>\d{{4}})(?!\w)"
    rf"|(?<!\w)(?:(?P<n4>{_MONTH})\.?\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,\s(?P<y4>\d{{4}}))(?!\w)"
    rf"|(?<!\w)(?P<n5>{_MONTH})\.?,?\s(?:de\s)?(?P<y5>\d{{4}})(?!\w)"
    r"|(?P<y6>\d{4})\s?[年년]\s?(?P<m6>\d{1,2})\s?[月월](?:\s?(?P<d6>\d{1,2})\s?[日일])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date where it stands. ``readings`` are (year, month, day), the day 0 where only a month is named;
    two of them where day and month could be either."""

    text: str
    start: int
    end: int
    readings: frozenset[tuple[int, int, int]]

    def agrees(self, other: FoundDate) -> bool:
        """Whether this date, or this month, is named by ``other``."""
        return any(
            (year, month) == (y, m) and day in (0, d)
            for year, month, day in self.readings
            for y, m, d in other.readings
        )


def read_dates(text: str) -> Iterator[FoundDate]:
    """The dates of a text that was normalised (NFKC), in order."""
    for match in _DATE.finditer(text):
        readings = frozenset(_readings(match.groupdict()))
        if readings:
            yield FoundDate(match[0], match.start(), match.end(), readings)


def _readings(found: dict[str, str | None]) -> Iterator[tuple[int, int, int]]:
    if year := found["y2"]:
        first, second = int(found["a"] or 0), int(found["b"] or 0)
        pairs = {(first, second), (second, first)}
        yield from ((int(year), month, day) for month, day in pairs if month <= 12 and day <= 31)
        return
    for n in "13456":
        if year := found[f"y{n}"]:
            month = found.get(f"m{n}") or _MONTHS[(found.get(f"n{n}") or "").casefold()]
            day = int(found.get(f"d{n}") or 0)
            if 1 <= int(month) <= 12 and day <= 31:
                yield int(year), int(month), day
