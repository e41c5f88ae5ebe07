"""Units to groups that keep the limits of a branch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..models.ports import Vectors
from .between import second_parents
from .leiden import Leiden
from .neighbours import cosines, on_grid
from .plan import Plan

Group = list[int]
Tokens = NDArray[np.intp]


class Partition(Protocol):
    """One way to cluster. ``reading`` is what it is worth that two units follow one another,
    ``between`` whether leaves that sit between two groups are to be in both."""

    @property
    def reading(self) -> float: ...

    @property
    def between(self) -> bool: ...

    def partition(self, rows: Vectors, most: int) -> list[Group]:
        """Groups of rows (unit vectors on the grid, in reading order), each row in at least one of them, of
        about ``most`` members at most."""
        ...


def grouped(plan: Plan, units: Sequence[str], by: Partition) -> list[list[str]]:
    """``units``, more than one branch may hold and in reading order, in fewer groups that each keep the
    limits. A unit that fits nowhere is a group of its own."""
    rows = on_grid(plan.matrix(units))
    tokens = np.array([plan.tokens(unit) for unit in units])
    groups = [
        part
        for group in by.partition(rows, plan.limits.members)
        for part in _within(plan, rows, tokens, group, by)
    ]
    groups = _homes_for_the_lone(plan, rows, tokens, _distinct(groups))
    if len(groups) >= len(units):
        groups = _in_order(plan, tokens, range(len(units)))
    elif by.between and all(unit in plan.position for unit in units):
        _in_two(plan, rows, tokens, groups)
    return [[units[at] for at in group] for group in groups]


def _distinct(groups: Iterable[Group]) -> list[Group]:
    return [list(group) for group in dict.fromkeys(map(tuple, groups))]


def _fits(plan: Plan, tokens: Tokens, group: Sequence[int]) -> bool:
    return len(group) <= plan.limits.members and int(tokens[list(group)].sum()) <= plan.limits.tokens


def _within(plan: Plan, rows: Vectors, tokens: Tokens, group: Group, by: Partition) -> list[Group]:
    """``group``, split until its parts keep the limits."""
    if len(group) == 1 or _fits(plan, tokens, group):
        return [group]
    share = plan.limits.tokens * len(group) / max(1, int(tokens[group].sum()))
    most = min(len(group) - 1, plan.limits.members, max(2, int(share)))
    for way in (by, Leiden()):
        parts = way.partition(rows[group], most)
        if max(map(len, parts)) < len(group):
            break
    else:
        return _in_order(plan, tokens, group)
    return [piece for part in parts for piece in _within(plan, rows, tokens, [group[at] for at in part], by)]


def _in_order(plan: Plan, tokens: Tokens, group: Sequence[int]) -> list[Group]:
    """Even stretches of ``group`` that keep the limits: for what has no likeness to go by."""
    limits = plan.limits
    count = max(-(-len(group) // limits.members), -(-int(tokens[list(group)].sum()) // limits.tokens), 1)
    most = -(-len(group) // count)
    stretches: list[Group] = []
    room = 0
    for at in group:
        if not stretches or len(stretches[-1]) == most or tokens[at] > room:
            stretches.append([])
            room = limits.tokens
        stretches[-1].append(at)
        room -= int(tokens[at])
    return stretches


def _in_two(plan: Plan, rows: Vectors, tokens: Tokens, groups: list[Group]) -> None:
    """Put leaves that sit between two groups into the other one too, where it has room."""
    for row, choice in second_parents(rows, groups):
        if len(groups[choice]) > 1 and _fits(plan, tokens, [*groups[choice], row]):
            groups[choice] = sorted([*groups[choice], row])


def _homes_for_the_lone(plan: Plan, rows: Vectors, tokens: Tokens, groups: list[Group]) -> list[Group]:
    """Groups of one join the nearest group that has room, or each other."""
    kept = [group for group in groups if len(group) > 1]
    held = {at for group in kept for at in group}
    lone = sorted({group[0] for group in groups if len(group) == 1} - held)
    like = [at for at in lone if rows[at].any()]
    if like and kept:
        near = cosines(rows[like], on_grid(np.array([rows[group].sum(axis=0) for group in kept])))
        for at, order in zip(like, np.argsort(-near, axis=1, kind="stable").tolist(), strict=True):
            home = next((home for home in order if _fits(plan, tokens, [*kept[home], at])), None)
            if home is not None:
                kept[home] = sorted([*kept[home], at])
                lone.remove(at)
    return sorted(kept + (_in_order(plan, tokens, lone) if lone else []))
