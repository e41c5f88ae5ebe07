"""The working table on which a tree is drawn: the leaves in reading order, and the branches so far."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError
from ..models.ports import Vectors
from .identity import cluster_id, shell_id
from .order import walk
from .skeleton import Leaf, Leaves, Limits

Positions = NDArray[np.intp]


class Plan:
    """The leaves sorted by (document, ordinal, id), what stands above them so far, and the limits.

    ``branches`` maps the id of each branch drawn so far to its children, ``drift`` to the changes since it
    was clustered, ``titles`` the id of a section to its path. ``reserved`` are the ids that belong to
    sections and shells, drawn or not; ``before`` the branches of the tree as it was. Raises
    ConfigurationError where two branches would not fit under a third.
    """

    def __init__(self, leaves: Leaves, limits: Limits, before: Collection[str] = ()) -> None:
        if limits.members < 2 or limits.tokens < 2 * max(limits.summary, 1):
            raise ConfigurationError(
                "a branch of the tree must have room for two summaries: lower [tree] tokens, or use a "
                "model with a larger window"
            )
        self.limits = limits
        self.items, self.vectors = _sorted(leaves)
        self.position = {leaf.id: at for at, leaf in enumerate(self.items)}
        self.branches: dict[str, list[str]] = {}
        self.titles: dict[str, tuple[str, ...]] = {}
        self.drift: dict[str, int] = {}
        self.reserved: set[str] = set()
        self._before = before
        self._named: set[str] = set()
        self._covers: dict[str, Positions] = {}

    def unit(self, leaf: Leaf) -> str:
        """The id that stands for ``leaf`` in the tree: its own, or that of a shell around a leaf of more
        than half of a branch's tokens, so that any two units fit under one branch."""
        if not bulky(leaf, self.limits) or len(self.items) == 1:
            return leaf.id
        shell = shell_id(leaf.id)
        self.branches[shell] = [leaf.id]
        self.reserved.add(shell)
        return shell

    def draw(self, branch: str, children: Iterable[str], drift: int = 0) -> None:
        """Put a branch on the table."""
        self.branches[branch] = list(children)
        if drift:
            self.drift[branch] = drift

    def name(self, children: Sequence[str]) -> str:
        """An id for a cluster founded by ``children``, that no other branch has, had or was given."""
        occurrence = 0
        while True:
            found = cluster_id(children, occurrence)
            if not any(found in ids for ids in (self.branches, self.reserved, self._before, self._named)):
                self._named.add(found)
                return found
            occurrence += 1

    def tokens(self, unit: str) -> int:
        """What ``unit`` counts in the summary of its parent."""
        at = self.position.get(unit)
        return self.limits.summary if at is None else self.items[at].tokens

    def fits(self, units: Sequence[str]) -> bool:
        """Whether one branch may hold ``units``."""
        if len(units) > self.limits.members:
            return False
        return sum(map(self.tokens, units)) <= self.limits.tokens

    def covers(self, unit: str) -> Positions:
        """The positions of the leaves beneath ``unit``, ascending."""
        at = self.position.get(unit)
        if at is not None:
            return np.array([at], dtype=np.intp)
        if unit not in self._covers:
            for branch, children in walk(unit, self._unknown).items():
                if children:
                    self.know(branch, self.branches[branch])
        return self._covers[unit]

    def _unknown(self, node: str) -> Sequence[str]:
        return () if node in self._covers else self.branches.get(node, ())

    def know(self, branch: str, children: Sequence[str]) -> None:
        """Keep what a branch that is not drawn yet covers; it will not change."""
        self._covers[branch] = self.joined(children)

    def joined(self, units: Sequence[str]) -> Positions:
        """The positions of the leaves beneath any of ``units``, ascending."""
        if not units:
            return np.empty(0, dtype=np.intp)
        return np.unique(np.concatenate([self.covers(unit) for unit in units]))

    def matrix(self, units: Sequence[str]) -> Vectors:
        """For each unit the sum of its leaves' vectors, (n, d): its direction is that of their mean."""
        singles = [self.position.get(unit, -1) for unit in units]
        if singles == list(range(len(self.items))):
            return self.vectors
        if -1 not in singles:
            return np.asarray(self.vectors[singles], dtype=np.float32)
        rows = np.empty((len(units), self.vectors.shape[1]), dtype=np.float32)
        for row, unit in enumerate(units):
            rows[row] = self.total(self.covers(unit))
        return rows

    def total(self, positions: Positions) -> Vectors:
        """The sum of the vectors of some leaves, (d,)."""
        total: Vectors = self.vectors[positions].sum(axis=0, dtype=np.float64).astype(np.float32)
        return total

    def in_reading_order(self, units: Iterable[str]) -> list[str]:
        """``units`` by their first leaves."""
        return sorted(units, key=lambda unit: (int(self.covers(unit)[0]), unit))


def bulky(leaf: Leaf, limits: Limits) -> bool:
    """Whether a leaf leaves no room beside it for another of its size."""
    return 2 * leaf.tokens > limits.tokens


def _sorted(leaves: Leaves) -> tuple[Sequence[Leaf], Vectors]:
    def key(at: int) -> tuple[str, int, str]:
        leaf = leaves.items[at]
        return leaf.document, leaf.ordinal, leaf.id

    count = len(leaves.items)
    order: list[int] = sorted(range(count), key=key)
    if order == list(range(count)):
        return leaves.items, leaves.vectors
    index: Any = np.array(order, dtype=np.intp)
    return [leaves.items[at] for at in order], leaves.vectors[index]
