"""How the pages of a document were read: by which ways, why, and which of them nothing could read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..indexer.pages import Origin, Page
from ..indexer.stores.ledger_rows import DocumentRow


@dataclass(frozen=True, slots=True)
class Coverage:
    """``read`` counts the pages that gave text, by way; ``why`` all pages that were not, or not without
    doubt, read by their text layer, by reason. ``unreadable`` are the numbers of pages that show something
    and gave nothing."""

    read: Mapping[Origin, int]
    why: Mapping[str, int]
    unreadable: tuple[int, ...]


def coverage_of(pages: Iterable[Page]) -> Coverage:
    """The coverage of a document's pages."""
    read: Counter[Origin] = Counter()
    why: Counter[str] = Counter()
    unreadable: list[int] = []
    for page in pages:
        empty = page.end == page.start
        if not empty:
            read[page.origin] += 1
        if page.why:
            why[_reason(page)] += 1
        if empty and page.why:
            unreadable.append(page.number)
    return Coverage(read, why, tuple(unreadable))


def pages_read(
    rows: Iterable[DocumentRow], pages: Mapping[str, Iterable[Page]]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """How many pages of these documents were read in each way, and by source those that nothing could read;
    ``pages`` are all documents', by id."""
    read: Counter[str] = Counter()
    unreadable: dict[str, list[int]] = {}
    for row in rows:
        coverage = coverage_of(pages[row.document.id])
        read.update(coverage.read)
        if coverage.unreadable:
            unreadable[row.document.source] = list(coverage.unreadable)
    return dict(read), unreadable


def _reason(page: Page) -> str:
    """Why a page was read as it was: for one that gave text in another way the sign that asked for it,
    without what is remarked of the reading; for one that stays by its text layer, or gave nothing, all of
    it."""
    whole = page.origin == "text" or page.end == page.start
    return page.why if whole else page.why.partition(";")[0]
