"""Reading by a name: a chunk, a document, a range of pages, or what the tree or the graph has of that id."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..indexer.errors import ConfigurationError
from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Document, Page
from .quoting import quoted
from .read_result import Reading, Step
from .reading_nodes import NodeReader
from .result import cite

if TYPE_CHECKING:
    from .reading_graph import GraphReader

Payload = Mapping[str, Any]
_RANGE = re.compile(r"(?s)(?P<source>.+)@(?P<first>\d+)(?:-(?P<last>\d+))?")


class Reader:
    """Reads one generation for one reader, who sees the access classes ``classes`` (None: all). ``nodes``
    reads the tree, ``graph`` the graph (it gives None where there is none); they are asked for once they are
    needed."""

    def __init__(
        self,
        snapshot: VectorSnapshot,
        documents: Mapping[str, Document],
        pages: Callable[[str], Sequence[Page]],
        classes: Sequence[str] | None,
        nodes: Callable[[], NodeReader],
        graph: Callable[[], GraphReader | None],
    ) -> None:
        self._snapshot = snapshot
        self._documents = documents
        self._pages = pages
        self._classes = classes
        self._load_nodes = nodes
        self._load_graph = graph

    @cached_property
    def _nodes(self) -> NodeReader:
        return self._load_nodes()

    def read(self, name: str) -> Reading:
        """A chunk, node, entity or community by its id, a document by its id or source, pages by
        ``<source>@<first>-<last>``.

        Raises ConfigurationError where there is no such thing that this reader may see.
        """
        chunks = self._chunks(ids=[name])
        if chunks:
            return self._chunk(chunks[0])
        for document in self._named(name):
            if rows := self._chunks(documents=[document.id]):
                return self._document(document, rows)
        if asked := _RANGE.fullmatch(name):
            first, last = int(asked["first"]), int(asked["last"] or asked["first"])
            for document in self._named(asked["source"]):
                if rows := self._chunks(documents=[document.id]):
                    return self._page_range(document, rows, first, last)
        if (node := self._nodes.read(name)) is not None:
            return node
        if (graph := self._load_graph()) is not None and (found := graph.read(name)) is not None:
            return found
        raise ConfigurationError(
            f"nothing to read under {quoted(name)}: give the id of a chunk, document, node, entity or "
            "community, a source, or <source>@<first>-<last>"
        )

    def page_texts(self, name: str) -> dict[int, str]:
        """The text of every page of a document, by number. Raises ConfigurationError for an unknown one."""
        for document in self._named(name):
            if rows := self._chunks(documents=[document.id]):
                text, begin = stitched(rows), rows[0]["start"]
                return {
                    page.number: text[max(0, page.start - begin) : max(0, page.end - begin)]
                    for page in self._pages(document.id)
                }
        raise ConfigurationError(f"nothing to read under {quoted(name)}: give the id or source of a document")

    def _named(self, name: str) -> list[Document]:
        if name in self._documents:
            return [self._documents[name]]
        return [document for document in self._documents.values() if document.source == name]

    def _chunks(
        self,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        ordinals: tuple[int, int] | None = None,
    ) -> list[Payload]:
        where = Filter(
            kinds=("chunk",), classes=self._classes, ids=ids, documents=documents, ordinals=ordinals
        )
        rows = [row.payload for row in self._snapshot.fetch(where)]
        return sorted(rows, key=lambda payload: payload["ordinal"])

    def _chunk(self, payload: Payload) -> Reading:
        place = payload["ordinal"]
        around = self._chunks(documents=[payload["document"]], ordinals=(place - 1, place + 1))
        ids = {row["ordinal"]: row["id"] for row in around}
        return Reading(
            id=payload["id"],
            kind="chunk",
            text=payload["text"],
            context=payload.get("context") or "",
            citations=(cite(payload, self._documents),),
            above=self._above(payload),
            beside={"previous": ids.get(place - 1), "next": ids.get(place + 1)},
        )

    def _above(self, payload: Payload) -> tuple[Step, ...]:
        """The document and its sections down to a chunk, then the nodes that it is beneath."""
        document = self._documents[payload["document"]]
        sections = ({"kind": "section", "title": title} for title in payload.get("section") or ())
        return (_top(document), *sections, *self._nodes.above(payload["id"]))

    def _document(self, document: Document, rows: Sequence[Payload]) -> Reading:
        return Reading(
            id=document.id,
            kind="document",
            text=stitched(rows),
            citations=tuple(cite(row, self._documents) for row in rows),
            below=tuple(row["id"] for row in rows),
        )

    def _page_range(self, document: Document, rows: Sequence[Payload], first: int, last: int) -> Reading:
        count = document.page_count
        if count is None:
            raise ConfigurationError(f"{document.source} has no pages; read it by its source alone")
        if not 1 <= first <= last <= count:
            raise ConfigurationError(f"{document.source} has pages 1-{count}, not {first}-{last}")
        within = [row for row in rows if _touches(row, first, last)]
        return Reading(
            id=f"{document.source}@{first}-{last}",
            kind="pages",
            text=self._text_of_pages(document.id, within, first, last),
            citations=tuple(cite(row, self._documents) for row in within),
            above=(_top(document),),
            below=tuple(row["id"] for row in within),
            beside={
                "previous": f"{document.source}@{first - 1}" if first > 1 else None,
                "next": f"{document.source}@{last + 1}" if last < count else None,
            },
        )

    def _text_of_pages(self, document: str, rows: Sequence[Payload], first: int, last: int) -> str:
        if not rows:
            return ""
        wanted = [page for page in self._pages(document) if first <= page.number <= last]
        text, begin = stitched(rows), rows[0]["start"]
        if not wanted:
            return text
        start, end = min(page.start for page in wanted), max(page.end for page in wanted)
        return text[max(0, start - begin) : max(0, end - begin)]


def _top(document: Document) -> Step:
    return {"kind": "document", "id": document.id, "title": document.title, "source": document.source}


def stitched(rows: Sequence[Payload]) -> str:
    """The text that chunks in document order cover; where they overlap it is there once."""
    parts: list[str] = []
    reached = rows[0]["start"] if rows else 0
    for row in rows:
        if row["end"] > reached:
            parts.append(row["text"][max(0, reached - row["start"]) :])
            reached = row["end"]
    return "".join(parts)


def _touches(row: Payload, first: int, last: int) -> bool:
    start, end = row.get("first_page"), row.get("last_page")
    return start is not None and end is not None and start <= last and end >= first
