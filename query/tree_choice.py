"""Choosing nodes and chunks that together say where the answer stands and what it says.

Greedy by gain for each token, the usual approximation where what is covered once is worth less the second
time (Nemhauser, Wolsey and Fisher, 1978; with costs: Lin and Bilmes, ACL 2011):

- a place counts once, and costs the least worth that belongs to the answer: a node of which too little
  bears on the question loses more than it gains, whatever its summary says;
- text counts by how much of its place was not said yet: a summary says a part of each of its chunks, a
  chunk says all of itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from .tree_map import TreeMap
from .tree_settings import TreeReadSettings
from .tree_worth import Worth


def choose(
    tree: TreeMap,
    found: Worth,
    tokens: Mapping[str, int],
    readable: Collection[str],
    settings: TreeReadSettings,
    limit: int,
) -> list[list[str]]:
    """Nodes and chunks by the budget that they fill, in the order of choice: as many budgets as it takes to
    have ``limit`` of them.

    ``tokens`` are those of the chunks that there are to choose from, best first, of which the first
    ``settings.lead`` are always chosen; of nodes only those in ``readable`` are.
    """
    leaves = [leaf for leaf in tokens if tree.place(leaf) is not None]
    choice = _Choice(tree, found, tokens, settings)
    sums = zip(tree.nodes, tree.sums(found.spread), tree.sizes, strict=True)
    admitted = (node for node, total, size in sums if total >= found.least * size > 0)
    choice.offer(node for node in admitted if node in readable)
    choice.offer(leaves)
    budgets: list[list[str]] = []
    lead = leaves[: settings.lead]
    while limit > 0 and (picks := choice.fill(lead)):
        budgets.append(picks)
        limit -= len(picks)
        lead = []
    return budgets


class _Choice:
    """A greedy choice under way: what is covered, and what is still offered, best first."""

    def __init__(
        self, tree: TreeMap, found: Worth, tokens: Mapping[str, int], settings: TreeReadSettings
    ) -> None:
        self._tree = tree
        self._worth = found
        self._tokens = tokens
        self._settings = settings
        self._said = np.zeros(tree.leaf_count)
        self._covered = np.zeros(tree.leaf_count, dtype=bool)
        self._offered: list[tuple[float, str]] = []
        self._chosen: set[str] = set()

    def offer(self, identifiers: Iterable[str]) -> None:
        """Let these be chosen, at what they would add now."""
        for identifier in identifiers:
            gain = self._gain(identifier)
            if gain > 0:
                heapq.heappush(self._offered, (-gain, identifier))

    def fill(self, lead: Sequence[str]) -> list[str]:
        """Choose ``lead``, then more until the budget is filled or nothing adds anything. What does not
        fit waits for the next budget."""
        picks = list(lead)
        # They cover nothing yet: the nodes above them are chosen as if they were not there.
        self._chosen.update(lead)
        left = self._settings.budget - sum(map(self._size, lead))
        waiting: list[tuple[float, str]] = []
        while self._offered:
            promised, identifier = heapq.heappop(self._offered)
            gain = self._gain(identifier)
            if gain <= 0 or identifier in self._chosen:
                continue
            if gain < -promised and self._offered and -gain > self._offered[0][0]:
                heapq.heappush(self._offered, (-gain, identifier))  # what was chosen since made it less
            elif self._size(identifier) > left and picks:
                waiting.append((-gain, identifier))
            else:
                left -= self._take(identifier)
                picks.append(identifier)
        for entry in waiting:
            heapq.heappush(self._offered, entry)
        return picks

    def _gain(self, identifier: str) -> float:
        """What choosing it would add, for each of its tokens."""
        settings, values = self._settings, self._worth
        if identifier in self._tree:
            at = self._tree.beneath(identifier)
            fresh = at[~self._covered[at]]
            unsaid = np.maximum(0.0, settings.fidelity - self._said[at])
            text = float((values.spread[at] * unsaid).sum())
            places = float((values.spread[fresh] - values.least).sum())
        else:
            place = self._place(identifier)
            text = float(values.own[place] * (1 - self._said[place]))
            places = 0.0 if self._covered[place] else float(values.spread[place] - values.least)
        return (places + settings.detail * text) / self._size(identifier)

    def _take(self, identifier: str) -> int:
        """Choose it, and offer what is worth choosing now; how many tokens it takes."""
        self._chosen.add(identifier)
        if identifier in self._tree:
            at = self._tree.beneath(identifier)
            fresh = at[~self._covered[at]]
            self._said[at] = np.maximum(self._said[at], self._settings.fidelity)
            self._covered[at] = True
            # Their places are paid for now: as more text on them they may be worth choosing.
            leaves = (self._tree.leaf(int(place)) for place in fresh)
            self.offer(leaf for leaf in leaves if leaf in self._tokens)
        else:
            place = self._place(identifier)
            self._said[place], self._covered[place] = 1.0, True
        return self._size(identifier)

    def _size(self, identifier: str) -> int:
        known = self._tree.nodes.get(identifier)
        return max(1, known.tokens if known else self._tokens[identifier])

    def _place(self, leaf: str) -> int:
        place = self._tree.place(leaf)
        assert place is not None
        return place
