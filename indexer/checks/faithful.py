"""Whether a summary says only what its passages say: its numbers, units, identifiers and names.

A check on form, not on meaning: it finds what stands in the summary and in none of the passages, in any
notation (1,000 is 1000, 0.5 s is 500 ms, "three" is 3, a date is a date), and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from .codes import Sources, read_codes, read_names
from .dates import FoundDate, read_dates
from .quantities import Quantity, loose_units, read_quantities

FaultKind = Literal["number", "unit", "identifier", "name"]

_ENUMERATOR = re.compile(r"^\s*\(?(\d{1,2})[.)]\s", re.MULTILINE)
_VERSION = re.compile(r"v(\d+(?:\.\d+)?)|[VrR](\d+\.\d+)")
_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the summary says and no passage does, as the summary writes it."""

    kind: FaultKind
    text: str


def faults(
    summary: str, passages: Sequence[str], language: str | None = None, source: str | None = None
) -> list[Fault]:
    """What is in ``summary``, written in ``language``, and in none of the ``passages``, written in
    ``source`` (by default the same): each once, in order of kind and place."""
    text = _normal(summary)
    texts = [_normal(passage) for passage in passages]
    grounds = _Grounds(texts, source or language)
    text = _without_enumerators(text)
    found = [*_wrong_dates(text, grounds)]
    text = _masked(text, [(date.start, date.end) for date in read_dates(text)])
    quantities = read_quantities(text, language)
    found += [fault for quantity in quantities if (fault := grounds.against(quantity))]
    text = _masked(text, [(quantity.start, quantity.end) for quantity in quantities])
    sources = Sources(texts, source or language)
    found += [Fault("identifier", code) for code, _ in read_codes(text) if not grounds.hold(code, sources)]
    found += [Fault("name", name) for name in read_names(text, language) if not sources.hold_name(name)]
    wrong = {fault.text for fault in found if fault.kind == "identifier"}
    return [f for f in dict.fromkeys(found) if f.kind != "name" or f.text not in wrong]


class _Grounds:
    """The numbers, sizes and dates of the passages."""

    def __init__(self, texts: Sequence[str], language: str | None) -> None:
        self._numbers: set[Decimal] = set()
        self._sizes: set[tuple[Decimal, str]] = set()
        self._columns: set[tuple[Decimal, str]] = set()
        self.dates: list[FoundDate] = []
        for text in texts:
            self._read(text, language)

    def _read(self, text: str, language: str | None) -> None:
        self.dates += read_dates(text)
        units = set(loose_units(text))
        for quantity in read_quantities(text, language, generous=True):
            self._numbers |= quantity.values
            if quantity.unit:
                self._sizes |= quantity.sizes()
            else:
                self._columns |= {(value, unit) for value in quantity.values for unit in units}

    def against(self, quantity: Quantity) -> Fault | None:
        """What is wrong with a summary's quantity, None for nothing.

        A number with a unit must stand with that unit, or alone in a passage that names the unit in
        brackets or a column's head. A number that only its own unit's conversion gives (500 ms for 0.5 s)
        is right.
        """
        if quantity.unit:
            columns = {(value, quantity.unit) for value in quantity.values}
            if quantity.sizes() & self._sizes or columns & self._columns:
                return None
            return Fault("unit" if quantity.values & self._numbers else "number", quantity.text)
        return None if quantity.values & self._numbers else Fault("number", quantity.text)

    def hold(self, code: str, sources: Sources) -> bool:
        """Whether an identifier stands in the passages; a version may stand there as its number."""
        version = _VERSION.fullmatch(code)
        return sources.hold_code(code) or bool(
            version and Decimal(version[1] or version[2]).normalize() + 0 in self._numbers
        )


def _wrong_dates(text: str, grounds: _Grounds) -> Iterator[Fault]:
    for date in read_dates(text):
        if not any(date.agrees(other) for other in grounds.dates):
            yield Fault("number", date.text)


def _masked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with these spans blank, every other character in its place."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _without_enumerators(text: str) -> str:
    """The text without the numbers of its own list: 1., 2., 3. at the beginnings of lines."""
    found = list(_ENUMERATOR.finditer(text))
    counted = len(found) > 1 and [int(match[1]) for match in found] == list(range(1, len(found) + 1))
    return _masked(text, [match.span(1) for match in found]) if counted else text


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
