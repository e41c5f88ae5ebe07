"""How the costs of an index grow with what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from ..evaluation.page.plots import Curve, Panel
from .approximate import Approximation
from .build_report import StageCost
from .exponents import Exponent, fit
from .resources import DiskUse
from .search_report import Spread
from .stand_in import Likeness
from .tables import Table, count, megabytes, milliseconds, seconds

MODEL, STAND_IN = "model", "stand-in"


@dataclass(frozen=True, slots=True)
class SizeResult:
    """One size: a fresh build of a made corpus, and searches over it.

    ``size`` was asked for, ``chunks`` is what came of it. ``embedding`` says what made the vectors: the
    ``model``, or its ``stand-in``, whose ``embed`` stage is then no cost of the model. ``search`` leaves
    the question's encoding out.
    """

    size: int
    documents: int
    chunks: int
    embedding: str
    wall: float
    cpu: float
    stages: tuple[StageCost, ...]
    peak_memory: int
    disk: DiskUse
    search: Spread
    approximation: Approximation | None = None

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """The result of ``asdict``, read back from JSON."""
        approximation = found["approximation"]
        if approximation is not None:
            recall = {int(builds): value for builds, value in approximation["recall"].items()}
            approximation = Approximation(**{**approximation, "recall": recall})
        parts = {
            "stages": tuple(StageCost(**stage) for stage in found["stages"]),
            "disk": DiskUse(**found["disk"]),
            "search": Spread(**found["search"]),
            "approximation": approximation,
        }
        return cls(**{**found, **parts})

    def cost(self, stage: str) -> float | None:
        """Processor seconds of a stage; None where the model did not do it."""
        if stage == "embed" and self.embedding != MODEL:
            return None
        return next((each.cpu for each in self.stages if each.stage == stage), None)


@dataclass(frozen=True, slots=True)
class ScaleBench:
    """All sizes, and by cost the exponent with which its total grows.

    ``likeness`` compares the stand-in with the model on texts that it was not fitted to; None where every
    size was embedded by the model. ``left_out`` says which sizes were not measured, and why.
    """

    sources: tuple[str, ...]
    embedder: str
    seed: int
    sizes: tuple[SizeResult, ...]
    exponents: Mapping[str, Exponent]
    likeness: Likeness | None
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All figures, in seconds and bytes."""
        return {"schema": 1, "kind": "scale", **asdict(self)}

    def tables(self) -> list[Table]:
        """The figures as text."""
        growth = tuple(
            (name, f"{found.value:.2f}", f"{count(found.smallest)} to {count(found.largest)}")
            for name, found in self.exponents.items()
        )
        tables = [
            self._stages(),
            Table("Growth of the totals", ("cost", "exponent", "chunks"), growth, "cost ~ chunks ^ exponent"),
            self._room(),
        ]
        return [*tables, self._approximate()] if any(size.approximation for size in self.sizes) else tables

    def panels(self) -> list[Panel]:
        """Costs, room and search time over the number of chunks; recall over builds."""
        return [
            Panel("CPU seconds by stage", "chunks", "CPU s", tuple(self._cost_curves()), log=True),
            Panel("Memory and disk", "chunks", "MiB", tuple(self._room_curves()), log=True),
            Panel("Searches", "chunks", "milliseconds", tuple(self._search_curves()), log=True),
            *self._recall_panels(),
        ]

    def _stages(self) -> Table:
        names = stage_names(self.sizes)
        rows = []
        for size in self.sizes:
            costs = [seconds(stage.cpu) for name in names for stage in size.stages if stage.stage == name]
            rows.append((count(size.chunks), size.embedding, *costs, seconds(size.cpu), seconds(size.wall)))
        note = "CPU seconds of a fresh build" + "".join(f". {note}" for note in self.notes)
        return Table("Stages", ("chunks", "vectors by", *names, "all", "wall s"), tuple(rows), note)

    def _room(self) -> Table:
        columns = ("chunks", "peak MiB", "vectors MiB", "ledger MiB", "search p50 ms", "p95 ms")
        rows = [
            (
                count(size.chunks),
                megabytes(size.peak_memory),
                megabytes(size.disk.vectors),
                megabytes(size.disk.ledger),
                milliseconds(size.search.p50),
                milliseconds(size.search.p95),
            )
            for size in self.sizes
        ]
        return Table("Room and searches", columns, tuple(rows), "The question's embedding is left out.")

    def _approximate(self) -> Table:
        rows = []
        for size in self.sizes:
            if (found := size.approximation) is not None:
                last = max(found.recall)
                rows.append(
                    (
                        count(found.rows),
                        f"{found.recall[0]:.4f}",
                        f"{found.recall[last]:.4f} after {last}",
                        milliseconds(found.exact),
                        milliseconds(found.graph),
                        milliseconds(found.aged),
                        seconds(found.graph_cpu),
                        seconds(found.update_cpu),
                    )
                )
        columns = ("vectors", "recall@10", "after builds", "exact ms", "graph ms", "aged ms", "graph CPU s")
        note = "Dense search for ten through the embedded store, against exact search."
        return Table("Approximate search", (*columns, "update CPU s"), tuple(rows), note)

    def _cost_curves(self) -> Iterator[Curve]:
        for name in stage_names(self.sizes):
            points = [(size.chunks, cost) for size in self.sizes if (cost := size.cost(name)) is not None]
            yield self._curve(name, points)

    def _room_curves(self) -> Iterator[Curve]:
        yield self._curve("memory", [(size.chunks, size.peak_memory / 2**20) for size in self.sizes])
        yield self._curve("disk", [(size.chunks, size.disk.whole / 2**20) for size in self.sizes])

    def _search_curves(self) -> Iterator[Curve]:
        yield self._curve("p50", [(size.chunks, 1000 * size.search.p50) for size in self.sizes])
        yield self._curve("p95", [(size.chunks, 1000 * size.search.p95) for size in self.sizes])
        graphs = [size.approximation for size in self.sizes if size.approximation]
        if graphs:
            yield self._curve("dense, exact", [(each.rows, 1000 * each.exact) for each in graphs])
            yield self._curve("dense, graph", [(each.rows, 1000 * each.graph) for each in graphs])

    def _recall_panels(self) -> Iterator[Panel]:
        graphs = [size.approximation for size in self.sizes if size.approximation]
        if graphs:
            curves = [
                Curve(f"{count(each.rows)} vectors", *_points(sorted(each.recall.items()))) for each in graphs
            ]
            yield Panel("recall@10 of approximate search", "builds", "recall@10", tuple(curves))

    def _curve(self, name: str, points: Sequence[tuple[float, float]]) -> Curve:
        found = self.exponents.get(name)
        return Curve(name, *_points(points), f"exponent {found.value:.2f}" if found else "")


