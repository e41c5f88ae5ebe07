"""What building an index took."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..evaluation.page.plots import Curve, Panel
from .resources import DiskUse
from .tables import Table, count, facts, megabytes, seconds, share

OTHER = "other"
"""Processor time that belongs to no stage: comparing, the catalogue, progress, libraries' own threads."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """A stage's wall seconds (those in which it was at work; stages overlap) and processor seconds."""

    stage: str
    wall: float | None
    cpu: float


@dataclass(frozen=True, slots=True)
class Alone:
    """Embedding the build's ``texts`` and nothing else, in ``slices`` between the builds."""

    texts: int
    slices: int
    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Again:
    """A later build of the same index: its seconds, and its share of the first build's."""

    what: str
    wall: float
    cpu: float
    share: float
    embedded: int


@dataclass(frozen=True, slots=True)
class BuildBench:
    """A first build (``builds`` are the wall seconds of all that were made; the rest is the first's).

    ``ratio`` is their mean over embedding alone, ``cpu_ratio`` the same of processor time. Memory is the
    proportional set size of all processes, in bytes: ``memory_before`` with the model loaded, ``peak_memory``
    the most, ``memory`` its course as (seconds, bytes).
    """

    sources: tuple[str, ...]
    embedder: str
    documents: int
    pages: int
    chunks: int
    wall: float
    cpu: float
    stages: tuple[StageCost, ...]
    memory_before: int
    peak_memory: int
    memory: tuple[tuple[float, int], ...]
    disk: DiskUse
    builds: tuple[float, ...]
    alone: Alone | None = None
    ratio: float | None = None
    cpu_ratio: float | None = None
    again: tuple[Again, ...] = ()
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def pages_per_second(self) -> float:
        """Pages a second of the first build."""
        return self.pages / self.wall

    @property
    def chunks_per_second(self) -> float:
        """Chunks a second of the first build."""
        return self.chunks / self.wall

    def to_json(self) -> dict[str, Any]:
        """All figures, seconds and bytes."""
        rates = {"pages_per_second": self.pages_per_second, "chunks_per_second": self.chunks_per_second}
        return {"schema": 1, "kind": "build", **asdict(self), **rates}

    def tables(self) -> list[Table]:
        """The figures as text."""
        stages = [(s.stage, "" if s.wall is None else seconds(s.wall), seconds(s.cpu)) for s in self.stages]
        stages.append(("all", seconds(self.wall), seconds(self.cpu)))
        note = (
            "Wall: the time in which the stage was at work; stages overlap. CPU: of the threads and child "
            "processes that worked for it; libraries' own threads are in 'other'."
        )
        stage_table = Table("Stages", ("stage", "wall s", "CPU s"), tuple(stages), note)
        return [facts("Build", self._facts()), stage_table]

    def panels(self) -> list[Panel]:
        """Memory over the first build."""
        course = tuple(at for at, _ in self.memory), tuple(size / 2**20 for _, size in self.memory)
        curve = Curve("all processes", *course, f"peak {megabytes(self.peak_memory)} MiB")
        return [Panel("Memory during the build", "seconds", "MiB", (curve,))]

    def _facts(self) -> list[tuple[str, str]]:
        rows = [
            ("documents", count(self.documents)),
            ("pages", count(self.pages)),
            ("chunks", count(self.chunks)),
            ("pages a second", f"{self.pages_per_second:.1f}"),
            ("chunks a second", f"{self.chunks_per_second:.1f}"),
            ("memory before, MiB", megabytes(self.memory_before)),
            ("peak memory, MiB", megabytes(self.peak_memory)),
            ("disk: vectors, MiB", megabytes(self.disk.vectors)),
            ("disk: ledger, MiB", megabytes(self.disk.ledger)),
            ("disk: whole index, MiB", megabytes(self.disk.whole)),
        ]
        if self.ratio is not None and self.cpu_ratio is not None:
            rows.append(("build / embedding alone, wall", f"{self.ratio:.2f}"))
            rows.append(("build / embedding alone, CPU", f"{self.cpu_ratio:.2f}"))
        return rows + [(f"{again.what}, of the first", share(again.share)) for again in self.again]
