"""Filters: values compared by the type that the document has."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.metadata import parse_filter
from treegraph.indexer.types import Document

DOCUMENT = Document(
    id="i",
    source="m/a.pdf",
    title="Pump Manual",
    language="en",
    labels=("secret",),
    edition="3",
    valid_from=date(2023, 5, 17),
    fields={
        "year": 2020,
        "price": 9.5,
        "draft": False,
        "tags": ["pump", "valve"],
        "sizes": [1, 5],
        "reviewed": "2024-02-29",
        "version": "1.10",
        "a=b": "no",
        "team": "Field Ops",
        "source": "web",
    },
    page_count=40,
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("title=pump manual", True),
        ("title=pump", False),
        ("title!=pump", True),
        ("source=m/a.pdf", True),
        ("source=web", True),
        ("source!=web", False),
        ("edition=3", True),
        ("edition>=10", False),
        ("page_count>39", True),
        ("year=2020", True),
        ("year = 2020.0", True),
        ("year=2019..2020", True),
        ("year=2021..", False),
        ("year=..2020", True),
        ("year!=2019..2021", False),
        ("year>2020", False),
        ("year<=2020", True),
        ("year=twenty", False),
        ("year>twenty", False),
        ("price<10", True),
        ("price>9.5", False),
        ("draft=false", True),
        ("draft=0", False),
        ("draft!=true", True),
        ("draft>0", False),
        ("tags=valve", True),
        ("tags=pum", False),
        ("tags!=valve", False),
        ("sizes>4", True),
        ("sizes=2..4", False),
        ("valid_from=2023", True),
        ("valid_from=2023-05", True),
        ("valid_from=2023-06", False),
        ("valid_from>2023", False),
        ("valid_from>=2023", True),
        ("valid_from<=2023", True),
        ("valid_from<2023-06-01", True),
        ("valid_from=2023-01..2023-05", True),
        ("valid_until=2023", False),
        ("valid_until!=2023", True),
        ("reviewed=2024", True),
        ("reviewed=2024-02-29", True),
        ("reviewed>2024-02", False),
        ("reviewed=2024-12..", False),
        ("team=field ops", True),
        ("team>=e", True),
        ("nothing=1", False),
        ("nothing!=1", True),
        ("nothing<1", False),
        # Labels are for those who guard the documents, not for those who search them.
        ("labels=secret", False),
    ],
)
def test_comparisons(expression: str, expected: bool) -> None:
    assert parse_filter([expression]).matches(DOCUMENT) is expected


def test_all_expressions_must_hold_and_none_is_no_condition() -> None:
    assert parse_filter(["year=2020", "tags=pump"]).matches(DOCUMENT)
    assert not parse_filter(["year=2020", "tags=seal"]).matches(DOCUMENT)
    assert parse_filter([]).matches(DOCUMENT)


@pytest.mark.parametrize("expression", ["", "year", "=3", " =x", "year>=", "year<", "!=3"])
def test_bad_expressions_say_how_to_write_them(expression: str) -> None:
    with pytest.raises(ConfigurationError, match="filter"):
        parse_filter([expression])


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_numbers_are_ordered_as_numbers(stored: int, asked: int) -> None:
    for value in (stored, str(stored)):
        document = Document(id="i", source="s", title="t", fields={"n": value})
        outcomes = {
            op: parse_filter([f"n{op}{asked}"]).matches(document) for op in ("=", "!=", "<", "<=", ">", ">=")
        }
        assert outcomes == {
            "=": stored == asked,
            "!=": stored != asked,
            "<": stored < asked,
            "<=": stored <= asked,
            ">": stored > asked,
            ">=": stored >= asked,
        }


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_dates_are_ordered_as_dates_by_day_month_and_year(stored: date, asked: date) -> None:
    document = Document(id="i", source="s", title="t", valid_from=stored, fields={"d": stored.isoformat()})
    for name in ("valid_from", "d"):
        assert parse_filter([f"{name}<={asked}"]).matches(document) == (stored <= asked)
        assert parse_filter([f"{name}={asked:%Y-%m}"]).matches(document) == (
            (stored.year, stored.month) == (asked.year, asked.month)
        )
        assert parse_filter([f"{name}>{asked:%Y}"]).matches(document) == (stored.year > asked.year)
        assert parse_filter([f"{name}<{asked:%Y}"]).matches(document) == (stored.year < asked.year)
