"""Figures as text in rows, for a terminal, a page or a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under ``columns``. The first column names the row, the others hold figures.
    ``note`` says how they were made."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def seconds(value: float) -> str:
    """Seconds, with as many digits as matter."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def milliseconds(value: float) -> str:
    """Seconds as milliseconds."""
    return f"{1000 * value:.1f}"


def megabytes(value: float) -> str:
    """Bytes as MiB."""
    return f"{value / 2**20:,.1f}"


def count(value: float) -> str:
    """A whole number."""
    return f"{value:,.0f}"


def share(value: float) -> str:
    """A share as per cent."""
    return f"{100 * value:.2f} %"


def facts(title: str, pairs: Sequence[tuple[str, str]], note: str = "") -> Table:
    """A table of two columns: what it is, and its value."""
    return Table(title, ("", "measured"), tuple(pairs), note)
