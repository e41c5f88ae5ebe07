"""The metrics of rankings, per question. What they are worth is computed by ir-measures (trec_eval)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .packages import ir_measures

if TYPE_CHECKING:
    from ir_measures import Metric

CUTOFFS = (1, 3, 5, 10, 20)
WHOLE_CUTOFFS = (5, 10, 20)
"""Where all-gold@k is reported: whether every gold place is among the first k."""

Ranking = Sequence[str]
Gold = Mapping[str, int]


def ranking_metrics(rankings: Mapping[str, Ranking], gold: Mapping[str, Gold]) -> dict[str, dict[str, float]]:
    """For each question of ``gold``, by id: recall@k, hit@k, all-gold@k, mrr and ndcg@10 of its ranking.

    ``rankings`` are distinct places, best first; a question without one found nothing. recall@k is the
    share of its gold places among the first k, hit@k whether there is any, mrr the reciprocal rank of the
    first, ndcg@10 the gain by grade, discounted by log2(rank + 1), over that of the best order.
    Raises ConfigurationError where ir-measures is not installed.
    """
    library = ir_measures()
    names = {library.RR: "mrr", library.nDCG @ 10: "ndcg@10"}
    names |= {library.R @ k: f"recall@{k}" for k in CUTOFFS}
    names |= {library.Success @ k: f"hit@{k}" for k in CUTOFFS}
    judged = {
        question: {place: max(1, grade) for place, grade in found.items()} for question, found in gold.items()
    }
    # Falling scores, all different: trec_eval would order ties by name.
    runs = {
        question: {place: float(len(places) - rank) for rank, place in enumerate(places)}
        for question, places in rankings.items()
        if question in gold
    }
    values: dict[str, dict[str, float]] = {question: {} for question in gold}
    results: list[Metric] = list(library.iter_calc(list(names), judged, runs))
    for result in results:
        values[result.query_id][names[result.measure]] = float(result.value)
    for found in values.values():
        for k in WHOLE_CUTOFFS:
            found[f"all-gold@{k}"] = float(found[f"recall@{k}"] == 1.0)
    return values


def f1(found: set[str], gold: Gold) -> float:
    """The harmonic mean of precision and recall of a set of places; 0 where none is right."""
    right = len(found & gold.keys())
    return 2 * right / (len(found) + len(gold)) if right else 0.0
