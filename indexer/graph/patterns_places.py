"""Places of a document (sections, figures, tables) that a chunk stands in, shows or refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NUMBER = r"(?:\d{1,4}(?:[.\-‑–]\d{1,4}){0,6}[a-z]?|[A-Z](?:[.\-‑–]\d{1,4}){1,6})"
_WORD = (
    r"(?P<figure>fig(?:ure|\.)|abb(?:ildung|\.)|figura|рис(?:унок|\.))|"
    r"(?P<table>tab(?:le|\.|elle|leau|la)|таблица)|"
    r"(?P<section>sec(?:tion|\.)|sect\.|chapter|chapt?\.|appendix|§|abschnitt|kapitel|kap\.|anhang|chapitre|"
    r"annexe|secci[oó]n|cap[ií]tulo|sezione|capitolo|раздел|глава)"
)
_PARTS = r"\d{1,3}(?:[.\-]\d{1,3}){0,5}"
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){1,5}"
_NO_LETTER = r"(?<![A-Za-zÀ-ɏ\d])"
_SPACED = re.compile(
    rf"{_NO_LETTER}(?:{_WORD})s?[ \t\xa0\n]{{0,2}}"
    rf"(?P<number>{_NUMBER}|(?<=appendix )[A-Z]|(?<=anhang )[A-Z])"
    r"(?![A-Za-z\d])(?! (?:of|in|von|de) (?:the )?[A-Z])",  # "Chapter 2 of Some Book" is in another document
    re.IGNORECASE,
)
_SEE = re.compile(
    rf"{_NO_LETTER}(?:see(?: also)?|refer to|cf\.|siehe(?: auch)?|vgl\.|voir|v[ée]ase|vedi|ver|см\.)"
    rf"[ \t\n]{{1,2}}(?P<number>{_DOTTED})(?![\w%])",
    re.IGNORECASE,
)
_DENSE = re.compile(
    rf"(?:(?P<figure>[图圖図]|그림)|(?P<table>表格?|표))[ \t]?(?P<number>{_NUMBER})(?![\d%年月日])"
    rf"|第[ \t]?(?P<chapter>{_PARTS})[ \t]?[章节節]"
    rf"|(?:제[ \t]?|(?<![\d.]))(?P<korean>(?:[A-Z]\.)?{_PARTS})[ \t]?[장절]"
    r"(?=[을를과와의은는에]?[ ,.)을를]|$)"
    rf"|[項项](?P<item>{_DOTTED})"
    rf"|(?:参见|参看|参阅|详见|见|參見|参照[:：]?)[ \t]?(?P<seen>{_DOTTED})"
    rf"|(?<![\d.])(?P<after>{_DOTTED})[ \t]?[章节節절장项項]?[ \t]?"
    r"(?:を参照|参照|을 참[조고]|를 참[조고]| 참[조고])"
)
_HINT = re.compile(r"[图圖図表第見见參参그표절장項项]")
_CAPTION_END = re.compile(r"[ \t]{0,2}[:.：。—–-][ \t]{1,3}|[ \t]{1,3}(?=\S)")
_LEADER = re.compile(r"\.{3,}|(?:\. ){3,}|…")
_LONGEST_CAPTION = 100
_NEARBY = 200
"""Characters around a place's name that are looked at."""


class Place(NamedTuple):
    """A place that a text names at ``start``. ``name`` is the same however it is written: the number alone of
    a section, "Figure 3-1", "Table 5"; ``caption`` is the title that stands there if this is where it is."""

    name: str
    type: str
    written: str
    start: int
    end: int
    caption: str | None = None


def find_places(text: str) -> Iterator[Place]:
    """The places that ``text`` names, in no order; tables of contents and lists of figures name none."""
    for match in _SPACED.finditer(text):
        yield from _place(text, match, _type(match), match["number"])
    for match in _SEE.finditer(text):
        yield from _place(text, match, "section", match["number"])
    if not text.isascii() and _HINT.search(text):
        for match in _DENSE.finditer(text):
            groups = match.groupdict()
            number = next(
                groups[key] for key in ("number", "chapter", "korean", "item", "seen", "after") if groups[key]
            )
            yield from _place(text, match, _type(match), number)


def _type(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((key for key in ("figure", "table") if groups.get(key)), "section")


def _place(text: str, match: re.Match[str], type: str, number: str) -> Iterator[Place]:
    number = re.sub("[‑–]", "-", number).rstrip(".-")
    name = number if type == "section" else f"{type.capitalize()} {number}"
    low, high = max(0, match.start() - _NEARBY), match.end() + _NEARBY
    line = max(text.rfind("\n", low, match.start()) + 1, low)
    line_end = text.find("\n", match.end(), high)
    rest = text[match.end() : line_end if line_end >= 0 else high]
    if _LEADER.search(rest):
        return
    caption = None
    if type != "section" and not text[line : match.start()].strip(" \t*_#>"):
        follows = _CAPTION_END.match(rest)
        title = rest[follows.end() :].strip(" .*_") if follows else ""
        marked = follows is not None and follows[0].strip() != ""
        if (
            title
            and len(title) <= _LONGEST_CAPTION
            and (marked or title[0].isupper() or not title[0].isascii())
        ):
            caption = title
    written = " ".join(match[0].split())
    yield Place(name, type, written, match.start(), match.end(), caption)
