"""What a build takes: by stage, against embedding its texts alone, and when little or nothing changed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...indexer.context import indexed_text
from ...indexer.errors import Cancelled
from ...indexer.models.ports import Embedder
from ...indexer.stretches import stretches
from ..build import build_index
from ..config import Config
from ..defaults import STRUCTURES
from ..events import Event, Listener, ignore_events
from ..loading_models import Models
from ..report import BuildReport
from . import one_page
from .build_report import OTHER, Again, Alone, BuildBench, StageCost
from .documents import copy_sources, prepared
from .resources import Meter, disk_use, own_folder

_FOLDER = "bench-build"


def bench_build(
    sources: Sequence[str],
    config: Config | None = None,
    *,
    work: Path,
    embedding_alone: bool = True,
    change: str | None = None,
    rounds: int = 1,
    embedder: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildBench:
    """Build an index of copies of ``sources`` in ``work``, ``rounds`` times, and measure all of it.

    Between and around the builds the very texts that they embed are embedded alone: by the same adapter
    with the model loaded, on as many threads, in the same order, every slice a sample of all of them; these
    builds leave the structures over the chunks out. Then the tree is added, the same build done again, and
    once more after one page of one document (``change``: a source or the end of one; by default the PDF of
    middling size) was changed. Raises ConfigurationError, and what a build raises.
    """
    config, cancel = config or Config(), cancel or threading.Event()
    models = Models(config, embedder)
    folder = own_folder(work, _FOLDER, anew=True)
    listen = on_event or ignore_events
    listen(Event("copy", 0, None, "files"))
    copied, copies = copy_sources(sources, config, folder / "sources")
    changing = one_page.choose(copies, change)
    bench = _Bench(folder, copied, config, models.embedder(), rounds, listen, cancel)
    bench.embedder.embed(["loads what is loaded at the first text"])
    bench.run(models if embedding_alone and config.context.by != "model" else None)
    if embedding_alone and config.context.by == "model":
        bench.notes.append("not compared with embedding alone: contexts written by a model are paid for")
    bench.rebuild("the tree added")
    bench.rebuild("the same build again")
    if changing is None:
        bench.notes.append("no page was changed: there is no PDF and no text among the sources")
    else:
        bench.rebuild(f"{one_page.change(copies[changing])} of {changing} changed")
    return bench.report(tuple(sources))


@dataclass(frozen=True, slots=True)
class _Built:
    """One build and what it took."""

    report: BuildReport
    meter: Meter


class _Bench:
    """A benchmark under way."""

    def __init__(
        self,
        folder: Path,
        copied: Sequence[str],
        config: Config,
        embedder: Embedder,
        rounds: int,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self.embedder = embedder
        self.notes: list[str] = []
        self._folder, self._copied, self._config = folder, copied, config
        self._rounds, self._listen, self._cancel = rounds, listen, cancel
        self._built: list[_Built] = []
        self._again: list[Again] = []
        self._alone: Alone | None = None

    def run(self, models: Models | None) -> None:
        """The first builds; with ``models``, slices of embedding alone around them."""
        texts = [] if models is None else self._texts(models)
        slices = self._rounds + 1
        wall = cpu = 0.0
        for number in range(slices):
            if texts:
                meter = self._embed(texts[number::slices], number)
                wall, cpu = wall + meter.wall, cpu + meter.cpu
            if number < self._rounds:
                self._built.append(self._build(self._folder / f"index-{number}", STRUCTURES))
        if texts:
            self._alone = Alone(len(texts), slices, wall, cpu)

    def rebuild(self, what: str) -> None:
        """Build the first index once more."""
        first = self._built[0].meter
        built = self._build(self._folder / "index-0")
        wall, cpu = built.meter.wall, built.meter.cpu
        self._again.append(Again(what, wall, cpu, wall / first.wall, built.report.embedded))

    def report(self, sources: tuple[str, ...]) -> BuildBench:
        """All that was measured."""
        first, meter = self._built[0].report, self._built[0].meter
        walls = tuple(built.meter.wall for built in self._built)
        cpu = sum(built.meter.cpu for built in self._built) / len(self._built)
        alone = self._alone
        return BuildBench(
            sources=sources,
            embedder=self.embedder.name,
            documents=len(first.added),
            pages=first.pages,
            chunks=first.chunks,
            wall=meter.wall,
            cpu=meter.cpu,
            stages=stage_costs(first, meter),
            memory_before=meter.before,
            peak_memory=meter.peak,
            memory=meter.memory,
            disk=disk_use(self._folder / "index-0"),
            builds=walls,
            alone=alone,
            ratio=sum(walls) / len(walls) / alone.wall if alone else None,
            cpu_ratio=cpu / alone.cpu if alone and alone.cpu else None,
            again=tuple(self._again),
            notes=tuple(self.notes),
            failed=tuple(f"{failure.source}: {failure.reason}" for failure in first.failed),
        )

    def _texts(self, models: Models) -> list[str]:
        self._listen(Event("read", 0, None, "documents"))
        return [
            indexed_text(chunk)
            for document in prepared(self._copied, self._config, models, self._cancel)
            for chunk in document.chunks
        ]

    def _embed(self, texts: Sequence[str], number: int) -> Meter:
        """Embed one slice of the texts alone."""
        size = self._config.embed.batch
        batches = list(stretches(texts, size))
        stage = f"embedding alone, slice {number + 1}"
        with Meter() as meter, ThreadPoolExecutor(self.embedder.concurrency) as pool:
            for done, _ in enumerate(pool.map(self._batch, batches), 1):
                self._listen(Event(stage, min(done * size, len(texts)), len(texts), "chunks"))
        return meter

    def _batch(self, texts: Sequence[str]) -> None:
        if self._cancel.is_set():
            raise Cancelled("stopped; the same command begins this benchmark anew")
        self.embedder.embed(texts)

    def _build(self, index: Path, without: Sequence[str] = ()) -> _Built:
        with Meter() as meter:
            report = build_index(
                self._copied,
                index,
                config=self._config,
                embedder=self.embedder,
                without=without,
                on_event=self._listen,
                cancel=self._cancel,
            )
        return _Built(report, meter)


def stage_costs(report: BuildReport, meter: Meter) -> tuple[StageCost, ...]:
    """What each stage of a build took; the processor time that no stage claims comes last."""
    stages = [StageCost(name, report.seconds[name], cpu) for name, cpu in report.cpu_seconds.items()]
    rest = meter.cpu - sum(stage.cpu for stage in stages)
    return (*stages, StageCost(OTHER, None, max(0.0, rest)))
