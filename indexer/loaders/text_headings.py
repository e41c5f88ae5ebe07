"""Headings of plain text markups that say where they are: reStructuredText, AsciiDoc, Org."""

from __future__ import annotations

import re
from typing import Final

from ..types import Section

_UNDERLINED = re.compile(
    r"^(?:(?P<over>([!-/:-@\[-`{-~])\2+)[ \t]*\n)?"
    r"(?P<title>[ ]?\S.*)\n"
    r"(?P<under>([!-/:-@\[-`{-~])\5+)[ \t]*$",
    re.MULTILINE,
)
_ROLE = re.compile(r":[\w+.:-]+:`[~!]?([^`<]*?)\s*(?:<[^`]*)?`|``([^`]+)``")
_HASHED: Final = {
    "text/x-asciidoc": re.compile(r"^(={1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$", re.MULTILINE),
    "text/x-org": re.compile(r"^(\*{1,8})[ \t]+(\S.*?)[ \t]*$", re.MULTILINE),
}
_FENCED: Final = {
    "text/x-asciidoc": re.compile(
        r"^(-{4,}|\.{4,}|/{4,}|\+{4,})[ \t]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
    ),
    "text/x-org": re.compile(
        r"^[ \t]*#\+begin_(\w+).*?(?:^[ \t]*#\+end_\1|\Z)", re.MULTILINE | re.DOTALL | re.I
    ),
}


def headings(text: str, media_type: str) -> tuple[Section, ...]:
    """The sections of ``text`` where its media type marks them, else none.

    In reStructuredText the levels follow from the order in which the kinds of underline appear
    (docutils, "reStructuredText Markup Specification", Sections).
    """
    if media_type == "text/x-rst":
        return _underlined(text)
    if media_type not in _HASHED:
        return ()
    fences = [match.span() for match in _FENCED[media_type].finditer(text)]
    return tuple(
        Section(match[2], len(match[1]), match.start())
        for match in _HASHED[media_type].finditer(text)
        if not any(start <= match.start() < end for start, end in fences)
    )


def _underlined(text: str) -> tuple[Section, ...]:
    kinds: list[tuple[str, bool]] = []
    sections: list[Section] = []
    for match in _UNDERLINED.finditer(text):
        over, under, start = match["over"], match["under"], match.start()
        title = match["title"].strip()
        fits = len(under) >= len(title) and (over is None or over == under)
        alone = over is not None or start == 0 or text.endswith("\n\n", 0, start)
        if not fits or not alone or re.search(r"\w", title) is None:
            continue
        kind = (under[0], over is not None)
        if kind not in kinds:
            kinds.append(kind)
        plain = _ROLE.sub(lambda role: role[1] or role[2] or "", title)
        sections.append(Section(plain, kinds.index(kind) + 1, start))
    return tuple(sections)
