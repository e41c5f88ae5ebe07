"""Where sentences end, in most scripts, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSERS = "\"'”’»›)\\]}」』）】〉》"
_BULLET = r"[ \t]*(?:[-*+•‣◦▪●○·–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])[ \t]+\S|[ \t]*(?:\||#{1,6} )"
_FIRST = re.compile(r"[。！？｡.!?…؟۔।॥\n]")
"""What an end begins with: to look for that alone first takes a third of the time."""
_ENDS = re.compile(
    rf"(?P<wide>[。！？｡]+[{_CLOSERS}]*\s*)"
    rf"|(?P<stop>[.!?…؟۔।॥]+)[{_CLOSERS}]*(?:\s+|\Z)"
    rf"|(?P<line>\n[ \t]*\n\s*|\n(?={_BULLET}))"
)
_BEFORE = re.compile(r"[^\s(\[{\"'“‘«„]*\Z")
_INNER_BLANK = re.compile(r"\n[ \t]*\n")

_KNOWN = """
e.g i.e fig figs no nos vol vols eq eqs sec secs sect ch chap chaps pp p pg par para vs viz cf al ca
approx ref refs app ex max min resp incl excl dept est ed eds rev ver art tab tbl dr mr mrs ms prof st
sr jr gen col sgt rep sen gov inc ltd corp co bros jan feb mar apr jun jul aug sep sept oct nov dec
mon tue wed thu fri sat sun a.k.a u.s u.k e.u ph.d
z.b d.h u.a o.ä o.a i.d.r u.u s.o s.u z.t bzw ggf evtl inkl exkl nr abb kap vgl bspw bes bd hrsg
sog ing dipl abs abschn anm art.nr mio mrd str tel zzgl
p.ex env chap réf fig éd mme mlle m pág págs núm ej sra srta dña ud uds
"""
_ABBREVIATIONS = frozenset(_KNOWN.split())
_MONTHS = re.compile(
    r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)


BACK = 24
"""Characters before a terminator that say whether it ends a sentence."""


def may_end(text: str) -> bool:
    """Whether there is anything in ``text`` that a sentence may end at."""
    return _FIRST.search(text) is not None


def sentence_ends(text: str, start: int = 0) -> list[int]:
    """The offsets at which the sentences of ``text`` end, each after its trailing whitespace; of those from
    ``start`` on, where one begins.

    Ascending, and the last is ``len(text)``: the stretches between them tile the text. Sentences end
    at terminators of Latin, Greek, CJK, Arabic, Urdu and Indic writing, at blank lines, and before list
    items, table rows and Markdown headings. A full stop after an abbreviation, an initial or a list
    number ends nothing, nor does one before a small letter.
    """
    ends = [m.end() for m in _candidates(text, start) if m.lastgroup != "stop" or _is_end(text, m)]
    if start < len(text) and (not ends or ends[-1] != len(text)):
        ends.append(len(text))
    if ends and not text[start : ends[0]].strip() and len(ends) > 1:
        ends.pop(0)
    return ends


def _candidates(text: str, at: int) -> Iterator[re.Match[str]]:
    """What ``_ENDS`` finds in ``text`` from ``at`` on, one after the other."""
    while (first := _FIRST.search(text, at)) is not None:
        found = _ENDS.match(text, first.start())
        at = found.end() if found else first.end()
        if found:
            yield found


def _is_end(text: str, match: re.Match[str]) -> bool:
    """Whether a terminator that is followed by whitespace ends a sentence."""
    end = match.end()
    if end == len(text) or _INNER_BLANK.search(text, match.end("stop"), end):
        return True
    following = text[end]
    if following.islower():
        return False
    if match["stop"] != ".":
        return True
    line = text.rfind("\n", 0, match.start()) + 1
    before = _BEFORE.search(text, max(line, match.start() - BACK), match.start())
    return not before or not _is_abbreviation(text, before, line, end)


def _is_abbreviation(text: str, before: re.Match[str], line: int, end: int) -> bool:
    """Whether the word before a full stop is an abbreviation, an initial or a number of a list."""
    word = before[0]
    if word.isdigit():
        opens = len(word) <= 3 and not text[line : before.start()].strip()
        return opens or _MONTHS.match(text, end) is not None
    if len(word) == 1:
        return word.isalpha() and word.isascii() and word != "I"
    return word.lower().lstrip("-–—/") in _ABBREVIATIONS
