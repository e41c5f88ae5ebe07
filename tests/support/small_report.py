"""A report as an evaluation makes it, small enough to change by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treegraph.pipelines.evaluation.outcomes import (
    Difference,
    EvaluationReport,
    FoundHit,
    Measured,
    Outcome,
    Row,
    Slice,
)

CONFIG = {"chunk": "structure", "route": "hybrid"}


def measured(mean: float) -> Measured:
    return Measured(mean, max(0.0, mean - 0.1), mean + 0.1)


def row(means: Mapping[str, float], name: str = "manuals", **config: str) -> Row:
    """A row whose metrics have these means, over two questions, one of which failed."""
    metrics = {metric: measured(mean) for metric, mean in means.items()}
    hit = FoundHit("id", "chunk", "text", 0.5, "a.pdf p. 1", ("a.pdf@1",), True, 3, {"dense": 1})
    return Row(
        set=name,
        config=CONFIG | config,
        queries=2,
        metrics=metrics,
        seconds={"p50": 0.01, "p95": 0.02, "build": 3.0},
        tokens={"context": {"calls": 2, "tokens_in": 30}},
        cost={"context": 0.01},
        slices=(Slice("type", "fact", 2, metrics),),
        outcomes=(
            Outcome("q1", dict(means), {"a.pdf@1": {"final": 1}}, (hit,), 0.01),
            Outcome("q2", {}, {}, (), 0.02, error="store error: gone"),
        ),
    )


def report(*rows: Row, **more: Any) -> EvaluationReport:
    """A report of these rows."""
    return EvaluationReport("manuals", rows, **more)


def full_report() -> EvaluationReport:
    """Two configurations, their difference, and something of everything else."""
    first, second = row({"recall@5": 0.8, "tokens": 900}), row({"recall@5": 0.7}, chunk="fixed")
    difference = Difference("manuals", second.config, "recall@5", -0.1, -0.2, -0.01, True)
    return report(
        first,
        second,
        differences=(difference,),
        left_out={"route=tree": "this version builds no tree"},
        notes=("1 question without gold was not asked",),
        questions={"manuals": {"q1": {"text": "How?", "fields": {"type": "fact"}}}},
    )
