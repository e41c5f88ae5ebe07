"""The engine that needs nothing: threads of this process, and children that parse."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ...indexer.graph.extraction import Extraction, Extractor, Passage
from ...indexer.loaders.child import ParserPool
from ...indexer.models.ports import Embedder, SparseEncoder
from ..model_counts import ModelCounts
from ..preparation import FileOrder, FileRead, Prepared
from ..reading_ahead import ReadingAhead
from ..results_in_order import results_in_order
from .engine import FileTerms, PreparationWork
from .preparing import file_preparer

if TYPE_CHECKING:
    from ..building import Build

STOPPED = "stopped; what was found in the chunks is kept"


class LocalEngine:
    """Computes in this process. See :class:`.engine.Engine`."""

    def prepared(
        self, build: Build, orders: Iterable[FileOrder], terms: FileTerms, work: PreparationWork
    ) -> Generator[Prepared | FileRead]:
        """Files are read ahead of the embedder, one after the other."""
        situating, pictures = build.situating(), build.pictures()
        with ParserPool(build.readers.settings) as pool:
            images = build.folder.images if terms.keeps_images else None
            preparer = file_preparer(terms, situating, pictures, pool, images, build.clock)
            try:
                yield from ReadingAhead(preparer, build.cancel, pool.close).run(orders)
            finally:
                build.clock.charge("load", pool.cpu_seconds)
                work.take(situating.counts, pictures)

    def encoders(self, build: Build) -> tuple[Embedder, SparseEncoder]:
        """Those of the build's models."""
        return build.models.embedder(), build.models.sparse()

    def extracted(
        self, build: Build, extractor: Extractor, passages: Iterable[Passage], counts: ModelCounts
    ) -> Iterator[Extraction]:
        """On as many threads as the extractor takes."""

        def one(passage: Passage) -> Extraction:
            extraction = extractor.extract(passage)
            counts.take(extraction)
            return extraction

        with ThreadPoolExecutor(extractor.concurrency, "treegraph-extract") as pool:
            yield from results_in_order(pool, one, passages, build.cancel, STOPPED)

    def close(self) -> None:
        """Nothing outlives its work here."""
