"""The numbers of a text with their units and the dates, in one form whatever way they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ..word_forms import primary
from .number_words import HAN, SCALES, han_number, spelled
from .units import AMBIGUOUS, UNITS, unit_after, unit_of

_LETTER = r"A-Za-zÀ-ɏͰ-ҁҊ-֏_"
_GROUPED = r"\d{1,3}(?:(?P<sep>[.,'’ \u202f\u2009])\d{3}(?:(?P=sep)\d{3})*)(?!\d)(?:(?!(?P=sep))[.,]\d+)?"
_PLAIN = r"\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(
    rf"(?P<code>(?<![{_LETTER}0-9])[{_LETTER}]+\d[{_LETTER}\d]*(?:[.:/-][{_LETTER}\d]+)*|\d+(?:\.\d+){{2,}}|\d+(?::\d+)+)"
    rf"|(?<![{_LETTER}0-9])(?<![{_LETTER}][-.:/])(?P<sign>(?<![\w)\]])[-−–])?"
    rf"(?P<digits>(?P<grouped>{_GROUPED})|(?P<list>\d+(?:,\d+){{2,}}|(?<=\()\d+,\d+(?=\)))|{_PLAIN})"
    rf"|(?<![{_LETTER}])(?P<word>[{_LETTER}]+(?:[-‑][{_LETTER}]+)?)"
    rf"|(?P<han>[{HAN}]+)"
)
_SCALE_WORDS = "|".join(re.escape(word) for word in sorted(SCALES, key=len, reverse=True))
_SCALE = re.compile(rf"[\s\-]?(?P<scale>{_SCALE_WORDS})(?![{_LETTER}0-9])", re.IGNORECASE)
_DECIMAL_COMMA = frozenset(
    "bg ca cs da de el es et fi fr hu id it nl no pl pt ro ru sv tr uk vi".split()  # noqa: SIM905
)
_VERSION = re.compile(r"v(\d+(?:\.\d+)?)|[VrR](\d+\.\d+)")
_CURRENCY = re.compile(r"[$€]\s?\Z")
_ORDINAL = re.compile(rf"(?:st|nd|rd|th|er|e|ère|ème)(?![{_LETTER}0-9])")
_GLUED = re.compile(rf"[{_LETTER}]")
_CLASSIFIER = re.compile(
    r"\s?[个個种種次条條项項台天年月日秒分小倍つ回本枚度点名位部组組层層级級页頁章节節步类類件块塊段行列伏安瓦米公升]"
)
_MINUS = re.compile(r"(?:minus|negative|moins|menos|meno|минус|负|零下|マイナス)\s?\Z", re.IGNORECASE)
_RANGE = re.compile(
    r"\s*(?:-|–|—|~|〜|～|to|bis|à|a|al|до|至|到|から|에서|and|und|et|y|e|or|oder|ou|和|或|と|及び|[/,、…]|\.{2,3}|x|×)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands. ``values`` are its possible readings (1.000 may be 1 or 1000), ``unit``
    its dimension and ``factor`` the unit's size in it; ``unit`` is empty for a bare number."""

    text: str
    start: int
    end: int
    values: frozenset[Decimal]
    unit: str = ""
    factor: Decimal = Decimal(1)

    def sizes(self) -> frozenset[tuple[Decimal, str]]:
        """The readings in the base of the dimension, with it."""
        return frozenset((_plain(value * self.factor), self.unit) for value in self.values)


def read_quantities(text: str, language: str | None, generous: bool = False) -> list[Quantity]:
    """The quantities of a text that was normalised (NFKC), in order; numbers inside of codes are none.

    With ``generous``, for texts that others are checked against: a number takes the unit that stands behind
    the range or list that it begins, a bare one may group its digits as other languages do, and every
    number in Han characters counts.
    """
    found = [
        quantity for match in _NUMBER.finditer(text) for quantity in _read(text, match, language, generous)
    ]
    if generous:
        for index in range(len(found) - 2, -1, -1):
            here, after = found[index], found[index + 1]
            if not here.unit and after.unit and _RANGE.fullmatch(text, here.end, after.start):
                found[index] = replace(here, unit=after.unit, factor=after.factor)
    return found


