"""What was read, without its secrets: contents with all their places, readings of pages, documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from ..loaders.loaded import Loaded
from ..pages import Page, PageReading, Placed, Places, ReadLine
from ..types import Block, Content, Document
from .finder import Redactor, Secret, replaced

_ESCAPED = "\\"
_SIGN = re.compile(r"[^\w\s]|_")


def redact_content(content: Content, redactor: Redactor, readings: Sequence[PageReading] = ()) -> Content:
    """``content`` with placeholders, its pages, sections, blocks, cuts and places where they belong now, and
    ``redacted`` and ``withheld`` set. ``readings`` are those that stand in it, redacted before it was read.

    Pages on which something was replaced lose their figures.
    """
    found = redactor.redact(content.text)
    moved = _Moved(found.secrets)
    counts = found.counts
    if content.title and content.title not in content.text:
        counts.update(redactor.redact(content.title).counts)
    withheld = {page.number for page in content.pages if moved.touches(page.start, page.end)}
    for reading in readings:
        counts.update(reading.redacted)
        withheld.update([reading.number] if reading.redacted else [])
    clean = redactor.clean
    return replace(
        content,
        text=found.text,
        title=clean(content.title) if content.title else content.title,
        pages=tuple(_page(page, moved, page.number in withheld, clean) for page in content.pages),
        sections=tuple(replace(s, title=clean(s.title), start=moved.at(s.start)) for s in content.sections),
        blocks=tuple(block for each in content.blocks if (block := _block(each, moved, clean)) is not None),
        cuts=tuple(replace(cut, start=moved.at(cut.start), end=moved.at(cut.end)) for cut in content.cuts),
        placed=_placed(content.placed, moved),
        redacted=dict(sorted((Counter(content.redacted) + counts).items())),
        withheld=tuple(sorted(withheld.union(content.withheld))),
    )


def redact_reading(reading: PageReading, redactor: Redactor) -> PageReading:
    """A reading of a page without its secrets, those over several lines too, which ``redacted`` counts."""
    text = "\n".join(line.text for line in reading.lines)
    found = redactor.redact(text)
    markdown = _redact_markdown(reading.markdown, redactor)
    counts = found.counts + markdown[1]
    if not counts:
        return reading
    return replace(
        reading,
        lines=_lines(reading.lines, found.secrets),
        markdown=markdown[0],
        redacted=dict(sorted((Counter(reading.redacted) + counts).items())),
    )


def redact_document(document: Document, redactor: Redactor) -> Document:
    """A document whose title, edition and fields hold no secrets; they are counted in ``redacted``. Labels
    stay: they say who may read it."""
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        found = redactor.redact(text)
        counts.update(found.counts)
        return found.text

    title = clean(document.title)
    edition = clean(document.edition) if document.edition else document.edition
    fields = {key: _field(key, value, redactor, counts) for key, value in document.fields.items()}
    if not counts:
        return document
    total = dict(sorted((Counter(document.redacted) + counts).items()))
    return replace(document, title=title, edition=edition, fields=fields, redacted=total)


def redact_loaded(loaded: Loaded, redactor: Redactor) -> Loaded:
    """A record, or what was handed in, without secrets in its content; an error without them in its message.
    What else is known of it is redacted with its document."""
    if loaded.error is not None:
        redactor.silence(loaded.error)
    if loaded.content is None:
        return loaded
    return replace(loaded, content=redact_content(loaded.content, redactor))


def _field(key: str, value: Any, redactor: Redactor, counts: Counter[str]) -> Any:
    """A field's value; what is a secret only by its name (``password``) counts too."""
    if isinstance(value, list | tuple):
        return [_field(key, item, redactor, counts) for item in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    named = f"{key} = "
    secrets = [
        Secret(max(0, one.start - len(named)), one.end - len(named), one.kind)
        for one in redactor.find(named + str(value))
        if one.end > len(named)
    ]
    if not secrets:
        return value
    counts.update(one.kind for one in secrets)
    return replaced(str(value), secrets)


class _Moved:
    """Where places of a text are once its secrets are placeholders."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._secrets = secrets
        self._starts = [secret.start for secret in secrets]
        grown = (len(secret.placeholder) - (secret.end - secret.start) for secret in secrets)
        self._shifts = [0, *accumulate(grown)]

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def at(self, place: int) -> int:
        """A place; one inside a secret is behind its placeholder now."""
        before = bisect_right(self._starts, place - 1)
        if before and place < self._secrets[before - 1].end:
            place = self._secrets[before - 1].end
        return place + self._shifts[before]

    def touches(self, start: int, end: int) -> bool:
        """Whether a secret stands in a stretch, or reaches into it."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._secrets[before - 1].end > start


def _page(page: Page, moved: _Moved, withheld: bool, clean: Callable[[str], str]) -> Page:
    figures = tuple(
        replace(figure, at=moved.at(figure.at), caption=clean(figure.caption)) for figure in page.figures
    )
    label = clean(page.label) if page.label else page.label
    start, end = moved.at(page.start), moved.at(page.end)
    return replace(page, start=start, end=end, label=label, figures=() if withheld else figures)


def _block(block: Block, moved: _Moved, clean: Callable[[str], str]) -> Block | None:
    """A block where it is now; None where nothing is left of it."""
    start, end = moved.at(block.start), moved.at(block.end)
    if start >= end:
        return None
    caption = clean(block.caption) if block.caption else block.caption
    header = clean(block.header) if block.header else block.header
    return replace(block, start=start, end=end, caption=caption, header=header)


def _placed(placed: Sequence[Placed], moved: _Moved) -> Sequence[Placed]:
    if not moved:
        return placed
    now = (Placed(moved.at(one.start), moved.at(one.end), one.box) for one in placed)
    return Places.of(one for one in now if one.start < one.end)


def _lines(lines: Sequence[ReadLine], secrets: Sequence[Secret]) -> tuple[ReadLine, ...]:
    """Lines without the secrets of their joined text: a placeholder stands where its secret begins. Lines of
    which nothing is left go."""
    kept: list[ReadLine] = []
    at = 0
    for line in lines:
        end = at + len(line.text)
        inside = [one for one in secrets if one.start < end and one.end > at]
        text, last = "", at
        for one in inside:
            begins = one.start >= at
            text += line.text[last - at : max(one.start, at) - at] + (one.placeholder if begins else "")
            last = min(one.end, end)
        text += line.text[last - at :]
        if text.strip():
            kept.append(replace(line, text=text))
        at = end + 1
    return tuple(kept)


def _redact_markdown(markdown: str, redactor: Redactor) -> tuple[str, Counter[str]]:
    """Markdown without its secrets, also where its signs are escaped."""
    places = [
        at
        for at, character in enumerate(markdown)
        if not (
            character == _ESCAPED
            and markdown[at + 1 : at + 2].strip(" \n")
            and not markdown[at + 1].isalnum()
        )
    ]
    found = redactor.find("".join(markdown[at] for at in places))
    ends = [*places, len(markdown)]
    secrets = [
        Secret(_with_escape(markdown, places[one.start]), ends[one.end - 1] + 1, one.kind) for one in found
    ]
    return replaced(markdown, secrets), Counter(one.kind for one in found)


def _with_escape(markdown: str, at: int) -> int:
    return at - 1 if at and markdown[at - 1] == _ESCAPED and not markdown[at].isalnum() else at
