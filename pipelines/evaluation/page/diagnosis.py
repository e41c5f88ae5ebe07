"""Where a gold place was lost on its way through a search: what to look at first in a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..outcomes import Outcome
from ..shown import HEADLINE_CUTOFF

FINAL = "final"
FOUND = f"among the first {HEADLINE_CUTOFF}"
NOWHERE = "in no list"
LOW = "low in every list"
FAILED = "the search failed"
_SANK = {
    "blended": "sank when the lists were blended",
    "fused": "sank after blending, by phrases and neighbours",
    "reranked": "sank when reranked",
    FINAL: "behind other places of the hits before it",
}
VERDICTS = (FOUND, NOWHERE, LOW, *_SANK.values(), FAILED)
"""All that :func:`verdict` says, and FAILED, in the order in which they are shown."""

Standing = Mapping[str, int | None]


def verdict(standing: Standing, cutoff: int = HEADLINE_CUTOFF) -> str:
    """What became of a gold place, from its rank in each list and after each step.

    It is found where its final rank is within ``cutoff``. Else the step is named that first moved it
    from within ``cutoff`` to below, after the last step that had it within.
    """
    final = standing.get(FINAL)
    if final is not None and final <= cutoff:
        return FOUND
    listed = [rank for name in ("dense", "sparse") if (rank := standing.get(name)) is not None]
    steps = [("", min(listed, default=None))]
    steps += [(name, standing.get(name)) for name in _SANK]
    taken = [(name, rank) for name, rank in steps if rank is not None]
    if not taken:
        return NOWHERE
    within = [number for number, (_, rank) in enumerate(taken) if rank <= cutoff]
    if not within:
        return LOW
    after = within[-1] + 1
    return _SANK[taken[after][0]] if after < len(taken) else _SANK[FINAL]


def verdicts(outcome: Outcome) -> list[str]:
    """The verdict on each gold place of a question, in their order; one FAILED where there was no search."""
    if outcome.error is not None:
        return [FAILED]
    return [verdict(standing) for standing in outcome.standing.values()]


def tally(outcomes: Iterable[Outcome]) -> Counter[str]:
    """How many gold places each verdict has."""
    return Counter(found for outcome in outcomes for found in verdicts(outcome))
