"""What an index of one size costs: a fresh build of a made corpus, searched."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ...indexer.context import indexed_text
from ...indexer.models.ports import Embedder, Vectors
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ports import Filter
from ...indexer.stretches import stretches
from ..build import build_index
from ..config import Config
from ..events import Event, Listener
from ..loading_models import Models
from .approximate import Approximation, measure_approximation
from .build import stage_costs
from .corpus import Corpora
from .documents import prepared
from .journal import Journal
from .resources import Meter, disk_use
from .sampled import sample_questions
from .scale_report import MODEL, STAND_IN, SizeResult
from .search import bench_search
from .search_report import Spread
from .stand_in import Likeness, StandIn, fit_stand_in

APPROXIMATE_FROM = 10_000
"""The engine searches fewer vectors exactly, graph or not."""
_SAMPLE = 2_000
_QUESTIONS = 100
_QUERIES = 200
_FETCH = 1_000
_LIKENESS = "likeness"


class SizeMeasuring:
    """Measures sizes one after the other, those above ``embed_at_most`` with a stand-in for the embedder,
    whose likeness to it is kept in the journal."""

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        corpora: Corpora,
        config: Config,
        embedder: Embedder,
        embed_at_most: int,
        builds: int,
        seed: int,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self._folder, self._journal, self._corpora = folder, journal, corpora
        self._config, self._embedder, self._embed_at_most = config, embedder, embed_at_most
        self._builds, self._seed = builds, seed
        self._listen, self._cancel = listen, cancel
        self._stand_in: StandIn | None = None

    def name(self, size: int) -> str:
        """What a measurement is kept under."""
        return f"{size} {self._by(size)} {self._builds}"

    def likeness(self) -> Likeness | None:
        """How like the model its stand-in is; None where there was none."""
        return Likeness.from_json(self._journal[_LIKENESS]) if _LIKENESS in self._journal else None

    def measure(self, size: int) -> SizeResult:
        """Build an index of about ``size`` chunks, search it, and remove it."""
        sources = self._corpora.sources(size)
        embedder = self._embedder if self._by(size) == MODEL else self._standing_in()
        embedder.embed(["loads what is loaded at the first text"])
        index = self._folder / "index"
        shutil.rmtree(index, ignore_errors=True)
        with Meter() as meter:
            report = build_index(
                sources,
                index,
                config=self._config,
                embedder=embedder,
                on_event=self._listen,
                cancel=self._cancel,
            )
        search = self._searched(index, embedder)
        result = SizeResult(
            size=size,
            documents=len(report.added),
            chunks=report.chunks,
            embedding=self._by(size),
            wall=meter.wall,
            cpu=meter.cpu,
            stages=stage_costs(report, meter),
            peak_memory=meter.peak,
            disk=disk_use(index),
            search=search,
            approximation=self._approximation(index, embedder) if size >= APPROXIMATE_FROM else None,
        )
        shutil.rmtree(index)
        return result

    def _searched(self, index: Path, embedder: Embedder) -> Spread:
        searches = bench_search(
            index,
            clients=(1,),
            routes=("hybrid",),
            sample=_QUESTIONS,
            seed=self._seed,
            config=self._config,
            embedder=embedder,
            on_event=self._listen,
            cancel=self._cancel,
        )
        return searches.timings[-1].without_embedding

    def _approximation(self, index: Path, embedder: Embedder) -> Approximation:
        with closing(IndexFolder.open(index)) as folder:
            published = folder.manifest().published or 0
            questions = sample_questions(folder, published, _QUERIES, self._seed + 1)
            documents = _vectors(folder, published)
        queries = np.stack([embedder.embed_question(question) for question in questions])
        return measure_approximation(
            documents,
            queries,
            self._folder / "approximate",
            self._builds,
            self._seed,
            self._listen,
            self._cancel,
        )

    def _standing_in(self) -> StandIn:
        """The stand-in, fitted to texts from the whole of the smallest corpus."""
        if self._stand_in is None:
            texts = list(self._texts())
            step = max(1, len(texts) // _SAMPLE)
            sample = texts[::step][:_SAMPLE]
            self._listen(Event("fit the stand-in", 0, len(sample), "chunks"))
            self._stand_in, likeness = fit_stand_in(sample, self._embedder, self._config.embed.batch)
            self._journal.keep(_LIKENESS, asdict(likeness))
        return self._stand_in

    def _texts(self) -> Iterator[str]:
        sources = self._corpora.sources(self._corpora.smallest_of(_SAMPLE))
        for document in prepared(sources, self._config, Models(self._config), self._cancel):
            for chunk in document.chunks:
                yield indexed_text(chunk)

    def _by(self, size: int) -> str:
        return MODEL if size <= self._embed_at_most else STAND_IN


def _vectors(folder: IndexFolder, generation: int) -> dict[str, Vectors]:
    """The dense vectors of an index by document."""
    keys = sorted(folder.ledger.live_keys(generation, "chunks"))
    store = folder.vectors()
    snapshot = store.read(generation)
    documents: dict[str, list[Vectors]] = {}
    try:
        for some in stretches(keys, _FETCH):
            for row in snapshot.fetch(Filter(keys=some), vectors=True):
                if row.dense is not None:
                    documents.setdefault(row.payload["document"], []).append(row.dense)
    finally:
        snapshot.close()
        store.close()
    return {name: np.stack(vectors) for name, vectors in documents.items()}
