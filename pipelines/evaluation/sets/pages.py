"""Labels that answer a question with pages of a document, or with sections where it has no pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....indexer.sources import SourceFile
from ..places import page_place, section_place
from ..questions import Question
from .lines import Faults
from .queries import Query
from .sources import Sources

_FILE = ("pdf", "file")
_PAGES = ("page0", "pages0")
_SECTIONS = "sections"
_GRADES = "grades"
ALSO = "also"
"""Further documents that answer a question: a list of objects, each with its file and pages or sections."""

Missing = Callable[[str], str]
"""What to say of a file that is not there, by its name."""


def named_files(query: Query, otherwise: str | None) -> list[str]:
    """The documents that a label names rightly; ``otherwise`` where it names none of its own."""
    also = query.rest.get(ALSO)
    further = [each for each in also if isinstance(each, dict)] if isinstance(also, list) else []
    names = [_named_file(query.rest, otherwise), *(_named_file(each, None) for each in further)]
    return [name for name in names if name is not None]


def _named_file(label: Mapping[str, Any], otherwise: str | None) -> str | None:
    name = next((label[key] for key in _FILE if key in label), otherwise)
    return name if isinstance(name, str) and name else None


class Labels:
    """Turns labels into questions, over the documents of one part. ``place`` is what its index calls a
    file; a label without a file means ``otherwise``."""

    def __init__(
        self,
        sources: Sources,
        faults: Faults,
        missing: Missing,
        place: Callable[[SourceFile], str],
        otherwise: str | None = None,
    ) -> None:
        self._sources = sources
        self._faults = faults
        self._missing = missing
        self._place = place
        self._otherwise = otherwise
        self._said: set[str | None] = set()

    def questions(self, queries: list[Query]) -> Iterator[Question]:
        """The questions whose labels hold; faults: no gold, no such file (said once a name), several of
        that name, pages that are none or that the PDF does not have."""
        for query in queries:
            try:
                gold = self._gold(query)
            except _Wrong as wrong:
                if wrong.once is None or wrong.once not in self._said:
                    self._faults.add(query.line.path, query.line.number, str(wrong))
                    self._said.add(wrong.once)
            else:
                fields = {key: value for key, value in query.rest.items() if key not in _used(query)}
                yield Question(query.id, query.text, gold, fields)

    def _gold(self, query: Query) -> dict[str, int]:
        gold = self._places(query.rest, self._otherwise)
        also = query.rest.get(ALSO, [])
        if not isinstance(also, list) or not all(isinstance(label, dict) for label in also):
            raise _Wrong(f'{ALSO} is not a list of objects like {{"pdf": ..., "page0": ...}}')
        for label in also:
            gold |= self._places(label, None)
        return gold

    def _places(self, label: Mapping[str, Any], otherwise: str | None) -> dict[str, int]:
        """The places that a label names in one document, each with its grade."""
        file = self._file(_named_file(label, otherwise))
        places = self._sections(label, file) if _SECTIONS in label else self._pages(label, file)
        grades = label.get(_GRADES, [1] * len(places))
        if not _are_grades(grades, len(places)):
            raise _Wrong("grades are not one whole number from 1 on for each page or section")
        return dict(zip(places, grades, strict=True))

    def _file(self, name: str | None) -> SourceFile:
        if name is None:
            raise _Wrong('names no document: give it a "pdf"')
        found = self._sources.find(name)
        if not found:
            raise _Wrong(self._missing(name), once=name)
        if len(found) > 1:
            several = ", ".join(file.source for file in found[:3])
            raise _Wrong(f"{name} may be any of {several}; name it by more of its path", once=name)
        return found[0]

    def _sections(self, label: Mapping[str, Any], file: SourceFile) -> list[str]:
        sections = label[_SECTIONS]
        if not _are_sections(sections):
            raise _Wrong(f"{_SECTIONS} is not a list of lists of titles")
        source = self._place(file)
        return list(dict.fromkeys(section_place(source, titles) for titles in sections))

    def _pages(self, label: Mapping[str, Any], file: SourceFile) -> list[str]:
        key = next((key for key in _PAGES if key in label), None)
        if key is None:
            raise _Wrong('has no gold: give it "page0", "pages0" or "sections"')
        pages = label[key] if isinstance(label[key], list) else [label[key]]
        if not pages or not all(type(page) is int for page in pages):
            raise _Wrong(f"{key} is not a page number, counted from 0, or a list of them")
        self._check(pages, file)
        source = self._place(file)
        return list(dict.fromkeys(page_place(source, page + 1) for page in pages))

    def _check(self, pages: list[int], file: SourceFile) -> None:
        if (lowest := min(pages)) < 0:
            raise _Wrong(f"page {lowest} is less than 0")
        count = self._sources.page_count(file)
        if count is not None and (highest := max(pages)) >= count:
            counted = f"{file.source} has {count}, counted from 0 to {count - 1}"
            raise _Wrong(f"there is no page {highest}: {counted}")


class _Wrong(Exception):
    """What is wrong with a label; ``once``: what it is said of only once."""

    def __init__(self, message: str, once: str | None = None) -> None:
        super().__init__(message)
        self.once = once


def _used(query: Query) -> set[str]:
    """The keys that say what answers a question, and are no fields of it."""
    file = next((key for key in _FILE if key in query.rest), "")
    return {file, *_PAGES, _SECTIONS, _GRADES, ALSO}


def _are_sections(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(titles, list) and all(isinstance(title, str) for title in titles) for titles in value
        )
    )


def _are_grades(value: Any, count: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(type(grade) is int and grade > 0 for grade in value)
    )
