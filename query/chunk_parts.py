"""The parts of a chunk: which of its sections and pages a stretch of its text stands in.

A chunk holds several short sections, or goes on overleaf; what is cited of it stands in one part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ..indexer.types import Citation, Part
from .phrases import Match

_LENGTH = 0.4
"""What all of a chunk's text is worth to its section, where 1 is all of a question's words."""


def parts_of(payload: Mapping[str, Any]) -> tuple[Part, ...]:
    """The parts of a stored chunk; empty where it is all of one section and page, or of an index that was
    built before parts were kept."""
    return tuple(Part(start, page, tuple(section)) for start, page, section in payload.get("parts") or ())


def own_parts(payload: Mapping[str, Any]) -> tuple[Part, ...]:
    """The parts of a stored chunk, one where all of it is of one section and page; empty where that is not
    known."""
    first, last = payload.get("first_page"), payload.get("last_page")
    if parts := parts_of(payload):
        return parts
    return (Part(0, first, tuple(payload.get("section") or ())),) if first == last else ()


def adjoin(payload: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the section with which the earlier of two stored chunks ends is that with which the later
    begins."""
    first, second = sorted((payload, other), key=lambda one: int(one["ordinal"]))
    ends, begins = parts_of(first), parts_of(second)
    return (list(ends[-1].section) if ends else first.get("section")) == (
        list(begins[0].section) if begins else second.get("section")
    )


def joined(
    head: Sequence[Part], body: tuple[Sequence[Part], int], tail: tuple[Sequence[Part], int]
) -> tuple[Part, ...]:
    """The parts of a text that is put together: of what stands before the ``body``, of that and of what
    follows it, each with how far into the text it begins. Empty where all are alike, or those of the body
    are not known."""
    parts = [replace(part, start=0) for part in head]
    parts += [replace(part, start=max(0, part.start + body[1])) for part in body[0]]
    parts += [replace(part, start=tail[1]) for part in tail[0]]
    runs = [next(run) for _, run in groupby(parts, key=lambda part: (part.page, part.section))]
    return tuple(runs) if body[0] and len(runs) > 1 else ()


def touched(parts: Sequence[Part], start: int, end: int) -> Sequence[Part]:
    """The ``parts`` that the stretch from ``start`` to ``end`` has a share in: at least one."""
    first = max((at for at, part in enumerate(parts) if part.start <= start), default=0)
    return [part for at, part in enumerate(parts) if at == first or (at > first and part.start < end)]


def page_at(parts: Sequence[Part], offset: int) -> int | None:
    """The page that stands at ``offset``; None where there are none, or it is not known."""
    return touched(parts, offset, offset)[0].page if parts else None


def narrowed(citation: Citation, parts: Sequence[Part]) -> Citation:
    """The citation of a chunk as that of some of its ``parts``: the first one's section, the pages of all."""
    if not parts:
        return citation
    pages = tuple(sorted({part.page for part in parts if part.page is not None}))
    boxes = tuple(box for box in citation.boxes if box.page in pages)
    return replace(citation, section=parts[0].section, pages=pages or None, boxes=boxes)


def best_section(
    payload: Mapping[str, Any], match: Callable[[str, str, str], Match]
) -> tuple[str, ...] | None:
    """Of a stored chunk's several sections the one whose text, below its titles, says most of a question, a
    longer one before a shorter; None where it has but one, or none says any of it. ``match`` says what of the
    question stands in a text, in a context and under a heading."""
    text, parts = payload["text"], parts_of(payload)
    spans = zip(parts, [*(part.start for part in parts[1:]), len(text)], strict=False)
    best, most = None, 0.0
    for section, held in groupby(spans, key=lambda span: span[0].section):
        pieces = list(held)
        start, end = pieces[0][0].start, pieces[-1][1]
        found = match(text[start:end], "\n".join(section), section[-1] if section else "")
        worth = found.terms + found.pairs + found.heading + _LENGTH * (end - start) / len(text)
        if found.found and worth > most:
            best, most = section, worth
    return best
