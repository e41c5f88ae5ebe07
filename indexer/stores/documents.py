"""Documents and pages as the ledger keeps them: JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date
from typing import Any

from ..pages import Figure, Page, PageBox
from ..types import Document

_BEFORE_FIGURES = 8
"""Fields of a page after its number and before its figures."""
_SELDOM = ("redacted", "withheld")
"""Fields of a document that are left out where they are empty."""


def document_to_json(document: Document) -> str:
    """Everything about a document but its content."""
    data = asdict(replace(document, content=None))
    del data["content"]
    for key in _SELDOM:
        if not data[key]:
            del data[key]
    for key in ("valid_from", "valid_until"):
        data[key] = data[key].isoformat() if data[key] else None
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def document_from_json(body: str) -> Document:
    """The document of :func:`document_to_json`."""
    data = json.loads(body)
    data["labels"] = tuple(data["labels"])
    data["withheld"] = tuple(data.get("withheld", ()))
    for key in ("valid_from", "valid_until"):
        data[key] = date.fromisoformat(data[key]) if data[key] else None
    return Document(**data)


def pages_to_json(pages: tuple[Page, ...]) -> str:
    """Pages as rows, a field of :class:`Page` each in its order; the last ones are left out where a page
    has none of them."""
    return json.dumps([_page_row(page) for page in pages], ensure_ascii=False)


def _page_row(page: Page) -> list[object]:
    share = round(page.images, 4)
    row: list[object] = [
        page.number, page.start, page.end, page.label, page.origin, share, page.dropped,
    ]  # fmt: skip
    if page.confidence is not None or page.why or page.figures:
        row += [page.confidence, page.why]
    if page.figures:
        row.append([_figure_row(figure) for figure in page.figures])
    return row


def _figure_row(figure: Figure) -> list[object]:
    box = figure.box
    corners = (round(corner, 1) for corner in (box.x0, box.y0, box.x1, box.y1))
    return [*corners, figure.at, figure.caption, figure.digest, figure.width, figure.height]


def pages_from_json(body: str) -> tuple[Page, ...]:
    """The pages of :func:`pages_to_json`."""
    return tuple(_page(*row) for row in json.loads(body))


def _page(number: int, *rest: Any) -> Page:
    if len(rest) <= _BEFORE_FIGURES:
        return Page(number, *rest)
    figures = tuple(Figure(PageBox(number, *row[:4]), *row[4:]) for row in rest[_BEFORE_FIGURES])
    return replace(Page(number, *rest[:_BEFORE_FIGURES]), figures=figures)
