"""Reading by a name: a chunk, a document, a range of pages, or what the tree or the graph has of that id."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..indexer.errors import ConfigurationError
from ..indexer.pages import Page
from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Citation, Document
from ..indexer.words import words
from .quoting import quoted
from .read_result import KeptImage, Reading, Step
from .reading_images import ImageReader
from .reading_nodes import NodeReader
from .result import cite

if TYPE_CHECKING:
    from .reading_graph import GraphReader

Payload = Mapping[str, Any]
_RANGE = re.compile(r"(?s)(?P<source>.+)@(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")


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
        images: ImageReader,
    ) -> None:
        self._snapshot = snapshot
        self._documents = documents
        self._pages = pages
        self._classes = classes
        self._load_nodes = nodes
        self._load_graph = graph
        self._images = images

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
                if count := self._count(document):
                    return self._page_range(document, count, first, last)
        if (node := self._nodes.read(name)) is not None:
            return node
        if (graph := self._load_graph()) is not None and (found := graph.read(name)) is not None:
            return found
        raise ConfigurationError(
            f"nothing to read under {quoted(name)}: give the id of a chunk, document, node, entity or "
            "community, a source, or <source>@<first>-<last>"
        )

    def page_texts(self, name: str, first: int, last: int | None) -> dict[int, str]:
        """The texts of a document's pages from ``first`` to ``last``, by number. Raises ConfigurationError
        for an unknown one."""
        document = self.document(name)
        end = document.page_count or 0 if last is None else last
        text = _cut(self._rows(document, self._count(document), first, end))
        pages = self._wanted(document, first, end)
        return {page.number: text(page.start, page.end) for page in pages}

    def document(self, name: str) -> Document:
        """The document of that id or source. Raises ConfigurationError for an unknown one."""
        for document in self._named(name):
            if self._count(document):
                return document
        raise ConfigurationError(f"nothing to read under {quoted(name)}: give the id or source of a document")

    def best_leaf(self, reading: Reading) -> Citation | None:
        """The citation with pages of the chunk that has the most of a summary's words; of other readings the
        first with pages."""
        cited = {citation.chunk: citation for citation in reading.citations if citation.pages}
        if reading.node is None and reading.community is None:
            return next(iter(cited.values()), None)
        said = set(words(reading.text))
        rows = {row["id"]: said.intersection(words(row["text"])) for row in self._chunks(ids=list(cited))}
        return max(cited.values(), key=lambda citation: len(rows[citation.chunk]), default=None)

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

    def _count(self, document: Document) -> int:
        """How many chunks of a document there are for this reader: all of them, or none."""
        where = Filter(kinds=("chunk",), classes=self._classes, documents=[document.id])
        return self._snapshot.count(where)

    def _rows(self, document: Document, count: int, first: int, last: int) -> list[Payload]:
        """The chunks on these pages, in order, of the ``count`` that the document has: found by halving,
        since a long document has thousands."""

        def page(ordinal: int, end: str) -> int:
            rows = self._chunks(documents=[document.id], ordinals=(ordinal, ordinal))
            return (rows[0].get(end) or 0) if rows else 0

        begin = bisect_left(range(count), first, key=lambda ordinal: page(ordinal, "last_page"))
        stop = bisect_right(range(count), last, begin, key=lambda ordinal: page(ordinal, "first_page"))
        return self._chunks(documents=[document.id], ordinals=(begin, stop - 1)) if begin < stop else []

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
            images=self._images.of_chunk(self._documents[payload["document"]], payload),
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
            images=self._images.on_pages(document, rows, 1, document.page_count or 0),
        )

    def _page_range(self, document: Document, chunks: int, first: int, last: int) -> Reading:
        count = document.page_count
        if count is None:
            raise ConfigurationError(f"{document.source} has no pages; read it by its source alone")
        if not 1 <= first <= last <= count:
            raise ConfigurationError(f"{document.source} has pages 1-{count}, not {first}-{last}")
        within, wanted = self._rows(document, chunks, first, last), self._wanted(document, first, last)
        return Reading(
            id=f"{document.source}@{first}-{last}",
            kind="pages",
            text=_cut(within)(wanted[0].start, wanted[-1].end) if wanted else "",
            citations=tuple(cite(row, self._documents) for row in within),
            above=(_top(document),),
            below=tuple(row["id"] for row in within),
            images=self._images.on_pages(document, within, first, last),
            beside={
                "previous": f"{document.source}@{first - 1}" if first > 1 else None,
                "next": f"{document.source}@{last + 1}" if last < count else None,
            },
        )

    def page_images(self, name: str, first: int, last: int) -> tuple[KeptImage, ...]:
        """The pictures kept of a document's pages from ``first`` to ``last``, in order. Raises
        ConfigurationError for an unknown one."""
        for document in self._named(name):
            if count := self._count(document):
                rows = self._rows(document, count, first, last)
                return self._images.on_pages(document, rows, first, last)
        raise ConfigurationError(f"nothing to read under {quoted(name)}: give the id or source of a document")

    def chunk_images(self, ids: Sequence[str]) -> dict[str, tuple[KeptImage, ...]]:
        """The pictures kept of each of these chunks that has some."""
        rows = self._chunks(ids=ids) if self._images else ()
        found = {row["id"]: self._images.of_chunk(self._documents[row["document"]], row) for row in rows}
        return {name: images for name, images in found.items() if images}

    def _wanted(self, document: Document, first: int, last: int) -> list[Page]:
        return [page for page in self._pages(document.id) if first <= page.number <= last]


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


def _cut(rows: Sequence[Payload]) -> Callable[[int, int], str]:
    """What stands from one place to another of a document, by the chunks there."""
    text, begin = stitched(rows), rows[0]["start"] if rows else 0
    return lambda start, end: text[max(0, start - begin) : max(0, end - begin)]
