"""Editions of one document that state other figures for the same thing.

They are told apart from two documents that merely speak of like things by the documents' names: the same
title, or the same file name, but for edition, version and date. Of such a pair, two sentences that share
nearly all of their words and not their numbers are a conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import combinations, product

from ...indexer.checks.dates import read_dates
from ...indexer.checks.faithful import faults
from ...indexer.standalone import read_sentences
from ...indexer.types import Document
from ...indexer.words import words
from .asked import Asked
from .completing import reflow
from .evidence import Source
from .result import Conflict, Statement

ALIKE = 0.7
"""The share of words, numbers apart, that two statements of one thing have in common."""
ASKED = 0.3
"""The least share of the question's words that a conflict speaks of."""
MOST = 5

_VERSION = re.compile(
    r"\b(?:v|ver|version|rev|revision|edition|ed|issue|release|ausgabe|auflage|stand)\.?\s*[\w.-]*\d[\w.-]*"
    r"|\d[\d._-]*(?:st|nd|rd|th)?|\b(?:edition|revision|version|ausgabe|auflage|draft|final|old|new|alt|neu)\b"
    r"|第?\d*版|[^\w]+",
    re.IGNORECASE,
)


def conflicts(asked: Asked, sources: Sequence[Source]) -> tuple[Conflict, ...]:
    """The conflicts among ``sources`` in what the question asks about, the newest statement of each first."""
    told: dict[int, list[str]] = {}
    found: list[Conflict] = []
    for first, second in combinations([s for s in sources if not s.summary], 2):
        if not are_editions(first.document, second.document):
            continue
        for source in (first, second):
            told.setdefault(id(source), _spoken_of(asked, source))
        found += [
            _conflict((mine, first), (theirs, second))
            for mine, theirs in product(told[id(first)], told[id(second)])
            if disagree(mine, theirs, first.language)
        ]
    unique = {tuple(s.text for s in conflict.statements): conflict for conflict in found}
    return tuple(unique.values())[:MOST]


def are_editions(first: Document | None, second: Document | None) -> bool:
    """Whether two documents are editions of one."""
    if first is None or second is None or first.id == second.id:
        return False
    if (first.edition, first.valid_from) == (second.edition, second.valid_from):
        return False
    titles, stems = ({_plain(name) for name in names} for names in _names(first, second))
    return (len(titles) == 1 and titles != {""}) or (len(stems) == 1 and stems != {""})


def age_of(document: Document) -> tuple[date, list[tuple[int, str]]]:
    """What newer editions have more of."""
    return document.valid_from or date.min, _natural(document.edition)


def disagree(first: str, second: str, language: str | None) -> bool:
    """Whether two sentences say the same but for their figures."""
    mine, theirs = (_words(text, language) for text in (first, second))
    if not mine or not theirs or len(mine & theirs) < ALIKE * len(mine | theirs):
        return False
    pairs = ((first, second), (second, first))
    return all(
        any(fault.kind in ("number", "unit") for fault in faults(one, [other], language))
        for one, other in pairs
    )


def _names(first: Document, second: Document) -> Iterable[tuple[str, str]]:
    yield first.title, second.title
    yield (
        first.source.rpartition("/")[2].partition(".")[0],
        second.source.rpartition("/")[2].partition(".")[0],
    )


def _plain(name: str) -> str:
    for date_found in reversed(list(read_dates(name))):
        name = name[: date_found.start] + name[date_found.end :]
    return " ".join(_VERSION.sub(" ", name.replace("_", " ")).casefold().split())


def _words(text: str, language: str | None) -> set[str]:
    return {form for form in words(text, language) if not any(map(str.isdigit, form))}


def _spoken_of(asked: Asked, source: Source) -> list[str]:
    """The sentences with figures that speak of what the question asks about."""
    title = source.citation.section[-1] if source.citation.section else ""
    return [
        sentence.text
        for sentence in read_sentences([reflow(source.text)])
        if any(map(str.isdigit, sentence.text))
        and asked.match(f"{title}\n{sentence.text}", source.language).terms >= ASKED
    ]


def _conflict(*said: tuple[str, Source]) -> Conflict:
    statements = [
        Statement(
            text,
            source.citation,
            source.document.edition if source.document else None,
            source.document.valid_from if source.document else None,
        )
        for text, source in said
    ]
    statements.sort(key=lambda one: (one.valid_from or date.min, _natural(one.edition)), reverse=True)
    return Conflict(tuple(statements))


def _natural(edition: str | None) -> list[tuple[int, str]]:
    """An edition as it sorts: 10 after 9."""
    return [(int(part) if part.isdigit() else 0, part) for part in re.findall(r"\d+|\D+", edition or "")]
