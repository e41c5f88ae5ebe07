"""Keeping chosen entries of the outline from the index, so that a question does not stand in it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...indexer.digests import digest
from ...indexer.types import Content
from .questions import Withheld

VERSION = 1
_NUMBER = re.compile(r"^[\s#*]*(?:(?:[A-Z]|[IVXLC]+|\d+)(?:[.\-]\d+)*[.):]?\s+)?")
"""Before a title: marks of Markdown, and the number of a chapter or section."""
_LEADERS = re.compile(r"[\s.·…_\-–—*]*(?:\d{1,4}|[ivxlc]{1,7})?[\s*]*$", re.IGNORECASE)
"""After a title, in a table of contents: dots and the page's number."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Withholding:
    """Takes entries out of outlines, and their titles out of the text wherever they stand as a line of
    their own: over their section, and in a table of contents. An Edit of a build.

    What is taken out becomes blanks, so that every offset stays as it is.
    """

    withheld: Mapping[str, tuple[Withheld, ...]]

    @property
    def name(self) -> str:
        """What is withheld, as a digest."""
        entries = {
            source: [[each.title, each.page] for each in found] for source, found in self.withheld.items()
        }
        return digest(["withholding", VERSION, entries])

    def __call__(self, source: str, content: Content) -> Content:
        """``content`` without the entries withheld of ``source``."""
        entries = self.withheld.get(source, ())
        if not entries:
            return content
        gone = {(_folded(entry.title), entry.page) for entry in entries}
        starts = [page.start for page in content.pages]
        sections = tuple(
            section
            for section in content.sections
            if (_folded(section.title), bisect_right(starts, section.start)) not in gone
        )
        titles = [entry.title for entry in entries]
        return replace(content, sections=sections, text=_without_lines(content.text, titles))


def _without_lines(text: str, titles: Iterable[str]) -> str:
    """``text`` with every line blanked that says one of ``titles`` and nothing else of its own."""
    gone = {_bare(title) for title in titles} - {""}
    lines = text.split("\n")
    return "\n".join(" " * len(line) if line and _bare(line) in gone else line for line in lines)


def _bare(line: str) -> str:
    """A title as it is compared: folded, without its number before it and leaders after it."""
    folded = _SPACES.sub(" ", line.strip())
    return _folded(_LEADERS.sub("", _NUMBER.sub("", folded)))


def _folded(title: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", title)).strip().casefold()
