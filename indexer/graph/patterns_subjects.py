"""What a chunk is about by its titles: its document's, and that of its deepest telling section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..names import Found, find_names
from ..names_lists import CONNECTORS, GENERIC_DENSE, is_generic, openers
from .extraction import Passage
from .patterns_names import Gathered

_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang|chapitre|annexe|capítulo)\s+)?"
    r"(?P<number>\d+(?:[.-]\d+)*|[A-Z](?:[.-]\d+)+|(?<=appendix )[A-Z]|(?<=anhang )[A-Z])[.:)]?\s+(?=\S)",
    re.IGNORECASE,
)
_DENSE_NUMBER = re.compile(r"第\s*(?P<number>[\d一二三四五六七八九十百.-]+)\s*[章节節部编篇]\s*")
_NUMBER_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?P<number>(?:\d+|[A-Z])(?:\.\d+)+|\d+)[.:)]?[ \t]+\Z")
_TAIL = re.compile(r"(?:\s+[-–—]+\s+|:\s+)")
_IN_BRACKETS = re.compile(r"(?P<name>\S.*?)\s*\((?P<inner>[^()]{1,60})\)\Z")
_WIKI = re.compile(r"[^\W_a-z][^_\s]*(?:_[^_\s]+)+\Z")
_COMMA = re.compile(r"(?P<name>[^\W\d_][^,()]{1,60}), [^\W\d_][^,()]{1,40}\Z")
_LONGEST_TITLE = 90
_SHORTEST = 2
_HEAD = 400
"""Characters at the beginning of a chunk in which its section's title may stand."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title taken apart: its ``name`` without a number, other ways to say it, what it says of it."""

    name: str
    number: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    generic: bool = False


@lru_cache(maxsize=1 << 13)
def read_title(title: str) -> Title:
    """Takes a title apart: "4.2 ADDPS - Add packed values" is ADDPS, numbered 4.2."""
    text = " ".join(title.split())
    match = _NUMBER.match(text) or _DENSE_NUMBER.match(text)
    number = match["number"] if match else ""
    rest = text[match.end() :] if match else text
    if _WIKI.match(rest) and any(map(str.islower, rest)):
        rest = rest.replace("_", " ")
    parts = _TAIL.split(rest, maxsplit=1)
    name, aliases, description = rest, [], ""
    if len(parts) == 2 and 1 <= len(parts[0].split()) <= 4 and (len(parts[0]) > 1 or parts[0].isupper()):
        name, description = parts
        aliases.append(rest)
    bracketed = _IN_BRACKETS.match(name)
    if bracketed and bracketed["inner"]:
        aliases.append(bracketed["name"])
    apart = _COMMA.match(name)
    if apart and apart["name"][0].isupper() and name.rsplit(", ", 1)[1][0].isupper():
        aliases.append(apart["name"])
    plain = name.strip(" .:").casefold()
    generic = is_generic(plain) or plain in GENERIC_DENSE or not any(map(str.isalpha, name))
    return Title(name, number, tuple(aliases), description, generic)


@dataclass(frozen=True, slots=True)
class About:
    """What a chunk is about. ``subject`` is the deepest of its titles that says something, as a name of the
    chunk; ``place`` the number of its section, or that subject where it has none; ``titles`` are those names
    and their other forms, as the text may have them; ``words`` the case-folded words of the titles."""

    subject: str
    place: str
    titles: tuple[str, ...]
    words: frozenset[str]


def add_subjects(gathered: Gathered, passage: Passage) -> About:
    """Adds the names of the titles and the place that the chunk's section is."""
    sections = [read_title(title) for title in passage.section]
    telling = next((title for title in reversed(sections) if not title.generic), None)
    subject, titles = "", []
    for title in (read_title(passage.title) if passage.title else None, telling):
        if title is not None:
            subject = _add_title(gathered, title, passage.language) or subject
            titles += [title.name, *title.aliases]
    number = _own_number(passage, sections)
    place = ""
    if number and sections:
        aliases = (f"Section {number}",)
        added = gathered.add(
            number, type="section", role="subject", local=True, aliases=aliases, description=sections[-1].name
        )
        place = added or ""
    words = (passage.title, *passage.section[-1:])
    return About(
        subject,
        place or subject,
        tuple(title for title in titles if _SHORTEST < len(title) <= _LONGEST_TITLE),
        frozenset(word.strip("(),.:;\"'").casefold() for title in words for word in title.split()),
    )


def _own_number(passage: Passage, sections: Sequence[Title]) -> str:
    """The number of the chunk's section: in its title, or before that title at the head of the text."""
    if not sections:
        return ""
    if sections[-1].number:
        return sections[-1].number
    at = passage.text.find(sections[-1].name, 0, _HEAD)
    match = _NUMBER_BEFORE.search(passage.text, max(0, at - 24), at) if at > 0 else None
    return match["number"] if match else ""


def _add_title(gathered: Gathered, title: Title, language: str | None) -> str:
    """The title as a name of the chunk; where it is a phrase rather than a name, the names in it, too."""
    added = gathered.add(title.name, role="subject", aliases=title.aliases, description=title.description)
    words = [word for word in title.name.split() if word not in CONNECTORS and word not in openers("en")]
    phrase = sum(word.islower() for word in words) > 1
    for found in find_names(title.name, language):
        if found.kind != "term":
            gathered.add(found.name, role="subject" if phrase else "mention", kind=found.kind)
    return added or ""


def title_spans(text: str, titles: Sequence[str]) -> Iterator[Found]:
    """Where a text has its own titles, word for word."""
    for title in titles:
        at = text.find(title)
        while at >= 0:
            end = at + len(title)
            if not (text[at - 1 : at].isalnum() or (text[end : end + 1].isalnum() and title[-1].isascii())):
                yield Found(title, at, end, "name")
            at = text.find(title, end)
