"""An evaluation against an earlier one: what got worse by more than a tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...indexer.errors import ConfigurationError
from .outcomes import EvaluationReport, Row
from .report_json import RowMeans, read_means
from .shown import AMOUNTS, LESS, config_name

TOLERANCE = 0.005
"""How much a mean may fall before that counts as a loss."""
_ROUNDING = 1e-9

Key = tuple[str, frozenset[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Loss:
    """A metric of a row whose mean was ``before`` and is ``now``, worse by more than the tolerance."""

    set: str
    config: Mapping[str, str]
    metric: str
    before: float
    now: float

    def __str__(self) -> str:
        where = f"{self.set}, {config_name(self.config, ())}"
        return (
            f"{where}: {self.metric} was {self.before:.4f}, is {self.now:.4f} ({self.now - self.before:+.4f})"
        )


@dataclass(frozen=True, slots=True)
class Losses:
    """What a comparison found. ``compared`` counts the pairs of means; ``unmatched`` names rows and
    metrics that only one of the two runs has, and rows that asked other questions."""

    earlier: Path
    tolerance: float
    losses: tuple[Loss, ...]
    unmatched: tuple[str, ...]
    compared: int

    def to_json(self) -> dict[str, Any]:
        """A JSON object: the earlier file, the tolerance, the losses, what had no partner."""
        return {
            "earlier": str(self.earlier),
            "tolerance": self.tolerance,
            "compared": self.compared,
            "losses": [
                {
                    "set": loss.set,
                    "config": dict(loss.config),
                    "metric": loss.metric,
                    "before": loss.before,
                    "now": loss.now,
                }
                for loss in self.losses
            ],
            "unmatched": list(self.unmatched),
        }


def against(report: EvaluationReport, earlier: Path, tolerance: float = TOLERANCE) -> Losses:
    """Compare ``report`` with the document of an earlier run, row by row: same set, same configuration.

    Every metric of quality counts, also those of which less is better; amounts (tokens, pages) and seconds do
    not. Raises ConfigurationError for a file that is no such document, and where nothing can be compared.
    """
    before = {_key(row.set, row.config): row for row in read_means(earlier)}
    losses: list[Loss] = []
    unmatched: list[str] = []
    compared = 0
    for row in report.rows:
        old = before.pop(_key(row.set, row.config), None)
        if old is None:
            unmatched.append(f"{_name(row)}: not in {earlier}")
            continue
        if other := _asked_other(row, old, earlier):
            unmatched.append(other)
            continue
        unmatched += _without_partner(row, old, earlier)
        for metric in sorted(_quality(row.metrics) & _quality(old.means)):
            compared += 1
            now = row.metrics[metric].mean
            worse = (old.means[metric] - now) * (-1 if metric in LESS else 1)
            if worse > tolerance + _ROUNDING:
                losses.append(Loss(row.set, row.config, metric, old.means[metric], now))
    unmatched += [f"{_name(row)}: only in {earlier}" for row in before.values()]
    if not compared:
        raise ConfigurationError(
            f"nothing in {earlier} can be compared with this run: no row has the same set, configuration and "
            f"questions ({'; '.join(unmatched) or 'there are no rows'})"
        )
    return Losses(earlier, tolerance, tuple(losses), tuple(unmatched), compared)


def _key(name: str, config: Mapping[str, str]) -> Key:
    return name, frozenset(config.items())


def _name(row: Row | RowMeans) -> str:
    return f"{row.set}, {config_name(row.config, ())}"


def _quality(metrics: Mapping[str, object]) -> set[str]:
    return {name for name in metrics if name.partition("@")[0] not in AMOUNTS}


def _asked_other(row: Row, old: RowMeans, earlier: Path) -> str:
    """Why the means of two rows are over different things; empty where they are not."""
    if row.queries != old.queries:
        return f"{_name(row)}: {row.queries} questions, {old.queries} in {earlier}"
    if row.asked and old.asked and row.asked != old.asked:
        return f"{_name(row)}: other questions, gold, --seed or --budget than in {earlier}"
    return ""


def _without_partner(row: Row, old: RowMeans, earlier: Path) -> Iterator[str]:
    """The metrics that only one of two rows has."""
    for metric in sorted(_quality(row.metrics) ^ _quality(old.means)):
        where = "only in" if metric in old.means else "not in"
        yield f"{_name(row)}: {metric} {where} {earlier}"
