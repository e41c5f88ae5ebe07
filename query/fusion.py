"""Two scored lists to one order.

By default each list is divided by its own maximum, so that the distance between scores counts and not only
their ranks: a weak encoder whose scores are all alike moves little. The share of each list is chosen for
each question by how far its first hit stands out from the next four, and by how near the best passage is.

The other two ways are there to be compared with: ``minmax`` spreads each list over 0..1 (Bruch et al.,
arXiv 2210.11934), and ``rrf`` sums reciprocal ranks (Cormack et al., SIGIR 2009). All three give 0..1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

FIXED = 0.6
"""The share of the dense list as far as the question does not decide it."""
OWN = 0.6
"""How much of the share the question itself decides."""
FAMILIAR = 0.6
"""Below this cosine of its best passage the encoder makes little of a question, as of a bare term."""
LEAST_TRUST = 0.3
RANK_OFFSET = 60
"""What is added to a rank before its reciprocal is taken; 60 is the value of the paper."""


def dense_weight(dense: Scores, sparse: Scores) -> float:
    """The share of the dense list in the fused score: a part of it fixed, the rest what this question says.

    What it says is sqrt(d) / (sqrt(d) + sqrt(s)), with d and s how far each list's first hit stands out.
    All of it counts for less as the best cosine falls below ``FAMILIAR``.
    """
    ours, theirs = sqrt(standing_out(dense)), sqrt(standing_out(sparse))
    own = ours / (ours + theirs) if ours + theirs else FIXED
    trust = min(1.0, max(LEAST_TRUST, float(dense.max(initial=0.0)) / FAMILIAR))
    return trust * ((1 - OWN) * FIXED + OWN * own)


def standing_out(scores: Scores) -> float:
    """(top - mean of the next four) / top of ``scores``, in 0..1; 0 without a positive score or a second."""
    ordered = np.sort(scores)[::-1][:5]
    if len(ordered) < 2 or ordered[0] <= 0:
        return 0.0
    return float(np.clip((ordered[0] - ordered[1:].mean()) / ordered[0], 0.0, 1.0))


def fuse(
    dense: Scores, sparse: Scores, weight: float, by: Literal["maximum", "minmax"] = "maximum"
) -> Scores:
    """``weight`` x dense + (1 - ``weight``) x sparse, each clipped at 0 and divided by its maximum, or
    (``minmax``) spread from its least score to its greatest."""
    scaled = _scaled if by == "maximum" else _spread
    return weight * scaled(dense) + (1 - weight) * scaled(sparse)


def reciprocal_ranks(keys: Sequence[str], ranks: Mapping[str, int]) -> Scores:
    """For each key (1 + RANK_OFFSET) / (its 1-based rank + RANK_OFFSET): 1 for the first, 0 for a key that
    is not in the list."""
    return np.array(
        [(1 + RANK_OFFSET) / (ranks[key] + RANK_OFFSET) if key in ranks else 0.0 for key in keys],
        dtype=np.float64,
    )


def _scaled(scores: Scores) -> Scores:
    clipped = np.maximum(scores, 0.0)
    top = clipped.max(initial=0.0)
    return clipped / top if top > 0 else clipped


def _spread(scores: Scores) -> Scores:
    """(score - least) / (greatest - least); scores that are all alike say nothing about an order, and are
    divided by their maximum."""
    clipped = np.maximum(scores, 0.0)
    least = clipped.min(initial=np.inf)
    span = clipped.max(initial=0.0) - least
    return (clipped - least) / span if span > 0 else _scaled(scores)
