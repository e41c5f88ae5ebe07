"""Scope questions: entries of the outline that are withheld from the index, and whose title is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from ....indexer.function_words import content_words
from ....indexer.types import Section
from ....indexer.word_forms import is_dense, normalise, tokens
from ..places import page_place
from ..questions import Withheld
from .candidates import Candidate
from .generic_titles import GENERIC
from .layout import bare_title
from .reading import Read
from .wording import plain

FEWEST_PAGES, MOST_PAGES = 5, 60

_PART = (
    r"(?:(?i:chapter|section|part|appendix|annex|item|note|article|exhibit|unit|module|lesson|"
    r"kapitel|abschnitt|teil|anhang|chapitre|partie|annexe|capítulo|parte|apéndice|capitolo|appendice|"
    r"hoofdstuk|глава|раздел|часть|приложение|附录|付録|부록)\s*)"
)
_LETTER = r"(?:[A-Z]|[IVXLC]{1,5})"
_NUMBER = re.compile(
    rf"(?:{_PART}?(?:(?:{_LETTER}\.)?\d+(?:[.\-]\d+)*[.):]?|{_LETTER}[.):])|{_PART}{_LETTER})"
    r"(?:\s+[-–—:]\s*|\s+)"
    r"|\d+\.\d+(?:\.\d+)*(?=[^\W\d_])|\d{1,2}(?=[A-Z][a-z]{2})"
    r"|第\s*[\d一二三四五六七八九十]+\s*[章节節部編编]\s*|제?\s*\d+\s*[장절부]\s*[.:]?\s*"
)
_GENERIC_DENSE = re.compile("|".join(sorted(filter(is_dense, GENERIC), key=len, reverse=True)))
_INNER = re.compile(r"[^\w]+")


def scope(read: Read, order: Callable[[str], str]) -> Iterator[Candidate]:
    """Half of the entries of 5 to 60 pages whose title says something alone, by the ``order`` of their
    ids; the pages of an entry answer it, to the next one of its level or above."""
    entries = list(_entries(read))
    entries.sort(key=lambda entry: order(entry.id))
    yield from entries[: (len(entries) + 1) // 2]


def asked_title(section: Section) -> str:
    """The title of an entry without its number, as it is asked."""
    title = plain(section.title)
    match = _NUMBER.match(title)
    return (title[match.end() :] if match else title) or title


def says_something(title: str, language: str | None) -> bool:
    """Whether a title tells what its section is about without the titles above it."""
    found = tokens(normalise(title))
    spaced = [token for token in found if not is_dense(token)]
    said = [word.casefold() for word in content_words(spaced, [language or "en"])] if spaced else []
    said += [_GENERIC_DENSE.sub("", token) for token in found if is_dense(token)]
    if _INNER.sub("", title).casefold() in GENERIC:
        return False
    return any(len(word) > 1 and word not in GENERIC and any(map(str.isalpha, word)) for word in said)


def _entries(read: Read) -> Iterator[Candidate]:
    sections = read.content.sections if read.content.pages else ()
    times = Counter(bare_title(asked_title(section)) for section in sections)
    for index, section in enumerate(sections):
        pages = read.layout.pages(section.start, read.layout.section_end(index))
        title = asked_title(section)
        if not FEWEST_PAGES <= len(pages) <= MOST_PAGES or times[bare_title(title)] > 1:
            continue
        if says_something(title, read.language) and not read.layout.points_elsewhere(section.start):
            places = tuple(page_place(read.source, page) for page in pages)
            withheld = Withheld(section.title, pages[0])
            yield Candidate("scope", title, read.source, places, {"pages": len(pages)}, withheld)