def stage_names(sizes: Sequence[SizeResult]) -> list[str]:
    """The stages in the order in which they were met."""
    return list(dict.fromkeys(stage.stage for size in sizes for stage in size.stages))


def exponents(sizes: Sequence[SizeResult]) -> dict[str, Exponent]:
    """The exponent of every cost that was measured at two sizes or more."""
    series: dict[str, list[tuple[int, float]]] = {}
    for name in stage_names(sizes):
        series[name] = [(size.chunks, cost) for size in sizes if (cost := size.cost(name)) is not None]
    series["all but embed"] = [
        (size.chunks, sum(stage.cpu for stage in size.stages if stage.stage != "embed")) for size in sizes
    ]
    series["memory"] = [(size.chunks, float(size.peak_memory)) for size in sizes]
    series["disk"] = [(size.chunks, float(size.disk.whole)) for size in sizes]
    series["p50"] = [(size.chunks, size.search.p50) for size in sizes]
    series["p95"] = [(size.chunks, size.search.p95) for size in sizes]
    found = {}
    for name, points in series.items():
        least = 0.0 if name in ("p50", "p95") else 0.05
        if (exponent := fit([x for x, _ in points], [y for _, y in points], least)) is not None:
            found[name] = exponent
    return found


def _points(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(float(x) for x, _ in points), tuple(float(y) for _, y in points)
