"""Documents and pages as the ledger keeps them: JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date

from ..pages import Page
from ..types import Document


def document_to_json(document: Document) -> str:
    """Everything about a document but its content."""
    data = asdict(replace(document, content=None))
    del data["content"]
    for key in ("valid_from", "valid_until"):
        data[key] = data[key].isoformat() if data[key] else None
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def document_from_json(body: str) -> Document:
    """The document of :func:`document_to_json`."""
    data = json.loads(body)
    data["labels"] = tuple(data["labels"])
    for key in ("valid_from", "valid_until"):
        data[key] = date.fromisoformat(data[key]) if data[key] else None
    return Document(**data)


def pages_to_json(pages: tuple[Page, ...]) -> str:
    """Pages as rows, a field of :class:`Page` each in its order; the last two are left out where a page
    has neither."""
    rows = [
        [p.number, p.start, p.end, p.label, p.origin, round(p.images, 4), p.dropped, p.confidence, p.why]
        if p.confidence is not None or p.why
        else [p.number, p.start, p.end, p.label, p.origin, round(p.images, 4), p.dropped]
        for p in pages
    ]
    return json.dumps(rows, ensure_ascii=False)


def pages_from_json(body: str) -> tuple[Page, ...]:
    """The pages of :func:`pages_to_json`."""
    return tuple(Page(*row) for row in json.loads(body))
