"""Places: what a labelled question's gold is made of, and what a hit counts as, each one string.

A record of a corpus is its ``_id``; a page is ``<source>@<number>``, 1-based, as ``treegraph read`` takes
it; a section of a document without pages is ``<source>#<title> > <title>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ...indexer.types import Citation, Hit

Unit = Literal["record", "page"]
"""What k counts: records of a corpus, or pages (sections, where a document has no pages)."""


def page_place(source: str, page: int) -> str:
    """The place of a page, 1-based."""
    return f"{source}@{page}"


def section_place(source: str, titles: Sequence[str]) -> str:
    """The place of a section, by the titles that lead to it."""
    return f"{source}#{' > '.join(titles)}"


def source_of(place: str, unit: Unit) -> str | None:
    """The source that a place is in; None for a record."""
    if unit == "record":
        return None
    before, mark, _ = place.rpartition("@")
    return before if mark and place[len(before) + 1 :].isdigit() else place.partition("#")[0]


def record_of(source: str) -> str:
    """The ``_id`` of the record that is at ``source``; empty where there is none."""
    before, mark, record = source.partition(".jsonl#")
    return record if mark else before.partition("#")[2]


def places_of(citation: Citation, unit: Unit) -> Iterator[str]:
    """The places that a citation counts as, first page first."""
    if unit == "record":
        yield record_of(citation.source)
    elif citation.pages is not None:
        yield from (page_place(citation.source, page) for page in citation.pages)
    else:
        yield section_place(citation.source, citation.section)


def ranking(hits: Iterable[Hit], unit: Unit, left_out: frozenset[str] = frozenset()) -> list[str]:
    """The distinct places of ``hits`` in order: a hit expands to its chunks, best first, a chunk to its
    pages, first page first."""
    found = (place for hit in hits for citation in hit.citations for place in places_of(citation, unit))
    return [place for place in dict.fromkeys(found) if place not in left_out]
