"""The entries of a back-of-book index, from its rows: terms, sub-terms and the pages printed with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .rows import Row

_LEADERS = re.compile(r"(?:(?:\s*[.․‥…·・‧]){2,}\s*|\s+[.·]\s+)(?=\W{0,2}(?:\d|[ivxlc]+\b)|$)")
_LEADER = "\x00"
_PAGE = (
    r"[*\[(]?(?:[A-Za-z]{1,3}[-–.])?(?:\d{1,5}|[ivxlc]{1,8})(?:[-.]\d{1,4}(?=[-.]?\D|$))?"
    r"(?:\s?(?:-|–|—|−|~|～|to)\s?(?:[A-Za-z]{1,3}[-–.])?(?:\d{1,5}|[ivxlc]{1,8})(?:[-.]\d{1,4})?)?"
    r"(?:\s?f{1,2}\.?|n\.?\d{0,2}|t)?[*\])]?"
)
_PAGES = rf"{_PAGE}(?:\s*[,;、，]\s*{_PAGE})*"
_WITH_COMMA = re.compile(
    rf"(?P<term>.*?\S)\s*(?:[,:;、，：]\s*|{_LEADER})\s*(?P<pages>{_PAGES})(?P<open>\s*[,;、，]?)\.?"
)
_WITH_SPACE = re.compile(rf"(?P<term>.*?\S)[,:{_LEADER}\s]\s*(?P<pages>{_PAGES})(?P<open>\s*[,;、，]?)\.?")
_ONLY_PAGES = re.compile(rf"[,{_LEADER}\s]*(?P<pages>{_PAGES})(?P<open>\s*[,;、，]?)\.?")
_SPLIT = re.compile(r"\s*[,;、，]\s*")
_SEE = re.compile(
    r"(?:[,;.:(（{]|\s|^)\s*(?:see also|see under|see|siehe auch|siehe|s\.\s?a\.|vgl\.|voir aussi|voir|véase|"
    r"vedi anche|vedi|zie ook|zie|参见|另见|參見|→|⇒|☞)\s+(?=\S).*$",
    re.IGNORECASE,
)
_SEE_AFTER = re.compile(r".*(?:を見よ|を参照|참조|보라)$")
_DASHES = re.compile(r"((?:-{1,4}\s+|[–—―]+\s*){1,4})(?=[^\s\d-])")
_HALF_RANGE = re.compile(r".*\d\s?[-–—]")
_HEADING = re.compile(
    r"\W*(?:\w{1,2}|symbols?|symbole|numbers?|[^\W\d_]\s?[-–]\s?[^\W\d_])\W*", re.IGNORECASE
)
_STEP = 3.5
_TRAILING = " ,:;、，：" + _LEADER


@dataclass(frozen=True, slots=True)
class PrintedEntry:
    """A term with its pages as they are printed. ``under`` are the terms that it stands beneath,
    ``page`` the 1-based page of the index that it is on, ``marked`` the pieces of its page list."""

    term: str
    under: tuple[str, ...]
    marked: tuple[str, ...]
    page: int

    @property
    def full(self) -> str:
        """The term with those above it, as in "plot, styles, lines"."""
        return ", ".join((*self.under, self.term))


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A row taken apart: an ``open`` page list goes on in the next row."""

    row: Row
    text: str
    dashes: int
    term: str
    marked: tuple[str, ...]
    open: bool
    see: bool


def entries_of(rows: Sequence[Row]) -> list[PrintedEntry]:
    """The entries of an index's rows.

    A row that holds pages alone continues the entry before it; a term that did not fit its row is
    joined to the next; a deeper row (or one that begins with dashes) is a sub-entry; a letter as a
    heading and "see" lines hold no entry.
    """
    reader = _Reader(separated_by_space(rows))
    for row in rows:
        reader.add(row)
    return reader.entries()


def is_entry(row: Row, spaced: bool) -> bool:
    """Whether a row ends in pages (after a mere space, if ``spaced``), or is the rest of a list of them."""
    text = _normal(row.text)
    return bool(_ONLY_PAGES.fullmatch(text) or (_WITH_SPACE if spaced else _WITH_COMMA).fullmatch(text))


def sort_key(term: str) -> str:
    """What an index is sorted by: letters and digits, without accents and case."""
    plain = unicodedata.normalize("NFKD", term).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


@lru_cache(maxsize=1 << 14)
def _normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", _LEADERS.sub(_LEADER, text))
    return " ".join(text.split())


