"""Which questions keep their hits: those that a page can show in full.

Ten hits of thousands of questions in dozens of configurations are gigabytes of text, and only the worst
questions are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .outcomes import Outcome, Row
from .shown import headline

QUESTIONS = 500
"""Questions that keep their hits at most: the worst of a part by its first configuration."""
CONFIGURATIONS = 12
"""Configurations of which a question keeps them; figures and ranks are kept of all."""


def badness(outcome: Outcome, metric: str) -> tuple[float, float]:
    """Sorts the worst first: by the headline ``metric``, then by mrr; a failed search before all others."""
    if outcome.error is not None:
        return (-1.0, -1.0)
    return (outcome.values.get(metric, 0.0), outcome.values.get("mrr", 0.0))


def worst_questions(row: Row) -> frozenset[str]:
    """The questions of ``row`` that keep their hits."""
    metric = headline(row)
    ordered = sorted(row.outcomes, key=lambda outcome: (*badness(outcome, metric), outcome.question))
    return frozenset(outcome.question for outcome in ordered[:QUESTIONS])


def with_hits_of(row: Row, kept: frozenset[str]) -> Row:
    """``row`` without the hits of all questions but ``kept``."""
    outcomes: Sequence[Outcome] = [
        outcome if outcome.question in kept else replace(outcome, hits=()) for outcome in row.outcomes
    ]
    return replace(row, outcomes=tuple(outcomes))
