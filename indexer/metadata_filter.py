"""Filters over documents by what is known of them: ``edition=3``, ``year=2019..2023``, ``team!=ops``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from .errors import ConfigurationError
from .types import Document

_EXPRESSION = re.compile(r"\s*([^\s=<>!](?:[^=<>!]*[^\s=<>!])?)\s*(!=|>=|<=|=|>|<)(.*)", re.DOTALL)
_BUILT_IN: Final = frozenset(
    (
        "title",
        "edition",
        "language",
        "media_type",
        "source",
        "version",
        "id",
        "page_count",
        "valid_from",
        "valid_until",
    )
)
_TRUTH: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """``field operator value``; for a range ``last`` is its end, both ends belong to it.

    An end of a range that is the empty string is open.
    """

    field: str
    operator: str
    value: str
    last: str | None = None

    def holds(self, document: Document) -> bool:
        """Whether the document fulfils it. A list does where one of its members does; ``!=`` where
        none equals. What a document does not have fulfils only ``!=``."""
        members = _members(document, self.field)
        if self.operator == "!=":
            return not any(_equal(member, self.value, self.last) for member in members)
        if self.operator == "=":
            return any(_equal(member, self.value, self.last) for member in members)
        return any(_ordered(member, self.operator, self.value) for member in members)


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Conditions that must all hold."""

    conditions: tuple[Condition, ...] = ()

    def matches(self, document: Document) -> bool:
        """Whether every condition holds of the document."""
        return all(condition.holds(document) for condition in self.conditions)


def parse_filter(expressions: Sequence[str]) -> DocumentFilter:
    """A filter from expressions that must all hold.

    ``field=value``, ``field!=value``, ``>=``, ``<=``, ``>``, ``<``, and ranges ``field=first..last``
    whose ends belong to them and may be left out. Fields are title, edition, language, media_type,
    source, version, id, page_count, valid_from, valid_until, and one's own. Values are compared by the
    type that the document has: numbers as numbers, ISO dates as dates (``2023`` and ``2023-05`` are the
    whole year and month), ``true`` and ``false``, else texts, without regard to case; texts that are
    both numbers are ordered as such.

    Raises ConfigurationError for an expression that is none.
    """
    return DocumentFilter(tuple(_parse(expression) for expression in expressions))


def _parse(expression: str) -> Condition:
    match = _EXPRESSION.fullmatch(expression)
    if match is None:
        raise ConfigurationError(
            f"the filter {expression!r} is none; write field=value, field!=value, field>=value or "
            "field=first..last"
        )
    name, operator, value = match[1], match[2], match[3].strip()
    if operator in {"=", "!="}:
        first, dots, last = value.partition("..")
        if dots and (first or last):
            return Condition(name, operator, first.strip(), last.strip())
    elif not value:
        raise ConfigurationError(f"the filter {expression!r} compares with nothing; add a value")
    return Condition(name, operator, value)


def _members(document: Document, name: str) -> list[Any]:
    """What the document has under a name: of ours, and of its own fields."""
    values = [getattr(document, name) if name in _BUILT_IN else None, document.fields.get(name)]
    members: list[Any] = []
    for value in values:
        if isinstance(value, list | tuple):
            members.extend(value)
        elif value is not None:
            members.append(value)
    return members


def _equal(member: Any, first: str, last: str | None) -> bool:
    if last is not None:
        return (not first or _ordered(member, ">=", first)) and (not last or _ordered(member, "<=", last))
    if isinstance(member, bool):
        return _TRUTH.get(first.casefold()) is member
    if isinstance(member, int | float):
        return _number(first) == member
    span, day = _days(first), _day(member)
    if day is not None and span is not None:
        return span[0] <= day <= span[1]
    return str(member).casefold() == first.casefold()


def _ordered(member: Any, operator: str, value: str) -> bool:
    """``member operator value``; False where the two cannot be compared."""
    pair = _pair(member, operator, value)
    if pair is None:
        return False
    left, right = pair
    if operator == ">=":
        return bool(left >= right)
    if operator == "<=":
        return bool(left <= right)
    return bool(left > right) if operator == ">" else bool(left < right)


def _pair(member: Any, operator: str, value: str) -> tuple[Any, Any] | None:
    """The two sides as one type. A month or a year stands for its first day, after which ``>`` and
    ``<=`` look from its last."""
    if isinstance(member, bool):
        return None
    number = _number(value)
    if isinstance(member, int | float):
        return None if number is None else (member, number)
    span, day = _days(value), _day(member)
    if day is not None and span is not None:
        return day, span[1] if operator in {">", "<="} else span[0]
    stated = _number(str(member))
    if stated is not None and number is not None:
        return stated, number
    return str(member).casefold(), value.casefold()


def _number(text: str) -> float | None:
    try:
        number = int(text) if re.fullmatch(r"[+-]?\d{1,18}", text) else float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _day(member: Any) -> date | None:
    """The date that a stored value is: a date, or the ISO text of one."""
    if isinstance(member, date):
        return member
    if not isinstance(member, str) or not re.match(r"\d{4}-\d{2}-\d{2}", member):
        return None
    try:
        return datetime.fromisoformat(member).date()
    except ValueError:
        return None


def _days(text: str) -> tuple[date, date] | None:
    """First and last day of what is written as a day, a month or a year."""
    match = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        if year is not None and month and day:
            return (whole := date(year, month, day)), whole
        first = date(year or 0, month or 1, 1)
        following = date(first.year + (month is None or month == 12), (month or 0) % 12 + 1, 1)
    except ValueError:
        return None
    return first, date.fromordinal(following.toordinal() - 1)