def separated_by_space(rows: Iterable[Row]) -> bool:
    """Whether pages stand after a space here ("relay 12, 15") rather than a comma or leaders."""
    comma, space = 0, 0
    for row in rows:
        text = _normal(row.text)
        if _ONLY_PAGES.fullmatch(text):
            continue
        if (match := _WITH_COMMA.fullmatch(text)) and not match["term"].rpartition(" ")[2].isdigit():
            comma += 1
        elif _WITH_SPACE.fullmatch(text):
            space += 1
    return space > comma


class _Reader:
    """The rows so far: the terms that the next one may stand beneath, and one that waits for its end."""

    def __init__(self, spaced: bool) -> None:
        self._pattern = _WITH_SPACE if spaced else _WITH_COMMA
        self._entries: list[PrintedEntry] = []
        self._above: list[tuple[float, str]] = []
        self._waiting: _Parsed | None = None
        self._open = False

    def entries(self) -> list[PrintedEntry]:
        return [entry for entry in self._entries if entry.marked]

    def add(self, row: Row) -> None:
        text = _normal(row.text)
        waiting, self._waiting = self._waiting, None
        if waiting is not None and _HALF_RANGE.fullmatch(waiting.text) and text[:1].isdigit():
            row, text = replace(waiting.row, room=row.room), waiting.text + text
        elif pages := _ONLY_PAGES.fullmatch(text):
            self._continue(waiting, row, pages)
            return
        elif waiting is not None and not waiting.see and _goes_on(waiting, row, text):
            row, text = replace(waiting.row, room=row.room), _joined(waiting.text, text)
        self._take(self._parse(row, text))

    def _parse(self, row: Row, text: str) -> _Parsed:
        without = _SEE.sub("", text) if not _SEE_AFTER.match(text) else ""
        see = without != text
        dashes = _DASHES.match(without)
        body = without[dashes.end() :] if dashes else without
        depth = len(re.findall(r"--|[-–—―]", dashes[1])) if dashes else 0
        match = self._pattern.fullmatch(body)
        if match is None:
            return _Parsed(row, text, depth, _term(body), (), False, see)
        marked = tuple(_SPLIT.split(match["pages"]))
        return _Parsed(row, text, depth, _term(match["term"]), marked, bool(match["open"].strip()), see)

    def _take(self, parsed: _Parsed) -> None:
        """Place a row under the terms above it; one without pages may only be the first part of a term."""
        self._open = parsed.open
        if not parsed.marked and not parsed.see:
            self._waiting = parsed
        depth = parsed.row.indent + parsed.dashes * _STEP * parsed.row.size
        tolerance = 0.4 * parsed.row.size
        while self._above and self._above[-1][0] >= depth - tolerance:
            self._above.pop()
        if not parsed.term or (not parsed.marked and _HEADING.fullmatch(parsed.term) and not depth):
            return
        under = tuple(term for _, term in self._above)
        self._above.append((depth, parsed.term))
        self._entries.append(PrintedEntry(parsed.term, under, parsed.marked, parsed.row.page))

    def _continue(self, waiting: _Parsed | None, row: Row, pages: re.Match[str]) -> None:
        """Add pages to the last entry: it waits for them, its list is open, or they stand deeper."""
        if not self._entries or not (waiting or self._open or row.indent > 0):
            return
        last = self._entries[-1]
        self._entries[-1] = replace(last, marked=(*last.marked, *_SPLIT.split(pages["pages"])))
        self._open = bool(pages["open"].strip())


def _term(text: str) -> str:
    return " ".join(text.strip(_TRAILING).replace(_LEADER, " ").split())


def _goes_on(waiting: _Parsed, row: Row, text: str) -> bool:
    """Whether a row is the rest of the one before: it stands deeper (or after a hyphen) and its first
    word had no room there."""
    deeper = row.indent > waiting.row.indent + 0.4 * row.size
    if waiting.text.endswith(("-", "\xad")) and text[:1].islower():
        return True
    if not deeper or _DASHES.match(text):
        return False
    first = text.partition(" ")[0].partition(_LEADER)[0]
    width = 1.0 if _is_wide(first[:1] or " ") else 0.5 * len(first)
    return waiting.row.room < width * row.size


def _joined(before: str, after: str) -> str:
    """Two rows of one term: without the hyphen that the line's end made, or a space where none belongs."""
    before = before.rstrip(_TRAILING.replace(",", ""))
    if re.search(r"[^\W\d_][-\xad]$", before) and after[:1].islower():
        return before[:-1] + after
    unspaced = all(_is_wide(letter) for letter in before[-1:] + after[:1])
    return before + after if unspaced else f"{before} {after}"


def _is_wide(letter: str) -> bool:
    """Whether a letter is of a script without spaces, and as wide as high."""
    return unicodedata.east_asian_width(letter) in "WF"
