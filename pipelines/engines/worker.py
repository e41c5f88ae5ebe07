"""What runs on a worker: the very stages of a local build, with the driver's ports in place of its stores."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from ...indexer.errors import WorkError
from ...indexer.graph.extraction import Extraction, Extractor, Passage
from ...indexer.loaders.child import ParserPool
from ...indexer.models.ports import Embedder, SparseEncoder, SparseVector, Tokenizer, Vectors
from ...indexer.redaction.finder import redactor_for
from ..code_version import code_digest
from ..loading_models import Models
from ..page_readers import PageReaders
from ..page_reading import PagePictures
from ..preparation import FileOrder, FileRead, Prepared
from ..situating import Situating
from ..stage_clock import StageClock
from .driver_ports import (
    Ask,
    DriverCallCache,
    DriverEmbedder,
    DriverImages,
    DriverLog,
    DriverModel,
    DriverPages,
    DriverVisionModel,
    driver_listener,
)
from .engine import FileTerms, PreparationWork
from .job import EmbedderFace, EncodersFace, FileWork, Job
from .preparing import file_preparer


def code_of_workers() -> str:
    """The digest of all code that a worker and its driver must have in common."""
    return code_digest("indexer", "pipelines")


class Worker:
    """Does a job's work in one process of the cluster. Models and parsers are loaded once, when they are
    first needed. Raises WorkError where this node has other code or another OCR than the driver."""

    def __init__(self, job: Job, ask: Ask) -> None:
        if job.code != code_of_workers():
            raise WorkError("a node of the cluster has another version of treegraph: install this one there")
        self._job = job
        self._ask = ask
        self._never = threading.Event()  # a worker that is to stop is ended
        self._cache = DriverCallCache(ask)
        self._pool = ParserPool(job.load)
        self._redactor = redactor_for(job.config.redact)
        self._models = Models(
            job.config,
            embedder=DriverEmbedder(ask, job.embedder) if job.embedder else None,
            llm=DriverModel(ask, "llm", job.llm) if job.llm else None,
            vision=DriverVisionModel(ask, "vision", job.vision) if job.vision else None,
        )
        if job.ocr != self._models.ocr_asked:
            raise WorkError(
                f"a node of the cluster reads by OCR with {self._models.ocr_asked or 'nothing'}, the driver "
                f"with {job.ocr or 'nothing'}: install the same packages there"
            )
        self._log = DriverLog(ask)
        logging.getLogger("treegraph").addHandler(self._log)

    def close(self) -> None:
        """End the parser, and log to the driver no more."""
        logging.getLogger("treegraph").removeHandler(self._log)
        self._pool.close()

    def prepared(self, terms: FileTerms, order: FileOrder) -> Iterator[Prepared | FileRead | FileWork]:
        """The documents of a file, what they took, and its FileRead."""
        clock, before, work = StageClock(), self._pool.cpu_seconds, PreparationWork()
        situating = Situating(
            self._job.config, self._tokenizer, self._models, self._cache, self._never, self._redactor
        )
        pictures = PagePictures(
            PageReaders(self._job.config, self._models),
            DriverPages(self._ask),
            clock,
            driver_listener(self._ask),
            self._never,
            self._redactor,
        )
        images = DriverImages(self._ask) if terms.keeps_images else None
        preparer = file_preparer(terms, situating, pictures, self._pool, images, clock)
        for item in preparer.prepare(order):
            if isinstance(item, FileRead):
                work.take(situating.counts, pictures)
                clock.charge("load", self._pool.cpu_seconds - before)
                yield FileWork(work, clock.cpu_seconds)
            yield item

    def encoders(self) -> EncodersFace:
        """Load the encoders, and say what they are."""
        embedder, sparse = self._encoders
        return EncodersFace(EmbedderFace.of(embedder), sparse.name, sparse.idf)

    def embed(self, texts: Sequence[str]) -> tuple[Vectors, float]:
        """Dense vectors of texts, and the processor seconds that they took. Raises ModelCallError."""
        began = time.thread_time()
        vectors = self._encoders[0].embed(texts)
        return vectors, time.thread_time() - began

    def encode(
        self, texts: Sequence[str], languages: Sequence[str | None]
    ) -> tuple[list[SparseVector], float]:
        """Sparse vectors of texts, and the processor seconds that they took."""
        began = time.thread_time()
        vectors = self._encoders[1].encode(texts, languages)
        return vectors, time.thread_time() - began

    def extracted(self, passages: Sequence[Passage]) -> tuple[list[Extraction], float]:
        """What each passage says, and the processor seconds that this took."""
        began = time.process_time()
        with ThreadPoolExecutor(self._extractor.concurrency, "treegraph-extract") as pool:
            found = list(pool.map(self._extractor.extract, passages))
        return found, time.process_time() - began

    @cached_property
    def _encoders(self) -> tuple[Embedder, SparseEncoder]:
        return self._models.embedder(), self._models.sparse()

    @cached_property
    def _extractor(self) -> Extractor:
        return self._models.extractor(self._cache, self._never)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from ...indexer.models.tokenizer import load_tokenizer

        return load_tokenizer(self._job.config.chunk.tokenizer)
