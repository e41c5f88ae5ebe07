"""Reading the chunks of the generation being built for the graph: each once, whatever comes after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..indexer.digests import digest
from ..indexer.errors import StoreInconsistent
from ..indexer.graph.assembly import ExtractedChunk
from ..indexer.graph.extraction import Extraction, Extractor, Passage
from ..indexer.owed import is_owed, owed_key
from ..indexer.stores.graph_rows import ChunkPlace
from ..indexer.stores.ledger_extractions import ExtractionLedger
from ..indexer.stores.ports import Row
from ..indexer.stretches import stretches
from ..indexer.types import Document, access_class
from .events import Event, Listener
from .leaves import LeafRows, on_pages
from .model_counts import ModelCounts

_BATCH = 256
"""Chunks read at once: what a kill may lose."""

if TYPE_CHECKING:
    from .building import Build
    from .generation import GenerationBuilder

Fetch = Callable[[Sequence[str]], Mapping[str, Row]]
Extract = Callable[[Extractor, Iterable[Passage], ModelCounts], Iterator[Extraction]]
"""What an extractor finds in passages, in their order; what that took is added to the counts."""


def extraction_key(row: str, document: Document, extractor: str) -> str:
    """What is found in a chunk is kept under its row's key, and what else it depends on."""
    return digest([row, document.title, document.language, extractor])


@dataclass(frozen=True, slots=True)
class ChunkReader:
    """Finds names and statements in chunks. What was found is kept in the ledger under the chunk's row, the
    title of its document and the extractor, so that only what is new is read; what stands in for a model that
    could not be asked under a key of its own, and with ``upgrade`` the model is asked again."""

    rows: LeafRows
    documents: Mapping[str, Document]
    known: ExtractionLedger
    fetch: Fetch
    listen: Listener
    extract: Extract
    upgrade: bool = True

    def read(self, extractor: Extractor, counts: ModelCounts) -> list[ExtractedChunk]:
        """All chunks with what they say, in reading order. Raises Cancelled; what was found is kept."""
        self._read_missing(self._keys(extractor.name), extractor, counts)
        return self.known_by(extractor.name)

    def known_by(self, extractor: str) -> list[ExtractedChunk]:
        """The chunks that the extractor of this name has read, with what they say, in reading order."""
        keys = list(self._keys(extractor).values())
        found = self.known.load(sorted(keys))
        found |= self.known.load(sorted(owed_key(key) for key in keys if key not in found))
        self.known.trim(found.keys())
        said = ((place, found.get(key) or found.get(owed_key(key))) for place, key in enumerate(keys))
        return [self._extracted(place, each) for place, each in said if each is not None]

    @property
    def owed(self) -> int:
        """Chunks that a model is still to read, of those that :meth:`read` gave last."""
        return sum(map(is_owed, self.known.known()))

    def forget_gone(self, extractor: str) -> None:
        """Keep only what the extractor of this name has found in these chunks."""
        keys = self._keys(extractor).values()
        self.known.trim([*keys, *map(owed_key, keys)])

    def _read_missing(self, keys: Mapping[str, str], extractor: Extractor, counts: ModelCounts) -> None:
        """Read what was never read, and what is owed where it is to be upgraded."""
        there = self.known.known()
        stands = there if self.upgrade else there | {key.removeprefix(owed_key("")) for key in there}
        missing = [place for place, key in enumerate(keys.values()) if key not in stands]
        names = list(keys)
        done, total = len(keys) - len(missing), len(keys)
        self.listen(Event("graph", done, total, "chunks"))
        for batch in stretches(missing, _BATCH):
            extractions = self.extract(extractor, self._passages(batch), counts)
            found = {keys[names[p]]: each for p, each in zip(batch, extractions, strict=True)}
            self.known.add({owed_key(key) if e.owed else key: e for key, e in found.items()})
            done += len(batch)
            self.listen(Event("graph", done, total, "chunks"))

    def _keys(self, extractor: str) -> dict[str, str]:
        """What the extraction of each chunk is kept under, by the chunk's id."""
        keys: dict[str, str] = {}
        for leaf in self.rows.leaves.items:
            document = self.documents[leaf.document]
            keys[leaf.id] = extraction_key(self.rows.keys[leaf.id], document, extractor)
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


def chunk_reader(build: Build, builder: GenerationBuilder, upgrade: bool = True) -> ChunkReader:
    """What reads the chunks that the generation being built holds now."""
    ledger = build.folder.ledger
    documents = {row.document.id: row.document for row in ledger.documents(builder.h)}
    return ChunkReader(
        build.leaf_rows(builder),
        documents,
        ExtractionLedger(ledger),
        builder.store.fetch,
        build.listen,
        partial(build.engine.extracted, build),
        upgrade,
    )
