"""``documents``: what there is to read."""

from __future__ import annotations

import json
from functools import partial

from ...indexer.metadata import source_matches
from ...indexer.types import Document
from .arguments import DocumentsArguments
from .paging import Entry, Found
from .places import NOTE, TITLE, clip, filled, telling
from .shapes import Documents
from .tool import Desk, Tool

FIELDS = 12
"""Fields of a document that are shown."""


def _run(desk: Desk, asked: DocumentsArguments) -> Found:
    documents = [
        document
        for document in desk.index.readable(desk.labels)
        if not asked.sources or source_matches(asked.sources, document.source)
    ]
    head: Entry = {"note": NOTE, "total": len(documents)}
    if not documents:
        head["hint"] = (
            "no document has such a source: call documents without `sources` to see them all"
            if asked.sources
            else "there is nothing here that this server may show"
        )
    return Found(head, "documents", [partial(_entry, document) for document in documents])


def _entry(document: Document) -> Entry:
    return filled(
        source=document.source,
        title=telling(document.title, document.source),
        pages=document.page_count,
        language=document.language,
        edition=clip(document.edition or "", TITLE),
        valid_from=document.valid_from and document.valid_from.isoformat(),
        valid_until=document.valid_until and document.valid_until.isoformat(),
        fields={
            clip(name, TITLE): clip(value if isinstance(value, str) else json.dumps(value), TITLE)
            for name, value in list(document.fields.items())[:FIELDS]
        },
    )


DOCUMENTS = Tool(
    "documents",
    "List the documents",
    "List the documents of this index by source: titles, numbers of pages, languages, editions, dates of "
    "validity and fields. Begin here to see what is covered; a `source` goes into `read`, `outline` and the "
    "`sources` of `search`, a field into its `filters`.",
    DocumentsArguments,
    Documents,
    _run,
)
