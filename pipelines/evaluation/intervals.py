"""How sure a mean over questions is: percentile bootstrap (Efron and Tibshirani 1993, chapter 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .outcomes import Measured

RESAMPLES = 2000
SEED = 20240801
"""Fixed, so that the same values have the same interval."""
_BLOCK = 250
"""Resamples drawn at once: what bounds the memory."""

Values = Mapping[str, float]


def means(questions: Sequence[Values]) -> dict[str, Measured]:
    """For each metric its mean over the questions that have it, with the 95 % bootstrap interval.

    All metrics are resampled together: the same questions are drawn for each.
    """
    names = sorted({name for values in questions for name in values})
    if not names:
        return {}
    table = np.array([[values.get(name, np.nan) for name in names] for values in questions])
    known = ~np.isnan(table)
    drawn = _resampled(np.where(known, table, 0.0), known.astype(np.float64))
    low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
    mean = np.nanmean(table, axis=0)
    return {name: Measured(float(mean[i]), float(low[i]), float(high[i])) for i, name in enumerate(names)}


def paired(first: Sequence[Values], second: Sequence[Values]) -> dict[str, Measured]:
    """For each metric the mean of (second - first), question by question, with its interval.

    Both are in the same order of the same questions; a question without the metric on either side is
    left out of it.
    """
    apart = [
        {name: after[name] - before[name] for name in before.keys() & after.keys()}
        for before, after in zip(first, second, strict=True)
    ]
    return means(apart)


def _resampled(table: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of ``RESAMPLES`` draws of as many questions, (resamples, metrics); NaN where none was drawn
    that has the metric."""
    count = len(table)
    generator = np.random.default_rng(SEED)
    share = np.full(count, 1 / count)
    blocks = []
    for _ in range(RESAMPLES // _BLOCK):
        times = generator.multinomial(count, share, size=_BLOCK).astype(np.float64)
        with np.errstate(invalid="ignore"):
            blocks.append((times @ table) / (times @ known))
    return np.concatenate(blocks)
