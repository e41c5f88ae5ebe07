"""How long searches take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..evaluation.page.plots import Curve, Panel
from .tables import Table, count, milliseconds

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Spread:
    """Seconds that half, 95 % and 99 % of the searches stay within."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """The spread of at least one measured time."""
        return cls(*(float(value) for value in np.percentile(seconds, PERCENTILES)))


@dataclass(frozen=True, slots=True)
class Timing:
    """Searches by one route, ``clients`` at a time. ``warmed``: every question was asked before.

    ``total`` is a whole search, ``without_embedding`` the same searches without the time in which the
    question was encoded, ``embedding`` that time alone. ``per_second`` is of all clients together.
    """

    route: str
    clients: int
    warmed: bool
    searches: int
    per_second: float
    total: Spread
    without_embedding: Spread
    embedding: Spread


@dataclass(frozen=True, slots=True)
class SearchBench:
    """Searches over one index. ``left_out`` says which routes were not measured, and why; ``sampled``
    whether the questions were made of the index's own text."""

    index: str
    generation: int
    chunks: int
    documents: int
    embedder: str
    questions: int
    sampled: bool
    opening: float
    timings: tuple[Timing, ...]
    left_out: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """All figures, in seconds."""
        return {"schema": 1, "kind": "search", **asdict(self)}

    def tables(self) -> list[Table]:
        """The figures as text."""
        made = "words of the index's own chunks" if self.sampled else "given"
        left_out = "".join(f" Not measured: {route} ({why})." for route, why in self.left_out.items())
        note = (
            f"{count(self.questions)} questions, {made}; {count(self.chunks)} chunks, {self.embedder}. "
            f"Milliseconds. Opening the index and loading the models took {self.opening:.2f} s.{left_out}"
        )
        columns = ("route", "clients", "asked", "searches/s", "p50", "p95", "p99", *_WITHOUT)
        return [Table("Searches", columns, tuple(_row(timing) for timing in self.timings), note)]

    def panels(self) -> list[Panel]:
        """Latency over the number of clients, and searches a second."""
        warmed = [timing for timing in self.timings if timing.warmed]
        routes = dict.fromkeys(timing.route for timing in warmed)
        times, rates = [], []
        for route in routes:
            ours = [timing for timing in warmed if timing.route == route]
            clients = tuple(float(timing.clients) for timing in ours)
            times += [
                Curve(f"{route}, p50", clients, tuple(1000 * t.total.p50 for t in ours)),
                Curve(f"{route}, p95", clients, tuple(1000 * t.total.p95 for t in ours)),
            ]
            rates.append(Curve(route, clients, tuple(timing.per_second for timing in ours)))
        return [
            Panel("Latency by clients", "clients", "milliseconds", tuple(times), log=True),
            Panel("Searches a second by clients", "clients", "searches/s", tuple(rates), log_x=True),
        ]


_WITHOUT = ("p50 without embedding", "p95 without embedding", "p99 without embedding")


def _row(timing: Timing) -> tuple[str, ...]:
    spreads = (timing.total, timing.without_embedding)
    figures = [milliseconds(value) for s in spreads for value in (s.p50, s.p95, s.p99)]
    asked = "again" if timing.warmed else "first time"
    return (timing.route, count(timing.clients), asked, f"{timing.per_second:.1f}", *figures)
