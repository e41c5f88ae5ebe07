"""What has been found to be one thing so far: a union-find that refuses contradictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_MOST_COMPARED = 40
"""Names of a cluster that are looked at before another joins it."""


@dataclass(slots=True)
class Cluster:
    """Uses that mean one thing. ``forms`` are the names; ``longs`` says, of a name that is short for others,
    which."""

    uses: list[int]
    forms: set[int]
    longs: dict[int, set[int]] = field(default_factory=dict)


class Clusters:
    """Clusters over ``count`` uses of names; use ``i`` is of name ``names[i]``. ``contradict`` says of two
    names that they cannot mean one thing, ``related`` that they are variants of one."""

    def __init__(
        self,
        names: Sequence[int],
        contradict: Callable[[int, int], bool],
        related: Callable[[int, int], bool],
    ) -> None:
        self._root = list(range(len(names)))
        self._held = [Cluster([use], {name}) for use, name in enumerate(names)]
        self._contradict = contradict
        self._related = related

    def root(self, use: int) -> int:
        """The use that stands for the cluster of ``use``."""
        while self._root[use] != use:
            self._root[use] = self._root[self._root[use]]
            use = self._root[use]
        return use

    def of(self, use: int) -> Cluster:
        """The cluster that ``use`` is in."""
        return self._held[self.root(use)]

    def shortens(self, use: int, short: int, long: int) -> None:
        """Note that in the cluster of ``use`` the name ``short`` stands for ``long``."""
        self.of(use).longs.setdefault(short, set()).add(long)

    def may_join(self, first: int, second: int) -> bool:
        """Whether nothing in the two clusters speaks against their being one thing."""
        one, other = self.of(first), self.of(second)
        if one is other:
            return True
        return not self._contradictory(one, other)

    def join(self, first: int, second: int, *, force: bool = False) -> bool:
        """Make one cluster of two, unless they contradict one another and it is not forced. Returns whether
        they were two and are one now."""
        a, b = self.root(first), self.root(second)
        if a == b or (not force and not self.may_join(a, b)):
            return False
        if (len(self._held[b].uses), -b) > (len(self._held[a].uses), -a):
            a, b = b, a
        one, other = self._held[a], self._held[b]
        self._root[b] = a
        one.uses += other.uses
        one.forms |= other.forms
        for short, longs in other.longs.items():
            one.longs.setdefault(short, set()).update(longs)
        self._held[b] = one
        return True

    def _contradictory(self, one: Cluster, other: Cluster) -> bool:
        for short in one.longs.keys() & other.longs.keys():
            if not self._any_related(one.longs[short], other.longs[short]):
                return True
        left, right = sorted(one.forms - other.forms), sorted(other.forms - one.forms)
        return any(self._contradict(a, b) for a in left[:_MOST_COMPARED] for b in right[:_MOST_COMPARED])

    def _any_related(self, some: set[int], others: set[int]) -> bool:
        return bool(some & others) or any(self._related(a, b) for a in sorted(some) for b in sorted(others))
