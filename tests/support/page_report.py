"""Evaluation reports made by hand, and what a browser would find in a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from treegraph.pipelines.evaluation.intervals import means, paired
from treegraph.pipelines.evaluation.outcomes import (
    LISTS,
    Difference,
    EvaluationReport,
    FoundHit,
    Outcome,
    Row,
    Slice,
)

FIRST, SECOND = {"context": "structure", "route": "hybrid"}, {"context": "none", "route": "hybrid"}
VOID = {"br", "hr", "img", "input", "link", "meta"}


def standing(final: int | None, **ranks: int | None) -> dict[str, int | None]:
    """A gold place's ranks; those not named are None."""
    return {**dict.fromkeys(LISTS), **ranks, "final": final}


def found(
    number: int, text: str, gold: bool = False, cited: str = "m.pdf p. 3", **ranks: int | None
) -> FoundHit:
    """A hit of 100 tokens."""
    return FoundHit(f"hit-{number}", "chunk", text, 1 / number, cited, ("m.pdf@3",), gold, 100, dict(ranks))


def outcome(
    question: str,
    gold: Mapping[str, Mapping[str, int | None]],
    hits: Sequence[FoundHit] = (),
    **more: Any,
) -> Outcome:
    """An outcome with recall@5, hit@1 and mrr of its gold, all from their final ranks."""
    ranks = [ranks["final"] for ranks in gold.values()]
    within = [rank for rank in ranks if rank is not None and rank <= 5]
    best = min((rank for rank in ranks if rank is not None), default=None)
    values = {
        "recall@5": len(within) / len(ranks) if ranks else 0.0,
        "hit@1": float(best == 1),
        "mrr": 1 / best if best else 0.0,
        "tokens@10": 1234.0,
    }
    return Outcome(question, values, gold, tuple(hits), 0.018, **more)


def row(config: Mapping[str, str], outcomes: Sequence[Outcome], name: str = "manuals", **more: Any) -> Row:
    """A row over ``outcomes``, its metrics their means."""
    metrics = means([outcome.values for outcome in outcomes])
    times = {"p50": 0.018, "p95": 0.031, "build": 75.0}
    return Row(name, config, len(outcomes), metrics, times, outcomes=tuple(outcomes), **more)


def report(*rows: Row, texts: Mapping[str, str] | None = None, **more: Any) -> EvaluationReport:
    """A report over ``rows``, with the differences from the first of each set; ``texts`` by question."""
    first: dict[str, Row] = {}
    differences: list[Difference] = []
    questions: dict[str, dict[str, dict[str, Any]]] = {}
    for each in rows:
        before = first.setdefault(each.set, each)
        for one in each.outcomes:
            text = (texts or {}).get(one.question, f"what is {one.question}?")
            fields = {"type": "fact" if one.question < "q3" else "table"}
            questions.setdefault(each.set, {})[one.question] = {"text": text, "fields": fields}
        if before is not each:
            apart = paired([o.values for o in before.outcomes], [o.values for o in each.outcomes])
            differences += [
                Difference(each.set, each.config, metric, d.mean, d.low, d.high, d.low > 0 or d.high < 0)
                for metric, d in apart.items()
            ]
    return EvaluationReport("manuals", rows, tuple(differences), questions=questions, **more)


def two_configurations() -> EvaluationReport:
    """Four questions: q1 is found first, q2 sinks when fused, q3 is in no list, q4 fails in the first
    configuration; the second finds all but q3."""
    best = outcome(
        "q1", {"m.pdf@3": standing(1, dense=1, sparse=2, fused=1)}, [found(1, "the answer", True, dense=1)]
    )
    sunk = outcome(
        "q2",
        {"m.pdf@7": standing(14, dense=3, sparse=40, blended=4, fused=14)},
        [found(1, "something else", fused=1)],
    )
    nowhere = outcome("q3", {"m.pdf@9": standing(None)}, [found(2, "not it", fused=1)])
    failed = outcome("q4", {}, error="store error: the store is gone")
    other = [
        best,
        outcome("q2", {"m.pdf@7": standing(2, dense=2, fused=2)}, [found(1, "something else", fused=1)]),
        nowhere,
        outcome(
            "q4", {"m.pdf@3": standing(1, sparse=1, fused=1)}, [found(3, "found", True)], degraded=("rerank",)
        ),
    ]
    first = row(FIRST, [best, sunk, nowhere, failed])
    slices = (
        Slice("type", "fact", 2, first.metrics),
        Slice("type", "table", 2, means([o.values for o in (nowhere, failed)])),
    )
    return report(
        row(FIRST, first.outcomes, slices=slices),
        row(SECOND, other, slices=slices[:1]),
        left_out={"route=graph": "not built"},
        notes=("two labels were left out",),
    )


class Balance(HTMLParser):
    """Fails at a tag that closes none or is never closed; collects the attributes that could load or run
    something, and all ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.attributes += [(tag, name, value or "") for name, value in attrs]
