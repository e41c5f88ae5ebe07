"""At which rank the gold stood: the share of it that is found, the further one looks."""

from __future__ import annotations

from collections.abc import Sequence

from ..outcomes import Outcome
from .diagnosis import FINAL
from .plots import SERIES, Curve, Panel

DEPTH = 100
"""Ranks that the plot goes down to."""


def recall_curve(outcomes: Sequence[Outcome]) -> tuple[float, ...]:
    """recall@k for k = 1 to :data:`DEPTH`: the mean over questions of the share of their gold places
    whose final rank is k or less. A question whose search failed has found nothing."""
    gained = [0.0] * (DEPTH + 1)
    for outcome in outcomes:
        for standing in outcome.standing.values():
            rank = standing.get(FINAL)
            if rank is not None and rank <= DEPTH:
                gained[rank] += 1 / len(outcome.standing)
    total, curve = 0.0, []
    for gain in gained[1:]:
        total += gain
        curve.append(total / len(outcomes))
    return tuple(curve)


def rank_panel(configurations: Sequence[tuple[str, Sequence[Outcome]]]) -> Panel:
    """The curves of the first :data:`~.plots.SERIES` configurations, given as (name, outcomes); one
    without outcomes has no curve."""
    ranks = tuple(float(k) for k in range(1, DEPTH + 1))
    curves = tuple(
        Curve(name, ranks, recall_curve(outcomes)) for name, outcomes in configurations[:SERIES] if outcomes
    )
    return Panel("Gold found by rank", "rank k", "recall@k", curves, log_x=True, y_range=(0.0, 1.0))
