"""Reading by evidence: a node is worth what its chunks are worth to the question, for its tokens.

RAPTOR (Sarthi et al., arXiv 2401.18059, section 3) compares the question with each summary; on manuals
that loses to plain chunks, since a summary says little of what it covers. Here the chunks speak:
:mod:`.tree_worth` says what each is worth, :mod:`.tree_choice` chooses within a budget of tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np

from .question import Candidate
from .tree_choice import choose
from .tree_map import Values
from .tree_read import TreeRead
from .tree_settings import TreeReadSettings
from .tree_worth import Worth, worth

SEVERAL = 3
"""Chunks that a node must have to answer better than the best one of them does."""


def by_evidence(read: TreeRead, limit: int) -> list[Candidate]:
    """What :func:`.tree_choice.choose` chooses, each budget ordered by score; then the chunks that were not
    chosen, as the hybrid route ranks them."""
    found = _worth(read)
    tokens = {leaf: int(candidate.payload["token_count"]) for leaf, candidate in read.chunks.items()}
    budgets = choose(read.tree, found, tokens, read.readable, read.settings, limit)
    known = {**read.chunks, **_nodes(read, found, [pick for picks in budgets for pick in picks])}
    ordered: list[Candidate] = []
    for picks in budgets:
        # Nodes first where scores are equal: they say more.
        chosen = [(known[pick], pick not in read.tree) for pick in picks if pick in known]
        ordered += [each for each, _ in sorted(chosen, key=lambda pair: (-pair[0].score, pair[1]))]
    held = {candidate.key for candidate in ordered}
    ordered += [candidate for candidate in read.chunks.values() if candidate.key not in held]
    falling = accumulate((candidate.score for candidate in ordered), min)
    scored = zip(ordered[:limit], falling, strict=False)
    return read.ranked(replace(each, score=score) for each, score in scored)


def _worth(read: TreeRead) -> Worth:
    scores = {leaf: candidate.score for leaf, candidate in read.chunks.items()}
    familiarity = max(candidate.dense for candidate in read.chunks.values())
    return worth(read.tree, scores, familiarity, read.settings)


def _nodes(read: TreeRead, found: Worth, picks: list[str]) -> Mapping[str, Candidate]:
    """The nodes among ``picks``, by id, each with the score that its chunks give it."""
    best = max(candidate.score for candidate in read.chunks.values())
    nodes = read.scored(pick for pick in picks if pick in read.tree)
    own = {node.payload["id"]: found.own[read.tree.beneath(node.payload["id"])] for node in nodes}
    return {
        node.payload["id"]: replace(node, score=best * _standing(own[node.payload["id"]], read.settings))
        for node in nodes
    }


def _standing(own: Values, settings: TreeReadSettings) -> float:
    """Where a node stands among chunks, 1 being the best of them: the power mean of its own, or what the
    best of them does where the others are nearly as good, since then it answers more completely."""
    best = float(own.max())
    others = (float(own.sum()) - best) / max(1, len(own) - 1)
    complete = len(own) >= SEVERAL and others >= settings.evenness * best
    return math.pow(best if complete else float(np.mean(own)), 1 / settings.power)
