"""``read``: one thing whole, by its id or source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from uuid import UUID

from ...indexer.errors import ConfigurationError
from ...indexer.types import Document
from ..read_result import Reading
from .arguments import ReadArguments
from .paging import Entry, Found, Pictures
from .pictures import pictured
from .places import NOTE, TITLE, clip, filled, page_ranges, place, section_path, telling
from .read_node import entity, node, report
from .refusal import Refusal
from .shapes import Read
from .tool import Desk, Tool

NODES = 3
"""Nodes above a chunk that are shown, the lowest ones."""
BLOCK = 16
"""Pages that are fetched together, once the first of them is wanted."""
_RANGE = re.compile(r"(?s)(?P<source>.+)@(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")


def _run(desk: Desk, asked: ReadArguments) -> Found:
    try:
        found = _by_id(desk, asked) if _is_id(asked.id) else _by_source(desk, asked.id)
    except ConfigurationError:  # nothing has this name, or a document has no text
        found = None
    if found is None:
        raise Refusal(
            f"there is nothing to read under {clip(asked.id, TITLE)!r}{desk.meant(asked.id)}",
            "ids come from search, outline and neighbours, sources from documents; pages are "
            "<source>@<first>-<last>; a named thing is shown by neighbours; else search for it first",
        )
    return found


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _by_id(desk: Desk, asked: ReadArguments) -> Found | None:
    reading = desk.index.read(asked.id, desk.labels)
    if reading.kind == "document":
        return _by_source(desk, reading.id)
    if reading.node:
        return node(desk, reading, reading.node)
    if reading.community:
        return report(reading, reading.community)
    return entity(reading.entity) if reading.entity else _chunk(desk, reading, asked.neighbours)


def _by_source(desk: Desk, name: str) -> Found | None:
    if (document := _document(desk, name)) is not None:
        if document.page_count:
            return _pages(desk, document, 1, document.page_count)
        return _text(document, desk.index.read(document.source, desk.labels))
    if (asked := _RANGE.fullmatch(name)) and (document := _document(desk, asked["source"])) is not None:
        return _pages(desk, document, int(asked["first"]), int(asked["last"] or asked["first"]))
    return None


def _document(desk: Desk, name: str) -> Document | None:
    documents = desk.index.readable(desk.labels)
    return next((each for each in documents if name in (each.source, each.id)), None)


def _text(document: Document, reading: Reading) -> Found:
    head = {"note": NOTE, "id": document.source, "kind": "document"}
    return Found(
        head, "parts", [lambda: {"text": reading.text}], first=filled(title=telling(document.title, ""))
    )


def _pages(desk: Desk, document: Document, first: int, last: int) -> Found:
    source, count = document.source, document.page_count or 0
    asked = f"{first}" if first == last else f"{first}-{last}"
    if not 1 <= first <= last <= count:
        has = f"has pages 1-{count}, not {asked}" if count else "has no pages"
        advice = "ask for pages within these" if count else "read it by its source alone"
        raise Refusal(f"{clip(source, TITLE)} {has}", advice)
    whole = (first, last) == (1, count)
    head = {
        "note": NOTE,
        "id": source if whole else f"{source}@{asked}",
        "kind": "document" if whole else "pages",
    }
    beside = filled(
        title=telling(document.title, source),
        previous=f"{source}@{first - 1}" if first > 1 else "",
        next=f"{source}@{last + 1}" if last < count else "",
    )

    @cache
    def block(begin: int) -> Mapping[int, str]:
        return desk.index.page_texts(document.id, desk.labels, begin, min(begin + BLOCK - 1, last))

    def page(number: int) -> Entry:
        texts = block(number - (number - first) % BLOCK)
        seen = desk.index.page_images(document.id, desk.labels, number, number)
        return {"page": number, **pictured(seen, pictures), "text": texts.get(number, "")}

    pictures: Pictures = {}
    pages = [partial(page, number) for number in range(first, last + 1)]
    return Found(head, "parts", pages, first=beside, pictures=pictures)


def _chunk(desk: Desk, reading: Reading, reach: int) -> Found:
    citation = reading.citations[0]
    above = [
        {
            "id": step["id"],
            "kind": "node",
            "title": clip(str(step.get("title") or step.get("holds") or ""), TITLE),
        }
        for step in reading.above
        if step["kind"] == "node"
    ]
    beside = reading.beside or {}
    head = {"note": NOTE, "id": reading.id, "kind": "chunk", "source": citation.source}
    around = filled(
        title=telling(citation.title, citation.source),
        previous=beside.get("previous"),
        next=beside.get("next"),
        above=above[-NODES:],
    )
    pictures: Pictures = {}
    parts = [partial(_part, offset, one, pictures) for offset, one in _around(desk, reading, reach)]
    return Found(head, "parts", parts, first={**place(citation), **around}, pictures=pictures)


def _around(desk: Desk, reading: Reading, reach: int) -> list[tuple[int, Reading]]:
    """The chunk with ``reach`` others on either side, in the order of reading, by their offsets."""
    found = [(0, reading)]
    for side, step in (("previous", -1), ("next", 1)):
        one, offset = reading, 0
        while abs(offset) < reach and (name := (one.beside or {}).get(side)) is not None:
            one, offset = desk.index.read(name, desk.labels), offset + step
            found.append((offset, one))
    return sorted(found, key=lambda each: each[0])


def _part(offset: int, reading: Reading, pictures: Pictures) -> Entry:
    citation = reading.citations[0]
    where = filled(pages=page_ranges(citation.pages), section=section_path(citation.section))
    return {
        "id": reading.id,
        "offset": offset,
        **where,
        **pictured(reading.images, pictures),
        "text": reading.text,
    }


READ = Tool(
    "read",
    "Read a passage, pages or a document",
    "Read one thing whole: a chunk (with `neighbours` before and after it), a node (its summary, then what "
    "is below it), pages as manuals/sdm.pdf@12-14, a document from its beginning, a report, or an entity. "
    "Long texts come in parts: go on with `more`. Pictures that are kept come with their page or passage.",
    ReadArguments,
    Read,
    _run,
)