def loose_units(text: str) -> Iterator[str]:
    """The dimensions of the units that stand in brackets or a cell of their own, as in a table's header."""
    for match in _LOOSE.finditer(text):
        unit = unit_of(match[1])
        if unit:
            yield unit[0]


_LOOSE = re.compile(r"(?:[(\[|]|\bin\s)\s*([^\s\d()\[\]|,;]{1,12})\s*(?=[)\]|,;.]|$)", re.MULTILINE)


def _read(text: str, match: re.Match[str], language: str | None, generous: bool) -> Iterator[Quantity]:
    if word := match["word"]:
        value = spelled(word, language)
        if value is not None:
            yield _measured(text, match.start(), match.end(), {value}, generous)
    elif run := match["han"]:
        counts = generous or len(run) > 2 or _CLASSIFIER.match(text, match.end())
        if counts and run not in ("一", "〇", "零"):
            yield _measured(text, match.start(), match.end(), {han_number(run)}, generous)
    elif match["list"]:
        for part in re.finditer(r"\d+", match["list"]):
            start, end = match.start("list") + part.start(), match.start("list") + part.end()
            yield _measured(text, start, end, {Decimal(part[0])}, generous)
    elif match["code"]:
        if generous and (version := _VERSION.fullmatch(match["code"])):
            yield _measured(text, match.start(), match.end(), {Decimal(version[1] or version[2])}, generous)
    elif quantity := _in_digits(text, match, language, generous):
        yield quantity


def _in_digits(text: str, match: re.Match[str], language: str | None, generous: bool) -> Quantity | None:
    end = match.end()
    if ordinal := _ORDINAL.match(text, end):
        end = ordinal.end()
    elif _GLUED.match(text, end) and not unit_after(text, end) and not _SCALE.match(text, end):
        return None  # a code, as in 8N1
    separator = match["sep"] if match["grouped"] else None
    negative = bool(match["sign"])
    either = not negative and _MINUS.search(text, max(0, match.start() - 9), match.start()) is not None

    def signed(values: set[Decimal]) -> set[Decimal]:
        minus = {-value for value in values}
        return minus | (values if generous else set()) if either else minus if negative else values

    digits = match["digits"]
    found = _measured(text, match.start(), end, signed(_readings(digits, separator, language)), generous)
    if generous and separator and not found.unit:
        found = replace(found, values=frozenset(map(_plain, signed(_readings(digits, separator, None)))))
    return found


def _measured(text: str, start: int, end: int, values: set[Decimal], generous: bool) -> Quantity:
    if scale := _SCALE.match(text, end):
        factor = SCALES[scale["scale"].casefold()]
        values = {value * factor for value in values}
        end = scale.end()
    readings = frozenset(map(_plain, values))
    if (unit := unit_after(text, end)) and (generous or unit[0] not in AMBIGUOUS):
        dimension, size = UNITS.get(unit[0]) or UNITS[unit[0].casefold()]
        return Quantity(text[start : unit[1]], start, unit[1], readings, dimension, size)
    if currency := _CURRENCY.search(text, max(0, start - 2), start):
        dimension, size = UNITS[currency[0].strip()]
        return Quantity(text[currency.start() : end], start, end, readings, dimension, size)
    return Quantity(text[start:end], start, end, readings)


def _readings(digits: str, separator: str | None, language: str | None) -> set[Decimal]:
    """What a number may mean: a comma or a point before three digits groups them or begins the fraction, as
    the language has it; either where it is unknown. ``separator`` is that before the last three digits."""
    if separator is None:
        return {Decimal(digits.replace(",", "."))}
    whole, _, rest = digits.partition(separator)
    grouped = Decimal((whole + rest).replace(separator, "").replace(",", "."))
    if digits.count(separator) > 1 or separator not in ",." or not rest.isdigit():
        return {grouped}
    fraction = Decimal(f"{whole}.{rest}")
    if language is None:
        return {grouped, fraction}
    return {fraction} if separator == ("," if primary(language) in _DECIMAL_COMMA else ".") else {grouped}


def _plain(value: Decimal) -> Decimal:
    """One form for equal numbers: 2.50 and 2.5, 1E+3 and 1000."""
    return value.normalize() + 0
