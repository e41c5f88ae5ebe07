"""Which physical page a printed page number means: by the PDF's page labels, or by the terms themselves.

A term votes for an offset if its text stands on the page that is printed plus the offset; the offset with
most votes holds. Votes also tell a printed index from any other list that ends in numbers.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .entries import PrintedEntry

_SAMPLE = 250
_SURELY = 0.65
_LOWEST, _HIGHEST = -60, 200
_LONGEST_RANGE = 60
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_IS_ROMAN = re.compile(r"(?=.)(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_RANGE = re.compile(r"(?P<first>.*?[^\s\-–—−~～])\s?(?:-|–|—|−|~|～|to)\s?(?P<last>.+)")
_FOLLOWING = re.compile(r"(?P<page>.*?[\divxlc])\s?(?P<more>f{1,2})\.?")
_NOTE = re.compile(r"(?P<page>\d+)(?:n\.?\d{0,2}|t)")

Texts = Callable[[int], str]
"""The text of a page by its 0-based number, normalised by :func:`plain`."""


def plain(text: str) -> str:
    """Text as terms are looked up in it: one case, no ligatures, no hyphens at line ends, no spaces."""
    joined = re.sub(r"(?<=\w)[-\xad]\n", "", text)
    return "".join(unicodedata.normalize("NFKC", joined).casefold().split())


@dataclass(frozen=True, slots=True)
class Numbering:
    """What printed pages mean. ``labels`` is label -> 1-based pages; without labels, arabic numbers are
    ``offset`` pages further on, and roman ones ``roman``. ``agreement`` is the share of terms that stand
    where this says they do, ``chance`` the share that any other offset reaches."""

    count: int
    labels: Mapping[str, int] = field(default_factory=dict)
    offset: int | None = None
    roman: int | None = None
    agreement: float = 0.0
    chance: float = 0.0

    def pages(self, marked: str) -> list[int]:
        """The 1-based physical pages of a printed "12", "xii", "12-15", "12f" (and the next) or "12ff"
        (and the next two); none for what is no page here."""
        mark = marked.strip(" *[]()")
        if (single := self._page(mark)) is not None:
            return [single]
        if match := _RANGE.fullmatch(mark):
            first, last = self._page(match["first"]), self._page(_completed(match["first"], match["last"]))
            if first is not None and last is not None and first <= last < first + _LONGEST_RANGE:
                return list(range(first, last + 1))
            return [] if first is None else [first]
        if match := _FOLLOWING.fullmatch(mark):
            page = self._page(match["page"])
            more = 0 if page is None else min(len(match["more"]), self.count - page)
            return [] if page is None else list(range(page, page + more + 1))
        match = _NOTE.fullmatch(mark)
        page = self._page(match["page"]) if match else None
        return [] if page is None else [page]

    def _page(self, mark: str) -> int | None:
        if mark in self.labels:
            return self.labels[mark]
        if self.offset is not None and mark.isdigit():
            page = int(mark) + self.offset
        elif self.roman is not None and (value := _roman(mark)):
            page = value + self.roman
        else:
            return None
        return page if 1 <= page <= self.count else None


def numbering(
    entries: Sequence[PrintedEntry], labels: Sequence[str | None], texts: Texts, body: Sequence[int]
) -> Numbering:
    """What the printed pages of ``entries`` mean in a document with these page ``labels``.

    ``body`` are the 0-based pages that may be meant: all but the index's own. Labels hold where most
    terms stand where they say, or no offset does better. Of pages with one label the last is meant, as
    front matter comes first.
    """
    allowed = set(body)
    by_label = {label: page for page, label in enumerate(labels, 1) if label}
    labelled = Numbering(len(labels), by_label)
    agreed = agreement(entries, labelled, texts)
    if agreed >= _SURELY:
        return replace(labelled, agreement=agreed)
    sample = [(looked_up(entry), mark) for entry in _sampled(entries) for mark in entry.marked[:2]]
    offset, share, chance = _vote([(t, int(m)) for t, m in sample if m.isdigit()], texts, allowed)
    if by_label and agreed >= share:
        return replace(labelled, agreement=agreed, chance=chance)
    roman, roman_share, _ = _vote([(t, v) for t, m in sample if (v := _roman(m))], texts, allowed)
    return Numbering(len(labels), {}, offset, roman if roman_share > 0.5 else None, share, chance)


def _sampled(entries: Sequence[PrintedEntry]) -> Sequence[PrintedEntry]:
    return entries[:: max(1, len(entries) // _SAMPLE)]


def agreement(entries: Sequence[PrintedEntry], numbers: Numbering, texts: Texts) -> float:
    """The share of a sample of ``entries`` that stand on the first page that ``numbers`` make of theirs."""
    sample = _sampled(entries)
    agreed = 0
    for entry in sample:
        pages = numbers.pages(entry.marked[0])
        agreed += bool(pages) and _stands(looked_up(entry), texts(pages[0] - 1))
    return agreed / max(1, len(sample))


def looked_up(entry: PrintedEntry) -> tuple[str, ...]:
    """The words by which an entry is found on its page, as :func:`plain` has them."""
    term = re.sub(r"\(.*?\)", " ", entry.term)
    words = [plain(word) for word in re.split(r"[\s,/]+", term)]
    kept = tuple(word for word in words if len(word) > 1)
    return kept or (plain(entry.term),)


def _stands(words: Iterable[str], text: str) -> bool:
    return all(word in text for word in words)


def _vote(
    sample: Sequence[tuple[tuple[str, ...], int]], texts: Texts, allowed: set[int]
) -> tuple[int | None, float, float]:
    """The offset (1-based physical page minus printed) that most terms stand at, the share that do, and
    the share at a middling offset."""
    if not sample:
        return None, 0.0, 0.0
    votes = dict.fromkeys(range(_LOWEST, _HIGHEST + 1), 0.0)
    hits = dict.fromkeys(votes, 0)
    for words, printed in sample:
        at = [d for d in votes if (page := printed + d - 1) in allowed and _stands(words, texts(page))]
        for offset in at:
            votes[offset] += 1 / len(at)
            hits[offset] += 1
    best = max(votes, key=lambda offset: (votes[offset], -abs(offset)))
    return best, hits[best] / len(sample), statistics.median(hits.values()) / len(sample)


def _roman(mark: str) -> int | None:
    if not _IS_ROMAN.fullmatch(mark):
        return None
    values = [_ROMAN[letter] for letter in mark]
    after = [*values[1:], 0]
    return sum(-value if value < following else value for value, following in zip(values, after, strict=True))


def _completed(first: str, last: str) -> str:
    """The end of a range in full: "112-15" ends on 115."""
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        return first[: len(first) - len(last)] + last
    return last
