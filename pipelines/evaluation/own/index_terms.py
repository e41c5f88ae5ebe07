"""Terms of the printed back-of-book index: each is a question, its pages are the answer."""

from __future__ import annotations

from collections.abc import Iterator

from ..places import page_place
from .candidates import Candidate
from .reading import Read
from .wording import words_said

_SCATTERED = 3
"""Pages on which a topic is scattered, at least."""
_MOST_PAGES = 25
"""A term on more pages than this is everywhere: no ten hits can answer it."""


def index_terms(read: Read) -> Iterator[Candidate]:
    """Every term of the printed index that has a word in it."""
    yield from _terms(read, "index", 1)


def scattered_terms(read: Read) -> Iterator[Candidate]:
    """The terms of the printed index that stand on three physical pages or more."""
    yield from _terms(read, "scattered", _SCATTERED)


def _terms(read: Read, kind: str, least: int) -> Iterator[Candidate]:
    if read.index is None:
        return
    for entry in read.index.entries:
        pages = sorted(set(entry.pages))
        if least <= len(pages) <= _MOST_PAGES and words_said(entry.term, read.language):
            places = tuple(page_place(read.source, page) for page in pages)
            yield Candidate(kind, entry.term, read.source, places)
