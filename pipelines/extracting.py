"""Reading the chunks of the generation being built for the graph: each once, whatever comes after."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..indexer.owed import passes
from ..indexer.digests import digest
from ..indexer.errors import StoreInconsistent
from ..indexer.graph.assembly import ExtractedChunk
from ..indexer.graph.extraction import Extraction, Extractor, Passage
from ..indexer.stores.graph_ports import ChunkPlace
from ..indexer.stores.ledger_extractions import ExtractionLedger
from ..indexer.stores.ports import Row
from ..indexer.types import Document, access_class
from .events import Event, Listener
from .leaves import LeafRows, on_pages
from .model_counts import ModelCounts
from .results_in_order import results_in_order

_BATCH = 256
"""Chunks read at once: what a kill may lose."""
STOPPED = "stopped; what was found in the chunks is kept"

if TYPE_CHECKING:
    from .building import Build
    from .generation import GenerationBuilder

Fetch = Callable[[Sequence[str]], Mapping[str, Row]]


@dataclass(frozen=True, slots=True)
class ChunkReader:
    """Finds names and statements in chunks. What was found is kept in the ledger under the chunk's row, the
    title of its document and the extractor, so that only what is new is read."""

    rows: LeafRows
    documents: Mapping[str, Document]
    known: ExtractionLedger
    fetch: Fetch
    listen: Listener
    cancel: threading.Event

    def read(self, extractor: Extractor, counts: ModelCounts) -> list[ExtractedChunk]:
        """All chunks with what they say, in reading order. Raises Cancelled; what was found is kept."""
        unkept = self._read_missing(self._keys(extractor.name), extractor, counts)
        return self.known_by(extractor.name, unkept)

    def known_by(
        self, extractor: str, unkept: Mapping[str, Extraction] | None = None
    ) -> list[ExtractedChunk]:
        """The chunks that the extractor of this name has read, with what they say, in reading order;
        ``unkept`` are extractions by key that are not in the ledger."""
        keys = self._keys(extractor)
        found = self.known.load(sorted(keys.values()))
        self.known.trim(found.keys())
        found.update(unkept or {})
        return [self._extracted(place, found[key]) for place, key in enumerate(keys.values()) if key in found]

    def forget_gone(self, extractor: str) -> None:
        """Keep only what the extractor of this name has found in these chunks."""
        self.known.trim(self._keys(extractor).values())

    def _read_missing(
        self, keys: Mapping[str, str], extractor: Extractor, counts: ModelCounts
    ) -> dict[str, Extraction]:
        """Read what was never read. Returns what is not to be kept: a model that could not be asked is
        asked again at the next build."""
        unkept: dict[str, Extraction] = {}
        there = self.known.known()
        missing = [place for place, key in enumerate(keys.values()) if key not in there]
        names = list(keys)
        done, total = len(keys) - len(missing), len(keys)
        self.listen(Event("graph", done, total, "chunks"))

        def one(passage: Passage) -> Extraction:
            extraction = extractor.extract(passage)
            counts.take(extraction)
            return extraction

        with ThreadPoolExecutor(extractor.concurrency, "treegraph-extract") as pool:
            for at in range(0, len(missing), _BATCH):
                batch = missing[at : at + _BATCH]
                extractions = results_in_order(pool, one, self._passages(batch), self.cancel, STOPPED)
                found = {keys[names[p]]: each for p, each in zip(batch, extractions, strict=True)}
                unkept.update({key: each for key, each in found.items() if passes(each.faults)})
                self.known.add({key: each for key, each in found.items() if key not in unkept})
                done += len(batch)
                self.listen(Event("graph", done, total, "chunks"))
        return unkept

    def _keys(self, extractor: str) -> dict[str, str]:
        """What the extraction of each chunk is kept under, by the chunk's id."""
        keys: dict[str, str] = {}
        for leaf in self.rows.leaves.items:
            document = self.documents[leaf.document]
            keys[leaf.id] = digest([self.rows.keys[leaf.id], document.title, document.language, extractor])
        return keys

    def _passages(self, places: Sequence[int]) -> Iterator[Passage]:
        leaves = [self.rows.leaves.items[place] for place in places]
        keys = [self.rows.keys[leaf.id] for leaf in leaves]
        stored = self.fetch(keys)
        for leaf, key in zip(leaves, keys, strict=True):
            if key not in stored:
                raise StoreInconsistent(
                    f"the vector store lost the chunk {leaf.id}; restore the index from a copy, or build it "
                    "anew elsewhere"
                )
            payload, document = stored[key].payload, self.documents[leaf.document]
            yield Passage(
                id=leaf.id,
                document=leaf.document,
                text=str(payload["text"]),
                title=document.title,
                section=leaf.section,
                language=payload.get("language") or document.language,
                source=on_pages(document.source, self.rows.pages[leaf.id]),
                kind=payload.get("block") or "text",
            )

    def _extracted(self, place: int, extraction: Extraction) -> ExtractedChunk:
        leaf = self.rows.leaves.items[place]
        document = self.documents[leaf.document]
        return ExtractedChunk(
            place=ChunkPlace(
                chunk=leaf.id,
                document=leaf.document,
                source=document.source,
                title=document.title,
                ordinal=leaf.ordinal,
                pages=self.rows.pages[leaf.id],
                access=access_class(document.labels),
            ),
            extraction=extraction,
            language=document.language,
            vector=self.rows.leaves.vectors[place],
        )


def chunk_reader(build: Build, builder: GenerationBuilder) -> ChunkReader:
    """What reads the chunks that the generation being built holds now."""
    ledger = build.folder.ledger
    documents = {row.document.id: row.document for row in ledger.documents(builder.h)}
    return ChunkReader(
        build.leaf_rows(builder),
        documents,
        ExtractionLedger(ledger),
        builder.fetch,
        build.listen,
        build.cancel,
    )
