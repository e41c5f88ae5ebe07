"""What choosing a route for each question buys: auto beside each route alone, and the best for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...indexer.errors import ConfigurationError
from .intervals import RESAMPLES, SEED
from .outcomes import Measured, Row
from .shown import headline

BASE, CHOSEN = "hybrid", "auto"
COMPARED = (BASE, CHOSEN, "tree", "graph")
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SetRoutes:
    """The routes over one set, by its headline ``metric``: the ``means`` of each, of the best route of the
    set, and of the best for each question (of those without auto). ``loss`` is auto against hybrid, question
    by question; ``seconds`` are medians."""

    set: str
    metric: str
    questions: int
    means: Mapping[str, float]
    best_of_set: float
    best_of_each: float
    loss: Measured
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RoutesReport:
    """All sets, and what of the gap between hybrid and the best for each question auto closes: of the means
    over sets, each set counting the same. ``fixed`` is what the best route of each set would close. Both
    are None where there is no gap."""

    sets: tuple[SetRoutes, ...]
    closed: Measured | None
    fixed: float | None

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "sets": [asdict(each) for each in self.sets],
            "closed": None if self.closed is None else asdict(self.closed),
            "fixed": self.fixed,
        }


def compare_routes(rows: Sequence[Row]) -> RoutesReport:
    """The report of rows by set and route. Raises ConfigurationError where a set lacks hybrid or auto."""
    by_set: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_set.setdefault(row.set, {})[row.config["route"]] = row
    tables = [_Table(name, routes) for name, routes in by_set.items()]
    return RoutesReport(tuple(table.summary() for table in tables), _closed(tables), _fixed(tables))


class _Table:
    """The values of one set, (questions, routes)."""

    def __init__(self, name: str, rows: Mapping[str, Row]) -> None:
        if not {BASE, CHOSEN} <= rows.keys():
            raise ConfigurationError(f"{name} was not asked over both {BASE} and {CHOSEN}")
        self.name = name
        self.rows = rows
        self.metric = headline(rows[BASE])
        self.values: Mapping[str, Values] = {
            route: np.array([outcome.values.get(self.metric, 0.0) for outcome in row.outcomes])
            for route, row in rows.items()
        }
        alone = [values for route, values in self.values.items() if route != CHOSEN]
        self.gained = self.values[CHOSEN] - self.values[BASE]
        self.gap = np.max(alone, axis=0) - self.values[BASE]
        self.best = max(float(values.mean()) for values in alone)

    def summary(self) -> SetRoutes:
        drawn = np.array([each.mean() for each in _drawn(self.gained)])
        low, high = np.percentile(drawn, [2.5, 97.5])
        return SetRoutes(
            set=self.name,
            metric=self.metric,
            questions=len(self.gained),
            means={route: float(values.mean()) for route, values in self.values.items()},
            best_of_set=self.best,
            best_of_each=float((self.gap + self.values[BASE]).mean()),
            loss=Measured(float(self.gained.mean()), float(low), float(high)),
            seconds={route: float(row.seconds["p50"]) for route, row in self.rows.items()},
        )


def _drawn(values: Values) -> list[Values]:
    """``RESAMPLES`` draws of as many of ``values``, along the first axis."""
    generator = np.random.default_rng(SEED)
    count = len(values)
    return [values[generator.integers(0, count, count)] for _ in range(RESAMPLES)]


def _closed(tables: Sequence[_Table]) -> Measured | None:
    """The share of the gap that auto closes, with the interval over draws of each set's questions."""
    draws = [_drawn(np.stack([table.gained, table.gap], axis=1)) for table in tables]
    whole = _share([np.array([table.gained.mean(), table.gap.mean()]) for table in tables])
    if whole is None:
        return None
    shares = [_share([draw.mean(axis=0) for draw in drawn]) for drawn in zip(*draws, strict=True)]
    low, high = np.percentile([share for share in shares if share is not None], [2.5, 97.5])
    return Measured(whole, float(low), float(high))


def _fixed(tables: Sequence[_Table]) -> float | None:
    base = [float(table.values[BASE].mean()) for table in tables]
    pairs = zip(tables, base, strict=True)
    return _share([np.array([table.best - mean, table.gap.mean()]) for table, mean in pairs])


def _share(means: Sequence[Values]) -> float | None:
    gained, gap = np.mean(means, axis=0)
    return float(gained / gap) if gap > 0 else None
