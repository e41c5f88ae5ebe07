"""What each place of a tree is worth to a question, by the chunks that were found.

A chunk's worth comes from its score in the hybrid route. It is spread over the places around it, since a
passage about something is seldom alone: the chunks before and after it are likely about the same, whether
or not they say the question's words. On outline entries whose titles were withheld that spreading is what
lifts the F1 of pages most; of terms that are scattered over a book it would find the wrong neighbours, so
it is done as far as the encoder makes something of the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .tree_map import TreeMap, Values
from .tree_settings import TreeReadSettings

REACH = 4
"""How many times its width the worth of a place is spread."""
SHORT = 10
"""A stretch of this many widths or fewer is short: there worth is spread less wide."""
TOP = 10
"""The best places, whose mean worth is what others are compared with; of a small tree a tenth of them."""
UNFAMILIAR, FAMILIAR = 0.3, 0.5
"""Cosines of the best passage at which the encoder makes nothing, and enough, of a question. Of a bare
term it makes little: then the word is what is asked for, and what stands around it is beside the point."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What the places are worth, by place: ``own`` by the chunk there, ``spread`` with those around it.
    ``least`` is what a place must be worth to belong to the answer."""

    own: Values
    spread: Values
    least: float


def worth(
    tree: TreeMap, scores: Mapping[str, float], familiarity: float, settings: TreeReadSettings
) -> Worth:
    """The worth of every place from the ``scores`` of some chunks, by id; ``familiarity`` is the best
    cosine among them."""
    own = np.zeros(tree.leaf_count)
    best = max(scores.values(), default=0.0)
    for leaf, score in scores.items():
        place = tree.place(leaf)
        if place is not None and best > 0:
            own[place] = max(0.0, score / best) ** settings.power
    trust = float(np.clip((familiarity - UNFAMILIAR) / (FAMILIAR - UNFAMILIAR), 0.0, 1.0))
    share = settings.around * trust
    spread = (1 - share) * own + share * around(tree, own, settings.width) if share else own
    best_places = np.sort(spread)[::-1][: max(1, min(TOP, len(spread) // TOP))]
    least = settings.admission * float(best_places.mean()) if len(spread) else 0.0
    return Worth(own, spread, least)


def around(tree: TreeMap, own: Values, width: float) -> Values:
    """The mean of ``own`` over the places of the same stretch, weighted by exp(-distance / ``width``); in a
    short stretch the width is but its length / ``SHORT``, so that its sections are still told apart."""
    held = np.flatnonzero(own)
    offsets = np.arange(-int(REACH * width), int(REACH * width) + 1)
    at = held[:, None] + offsets
    inside = (at >= 0) & (at < len(own))
    at = np.clip(at, 0, len(own) - 1)
    inside &= tree.stretches[at] == tree.stretches[held][:, None]
    lengths = np.bincount(tree.stretches)[tree.stretches[held]]
    weights = np.exp(-np.abs(offsets) / np.minimum(width, lengths / SHORT)[:, None])
    shares = own[held][:, None] * weights / weights.sum(axis=1, keepdims=True)
    spread: Values = np.bincount(at[inside], weights=shares[inside], minlength=len(own)).astype(np.float64)
    return spread
