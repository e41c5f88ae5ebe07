"""What a run did, as figures for a monitoring system: the file of ``build --metrics-file``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..indexer.errors import StoreError, WorkError
from ..indexer.stores.edge_folders import allocated
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_history import ENDED_WELL, RunHistory, RunRow
from .metrics_text import Gauge, rendered, replace_file
from .recording import how_it_ended

_OUTCOMES = ("published", "unchanged", "failed", "stopped")
_CHANGES = ("added", "changed", "renamed", "unchanged", "removed", "failed")
_HELD = ("documents", "pages", "chunks", "nodes", "entities", "relations", "communities")
Samples = list[tuple[Mapping[str, str], float]]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run as it is told to a monitoring system. ``report`` is what its line in the history has (counts,
    no names), empty where it never came to counting; ``last_good`` is when a run of the command last
    published something or found nothing to do, in seconds since 1970."""

    command: str
    run: str
    outcome: str
    reason: str
    started: float
    finished: float
    seconds: float
    counts: Mapping[str, int]
    report: Mapping[str, Any]
    last_good: float | None
    generation: int | None
    disk_bytes: int


def write_metrics(
    path: Path, index: Path, command: str, run: str, seconds: float, error: BaseException | None
) -> None:
    """Write the figures of ``run``, which took ``seconds`` and raised ``error`` or nothing, to ``path``.

    What the index's history says of it is used where it has it: a run that failed before there was an index
    has an outcome and a time alone. Raises OSError where the file cannot be written.
    """
    figures = _figures(index, command, run, seconds, error)
    replace_file(path, rendered(gauges(figures), {"index": str(index.absolute()), "command": command}))


def gauges(figures: RunFigures) -> Iterator[Gauge]:
    """The families of a run's figures; those of which nothing is known have no samples."""
    report = figures.report
    well = figures.outcome in ENDED_WELL
    outcomes: Samples = [({"outcome": name}, float(name == figures.outcome)) for name in _OUTCOMES]
    yield Gauge("treegraph_run_outcome", "How the last run ended: 1 for its outcome.", outcomes)
    named = {"run": figures.run, "reason": figures.reason}
    yield Gauge("treegraph_run_info", "The id of the last run, and why it failed.", [(named, 1)])
    yield _one("treegraph_run_started_timestamp_seconds", "When the last run began.", figures.started)
    yield _one("treegraph_run_finished_timestamp_seconds", "When the last run ended.", figures.finished)
    yield _one(
        "treegraph_run_good_timestamp_seconds",
        "When a run last ended well: published, or found nothing to do.",
        figures.last_good,
    )
    yield _one("treegraph_run_duration_seconds", "What the last run took.", figures.seconds)
    stages = _by("stage", _without_total(report.get("seconds", {})))
    yield Gauge("treegraph_run_stage_duration_seconds", "Wall time by stage; stages overlap.", stages)
    cpu = _by("stage", report.get("cpu_seconds", {}))
    yield Gauge("treegraph_run_stage_cpu_seconds", "Processor time by stage.", cpu)
    yield _one(
        "treegraph_run_peak_memory_bytes", "The most memory of all its processes.", report.get("peak_memory")
    )
    yield from _work(report, well)
    yield from _holdings(figures)


def _work(report: Mapping[str, Any], well: bool) -> Iterator[Gauge]:
    """What it did. Of a run that did not end well only what failed is counted whole."""
    documents = report.get("documents", {})
    whole = _CHANGES if well else ("failed",)
    changes = [({"change": name}, documents[name]) for name in whole if name in documents]
    yield Gauge("treegraph_run_documents", "Documents by what became of them.", changes)
    yield _one(
        "treegraph_run_new_failures", "Failures that no run told of before.", documents.get("new_failures")
    )
    costs = _by("stage", report.get("cost", {}))
    yield Gauge("treegraph_run_cost", "What model calls cost by stage.", costs)
    tokens: Samples = []
    calls: Samples = []
    for stage, counts in report.get("tokens", {}).items():
        tokens += [({"stage": stage, "direction": d}, counts[d]) for d in ("in", "out") if d in counts]
        calls += [({"stage": stage, "answer": a}, counts[n]) for n, a in _ANSWERS if n in counts]
    yield Gauge("treegraph_run_tokens", "Tokens of model calls by stage and direction.", tokens)
    yield Gauge("treegraph_run_calls", "Model calls by stage, and answers that were there already.", calls)
    degraded = _by("reason", report.get("degraded", {}))
    yield Gauge("treegraph_run_degraded", "What fell back to a lesser way, by reason.", degraded)
    owed = _by("stage", report.get("owed", {}))
    yield Gauge("treegraph_run_owed", "Items by stage that a later build would upgrade.", owed)


_ANSWERS = (("calls", "made"), ("cached", "cached"))


def _holdings(figures: RunFigures) -> Iterator[Gauge]:
    counted = figures.report if figures.outcome in ENDED_WELL else {}
    held = {**counted, **{name: n for name, n in figures.counts.items() if name != "failures"}}
    for name in _HELD:
        value = held.get(name)
        number = value if isinstance(value, int) else None
        yield _one(f"treegraph_index_{name}", f"The {name} that the index holds.", number)
    failures = figures.counts.get("failures")
    yield _one("treegraph_index_failures", "Inputs that stand as failed.", failures)
    yield _one("treegraph_index_generation", "The published generation.", figures.generation)
    yield _one("treegraph_index_disk_bytes", "Bytes on disk of the index's folder.", figures.disk_bytes)


def _one(name: str, text: str, value: float | None) -> Gauge:
    return Gauge(name, text, [] if value is None else [({}, value)])


def _by(label: str, values: Mapping[str, float | None]) -> Samples:
    """A sample for each value that is known."""
    return [({label: name}, value) for name, value in values.items() if value is not None]


def _without_total(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: value for stage, value in seconds.items() if stage != "total"}


def _figures(index: Path, command: str, run: str, seconds: float, error: BaseException | None) -> RunFigures:
    rows: list[RunRow] = []
    generation = None
    with suppress(WorkError), closing(IndexFolder.open(index)) as folder:  # there may be none, or no room
        generation = folder.manifest().published
        with suppress(StoreError):
            rows = RunHistory(folder.ledger).newest()
    row = next((row for row in rows if row.id == run and row.command == command), None)
    now = time.time()
    outcome, reason, _ = how_it_ended(error, row.generation if row else None)
    finished = now if row is None or row.finished is None else row.finished
    good = [finished] if outcome in ENDED_WELL else []
    return RunFigures(
        command,
        run,
        outcome,
        reason,
        row.started if row else now - seconds,
        finished,
        seconds if row is None or row.seconds is None else row.seconds,
        row.counts if row else {},
        (row.report if row else None) or {},
        next(iter([*good, *_good(rows, command)]), None),
        generation,
        allocated(index),
    )


def _good(rows: Iterable[RunRow], command: str) -> Iterator[float]:
    for row in rows:
        if row.command == command and row.outcome in ENDED_WELL and row.finished is not None:
            yield row.finished
