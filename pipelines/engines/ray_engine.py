"""The engine that computes on a Ray cluster.

Reading, chunking, contexts, embedding and extraction run on the workers, through the functions that a local
build calls. Results come back in the order of what was asked, and the driver alone writes; so the index is
the one that a local build makes. What asks a paid service is asked by the driver on the workers' behalf.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...indexer.errors import ModelUnavailable, WorkerLost
from ...indexer.graph.extraction import Extraction, Extractor, Passage
from ...indexer.models.ports import Embedder, SparseEncoder
from ..model_counts import ModelCounts
from ..preparation import FileOrder, FileRead, Prepared
from .engine import FileTerms, PreparationWork
from .job import EncodersFace, FileWork
from .ray_cluster import RayCluster
from .settings import RunSettings

if TYPE_CHECKING:
    from ..building import Build
    from .ray_session import RaySession

_PIECE = 32
"""Passages of one task: what the death of a worker may cost."""


class RayEngine:
    """Computes on the cluster of ``settings``, which is connected to when the first work needs it. See
    :class:`.engine.Engine`. Raises ConfigurationError where Ray is not installed."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._cluster: RayCluster | None = None
        self._open: tuple[Build, RaySession] | None = None
        self._faces: EncodersFace | None = None

    def prepared(
        self, build: Build, orders: Iterable[FileOrder], terms: FileTerms, work: PreparationWork
    ) -> Generator[Prepared | FileRead]:
        """As many files at once as there are workers. A file that costs its workers' lives is a failure."""
        session = self._session(build)
        from .ray_tasks import prepare_file

        shared = session.shared(terms)
        left, waiting = iter(orders), deque[tuple[FileOrder, Any]]()
        while True:
            for order in islice(left, session.workers - len(waiting)):
                waiting.append((order, session.stream(prepare_file, shared, order)))
            if not waiting:
                return
            yield from self._file(build, *waiting.popleft(), work)

    def encoders(self, build: Build) -> tuple[Embedder, SparseEncoder]:
        """Those of the workers; an embedder that was handed in, or asks a service, stays with the driver."""
        if build.models.embeds_here:
            return build.models.embedder(), build.models.sparse()
        session = self._session(build)
        from .ray_encoders import RayEmbedder, RaySparseEncoder
        from .ray_session import WorkerDied
        from .ray_tasks import describe_encoders

        try:
            self._faces = self._faces or session.call(describe_encoders)
        except WorkerDied as error:
            raise ModelUnavailable(f"loading the encoders ends a worker, time and again: {error}") from error
        embedder = RayEmbedder(session, self._faces.embedder, build.clock)
        return embedder, RaySparseEncoder(session, self._faces, build.models.sparse, build.clock)

    def extracted(
        self, build: Build, extractor: Extractor, passages: Iterable[Passage], counts: ModelCounts
    ) -> Iterator[Extraction]:
        """In pieces; of a piece that costs its workers' lives each passage alone."""
        session, rest = self._session(build), iter(passages)
        from .ray_session import WorkerDied
        from .ray_tasks import extract_passages

        pieces = iter(lambda: list(islice(rest, _PIECE)), [])
        for piece, done in session.in_order(extract_passages, pieces):
            if isinstance(done, WorkerDied):
                parts = session.in_order(extract_passages, ([passage] for passage in piece))
                lost = [Extraction((), by=extractor.name, faults={"its worker died": 1})], 0.0
                results = [lost if isinstance(part, WorkerDied) else part for _, part in parts]
            else:
                results = [done]
            for found, took in results:
                build.clock.charge("graph", took)
                for extraction in found:
                    counts.take(extraction)
                    yield extraction

    def close(self) -> None:
        """Leave the cluster."""
        cluster, self._cluster = self._cluster, None
        with closing(cluster) if cluster is not None else nullcontext():
            self._close_session()

    def _file(
        self, build: Build, order: FileOrder, stream: Any, work: PreparationWork
    ) -> Iterator[Prepared | FileRead]:
        from .ray_session import WorkerDied

        items = self._session(build).streamed(stream)
        try:
            while (item := _timed_next(build, items)) is not None:
                if isinstance(item, FileWork):
                    work.add(item.work)
                    for stage, took in item.cpu_seconds.items():
                        build.clock.charge(stage, took)
                else:
                    yield item
        except WorkerDied as error:
            source = order.change.file.source
            failure = WorkerLost(f"{source} ended the worker that read it, time and again: {error}")
            yield FileRead(order.change, ((source, failure),))

    def _session(self, build: Build) -> RaySession:
        """The session of a build: one at a time."""
        if self._open is None or self._open[0] is not build:
            self._close_session()
            self._cluster = self._cluster or RayCluster(self._settings)
            from .ray_session import RaySession

            self._open = (build, RaySession(self._cluster, build))
        return self._open[1]

    def _close_session(self) -> None:
        opened, self._open, self._faces = self._open, None, None
        if opened is not None:
            opened[1].close()


def _timed_next(build: Build, items: Iterator[Any]) -> Any:
    """The next of ``items``, None at their end; the wait counts as loading."""
    with build.clock.time("load"):
        return next(items, None)
