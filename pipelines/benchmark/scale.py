"""How the costs of an index grow: fresh builds of made corpora, small to large."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from ...indexer.context import indexed_text
from ...indexer.digests import digest
from ...indexer.errors import ConfigurationError
from ...indexer.models.ports import Embedder, Vectors
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ports import Filter
from ..build import build_index
from ..code_version import code_digest
from ..config import Config
from ..events import Event, Listener, ignore_events
from ..loading_models import Models
from ..recipe import shared_recipe
from .approximate import Approximation, measure_approximation
from .build import stage_costs
from .corpus import Corpora
from .documents import found, prepared
from .journal import Journal
from .recipe import VERSION
from .resources import Meter, disk_use, own_folder
from .sampled import sample_questions
from .scale_report import MODEL, STAND_IN, ScaleBench, SizeResult, exponents
from .search import bench_search
from .stand_in import Likeness, StandIn, fit_stand_in

SIZES = (1_000, 5_000, 20_000, 50_000, 100_000, 200_000)
EMBED_AT_MOST = 5_000
"""The largest size that the model itself embeds, by default."""
APPROXIMATE_FROM = 10_000
"""The engine searches fewer vectors exactly, graph or not."""
BUILDS = 50
_SAMPLE = 2_000
_QUESTIONS = 100
_QUERIES = 200
_FOLDER = "bench-scale"
_GROWTH = 1.3
"""How many times as long, for its size, a size may take as the one before it did."""
_COPIES = 4
"""Rooms of an index that measuring it may take: itself, a generation being written, the vectors apart."""
_FETCH = 1_000


def bench_scale(
    sources: Sequence[str],
    sizes: Sequence[int] = SIZES,
    config: Config | None = None,
    *,
    work: Path,
    seed: int = 0,
    embed_at_most: int = EMBED_AT_MOST,
    builds: int = BUILDS,
    max_seconds: float | None = None,
    embedder: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> ScaleBench:
    """Build indexes of made corpora of ``sizes`` chunks and measure each: see :mod:`.recipe`.

    Sizes above ``embed_at_most`` are embedded by a stand-in (:mod:`.stand_in`). From 10,000 chunks on,
    approximate search is compared with exact search, fresh and after ``builds`` incremental builds. What
    was measured is kept in ``work``; a later call with the same sources, configuration, seed and code of
    treegraph measures only what is missing. A size that would not be done within ``max_seconds`` of this
    call, or for which the disk has no room, is left out. Raises ConfigurationError, Cancelled, and what a
    build raises.
    """
    if not sizes or min(sizes) < 1 or embed_at_most < 0 or builds < 0:
        raise ConfigurationError("sizes are numbers from 1 on; builds and embed_at_most are not negative")
    config, cancel = config or Config(), cancel or threading.Event()
    embedding = Models(config, embedder).embedder()
    key = _key(sources, config, seed, embedding.name)
    folder = own_folder(work, _FOLDER, anew=False) / key
    folder.mkdir(exist_ok=True)
    listen = on_event or ignore_events
    corpora = Corpora(folder / "corpora", sizes, sources, config, seed, listen, cancel)
    bench = _Scale(folder, corpora, config, embedding, embed_at_most, builds, seed, listen, cancel)
    measured, left_out = bench.run(sorted(set(sizes)), max_seconds)
    return ScaleBench(
        sources=tuple(sources),
        embedder=embedding.name,
        seed=seed,
        sizes=tuple(measured),
        exponents=exponents(measured),
        likeness=bench.likeness(),
        left_out=left_out,
        notes=_notes(measured, embedding.name),
    )


class _Scale:
    """A benchmark under way."""

    def __init__(
        self,
        folder: Path,
        corpora: Corpora,
        config: Config,
        embedder: Embedder,
        embed_at_most: int,
        builds: int,
        seed: int,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self._folder, self._corpora, self._config = folder, corpora, config
        self._embedder, self._embed_at_most = embedder, embed_at_most
        self._builds, self._seed = builds, seed
        self._listen, self._cancel = listen, cancel
        code = code_digest("indexer", "query", "pipelines")[:16]  # other code has other costs
        self._journal = Journal(folder / f"journal-{code}.json")
        self._stand_in: StandIn | None = None

    def run(self, sizes: Sequence[int], max_seconds: float | None) -> tuple[list[SizeResult], dict[str, str]]:
        """Every size that is known or can be measured, and why the others were left out."""
        began = time.monotonic()
        measured: list[SizeResult] = []
        left_out: dict[str, str] = {}
        pace = 0.0  # seconds a chunk that the last size took, all its measuring included
        for size in sizes:
            name = self._name(size)
            if name not in self._journal:
                spent = time.monotonic() - began
                if why := self._no_room(size, measured) or _no_time(size, spent, pace, max_seconds):
                    left_out[f"{size:,}"] = why
                    continue
                self._journal.keep(name, asdict(self._measure(size)))
                pace = (time.monotonic() - began - spent) / size
            measured.append(SizeResult.from_json(self._journal[name]))
        return measured, left_out

    def likeness(self) -> Likeness | None:
        """How like the model its stand-in is; None where there was none."""
        return Likeness.from_json(self._journal["likeness"]) if "likeness" in self._journal else None

    def _name(self, size: int) -> str:
        return f"{size} {self._by(size)} {self._builds}"

    def _by(self, size: int) -> str:
        return MODEL if size <= self._embed_at_most else STAND_IN

    def _measure(self, size: int) -> SizeResult:
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
            search=searches.timings[-1].without_embedding,
            approximation=self._approximation(index, embedder) if size >= APPROXIMATE_FROM else None,
        )
        shutil.rmtree(index)
        return result

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
            self._journal.keep("likeness", asdict(likeness))
        return self._stand_in

    def _texts(self) -> Iterator[str]:
        sources = self._corpora.sources(self._corpora.smallest_of(_SAMPLE))
        for document in prepared(sources, self._config, Models(self._config), self._cancel):
            for chunk in document.chunks:
                yield indexed_text(chunk)

    def _no_room(self, size: int, measured: Sequence[SizeResult]) -> str:
        if not measured:
            return ""
        last = measured[-1]
        needed = round(_COPIES * last.disk.whole / last.size * size)
        free = shutil.disk_usage(self._folder).free
        return "" if needed < free else f"it needs {needed >> 20:,} MiB of disk, {free >> 20:,} MiB are free"


def _no_time(size: int, spent: float, pace: float, max_seconds: float | None) -> str:
    if max_seconds is None:
        return ""
    expected = spent + _GROWTH * pace * size
    return (
        "" if expected <= max_seconds else f"it would take until second {expected:,.0f} of {max_seconds:,.0f}"
    )


def _vectors(folder: IndexFolder, generation: int) -> dict[str, Vectors]:
    """The dense vectors of an index by document."""
    keys = sorted(folder.ledger.live_keys(generation, "chunks"))
    store = folder.vectors()
    snapshot = store.read(generation)
    documents: dict[str, list[Vectors]] = {}
    try:
        for at in range(0, len(keys), _FETCH):
            for row in snapshot.fetch(Filter(keys=keys[at : at + _FETCH]), vectors=True):
                if row.dense is not None:
                    documents.setdefault(row.payload["document"], []).append(row.dense)
    finally:
        snapshot.close()
        store.close()
    return {name: np.stack(vectors) for name, vectors in documents.items()}


def _key(sources: Sequence[str], config: Config, seed: int, embedder: str) -> str:
    """What all sizes of one benchmark share, the shape of what is kept of them included."""
    files = [[file.source, file.size, file.mtime_ns] for file in found(sources, config).files]
    recipe: Mapping[str, Any] = shared_recipe(config)
    shape = [field.name for kept in (SizeResult, Approximation, Likeness) for field in fields(kept)]
    return digest([VERSION, shape, files, recipe, asdict(config.search), seed, embedder])[:16]


def _notes(measured: Sequence[SizeResult], embedder: str) -> tuple[str, ...]:
    notes = ["Corpora are Markdown files made of the sources' passages: loading PDFs is no part of this"]
    replaced = [f"{size.size:,}" for size in measured if size.embedding == STAND_IN]
    if replaced:
        notes.append(f"The vectors at {', '.join(replaced)} were made by a stand-in for {embedder}")
    return tuple(notes)
