"""The printed back-of-book index of a PDF: terms with the physical pages that they are on."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ....indexer.loaders.pdf_labels import page_labels
from ....indexer.loaders.pdf_open import damage, open_pdf
from ....indexer.loaders.pdf_page import Line
from ....indexer.loaders.settings import LoadSettings
from .entries import PrintedEntry, entries_of, is_entry, separated_by_space, sort_key
from .pages import Numbering, agreement, numbering, plain
from .rows import Row, page_lines, rows_of, without_running_lines

_FROM = 0.6
_LINE_END = re.compile(r"\d[\])*]?\s*[.,]?$")
_ENDING = 0.2
_SHARE = 0.5
_DESCRIBED = 0.12
_SORTED = 0.7
_RISING = 0.85
_FEWEST = 8
_WORDED = 0.6
_AGREEMENT = 0.4
_OVER_CHANCE = 2.0


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A term of a printed index and the physical pages, 1-based and sorted, that it names.

    A sub-entry's ``term`` begins with those above it ("plot, styles"), which are also its ``under``.
    """

    term: str
    pages: tuple[int, ...]
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedIndex:
    """All printed indexes of a document: the physical pages that they fill, 1-based, and their entries."""

    pages: tuple[int, ...]
    entries: tuple[IndexEntry, ...]


def printed_index(
    path: Path, password: str | None = None, settings: LoadSettings | None = None
) -> PrintedIndex | None:
    """The printed index of the PDF at ``path``, None where it has none.

    It is known by its shape, in any language: pages in the later part of the book whose rows end in
    page numbers, in alphabetical order, not in the order of their pages as in a table of contents, and
    whose terms stand on the pages that they name. Several indexes are read as one. Printed pages become
    physical ones by the PDF's page labels, or by the offset that most terms vote for.

    Raises what opening the PDF raises: EmptyFile, EncryptedFile, CorruptFile, UnreadableFile,
    LimitExceeded.
    """
    with open_pdf(path, settings or LoadSettings(), password) as document:
        return _Book(document).index()


class _Book:
    """One document while its index is looked for. Pages are 0-based here."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._count: int = document.page_count
        self._text = functools.cache(self._read_text)
        self._lines = functools.cache(self._read_lines)
        self._plain = functools.cache(lambda page: plain(self._text(page)))

    def index(self) -> PrintedIndex | None:
        runs = [run for run in self._runs() if _looks_like_index(run)]
        if not runs:
            return None
        own = {row.page for run in runs for row in run}
        labels = page_labels(self._document.get_page_labels(), self._count)
        body = [page for page in range(self._count) if page + 1 not in own]
        read = [(run, entries_of(run)) for run in runs]
        # A book is numbered once: the longest index says how, and the others must fit.
        longest = max((entries for _, entries in read), key=len)
        numbers = numbering(longest, labels, self._plain, body)
        least = max(_AGREEMENT, _OVER_CHANCE * numbers.chance)
        kept = [(run, found) for run, found in read if agreement(found, numbers, self._plain) >= least]
        pages = {row.page for run, _ in kept for row in run}
        merged = _merged([entry for _, found in kept for entry in found], numbers, pages)
        return PrintedIndex(tuple(sorted(pages)), merged) if merged else None

    def _read_text(self, page: int) -> str:
        try:
            return str(self._document[page].get_text())
        except damage():
            return ""

    def _runs(self) -> Iterator[list[Row]]:
        """The rows of each stretch of neighbouring pages that may be an index."""
        later = range(int(self._count * _FROM), self._count)
        likely = {page for page in later if _ends_in_numbers(self._text(page)) and self._fits(page, True)}
        for run in _stretches(likely):
            rows = self._rows(run)
            if not separated_by_space(rows):
                # A page of another list before or after the index separates its numbers otherwise.
                yield from (self._rows(part) for part in _stretches({p for p in run if self._fits(p, False)}))
            else:
                yield rows

    def _fits(self, page: int, spaced: bool) -> bool:
        return _may_be_index(rows_of({page + 1: self._lines(page)}), spaced)

    def _rows(self, pages: Sequence[int]) -> list[Row]:
        lines = without_running_lines([self._lines(page) for page in pages])
        return rows_of({page + 1: found for page, found in zip(pages, lines, strict=True)})

    def _read_lines(self, page: int) -> list[Line]:
        try:
            return page_lines(self._document[page])
        except damage():
            return []


def _stretches(pages: set[int]) -> Iterator[list[int]]:
    """Runs of neighbouring pages. One page between two of them is theirs: it may hold no number."""
    run: list[int] = []
    for page in sorted(pages | {page + 1 for page in pages if page + 2 in pages}):
        if run and page > run[-1] + 1:
            yield run
            run = []
        run.append(page)
    if run:
        yield run


def _ends_in_numbers(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    ending = sum(bool(_LINE_END.search(line)) for line in lines)
    return ending >= max(2, _ENDING * len(lines))


def _may_be_index(rows: Sequence[Row], spaced: bool) -> bool:
    """Whether most rows end in pages, and few say more about the entry that they stand beneath."""
    ends = [is_entry(row, spaced) for row in rows]
    described = sum(
        above and not end and row.indent > before.indent + 0.4 * row.size
        for before, row, above, end in zip(rows, rows[1:], ends, ends[1:], strict=False)
    )
    return sum(ends) >= max(2, _SHARE * len(rows)) and described <= _DESCRIBED * len(rows)


def _looks_like_index(rows: Sequence[Row]) -> bool:
    """Whether rows are sorted by their terms and not by their pages."""
    entries = entries_of(rows)
    numbers = [int(entry.marked[0]) for entry in entries if entry.marked[0].isdigit()]
    worded = sum(sum(map(str.isalpha, entry.term)) > 1 for entry in entries)
    if len(entries) < _FEWEST or len(numbers) < 2 or worded < _WORDED * len(entries):
        return False
    rising = _share(numbers)
    if rising > _RISING:
        return False
    keys = [key for entry in entries if not entry.under and (key := sort_key(entry.term)) and key.isascii()]
    return len(keys) < _FEWEST or _share(keys) >= _SORTED


def _share(values: Sequence[Any]) -> float:
    """The share of neighbours that are in order."""
    in_order = sum(bool(before <= after) for before, after in pairwise(values))
    return in_order / max(1, len(values) - 1)


def _merged(entries: Sequence[PrintedEntry], numbers: Numbering, own: set[int]) -> tuple[IndexEntry, ...]:
    """The entries with physical pages: one a term, without pages of the index itself."""
    found: dict[str, tuple[tuple[str, ...], set[int]]] = {}
    for entry in entries:
        pages = {page for mark in entry.marked for page in numbers.pages(mark)} - own
        if pages:
            found.setdefault(entry.full, (entry.under, set()))[1].update(pages)
    return tuple(IndexEntry(term, tuple(sorted(pages)), under) for term, (under, pages) in found.items())
