"""The tree as a shape: which branch holds which leaves and branches, before anything is summarized."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..models.ports import Vectors


@dataclass(frozen=True, slots=True)
class Leaf:
    """What the shape needs to know of a chunk; ``section`` is the path of titles that leads to it."""

    id: str
    document: str
    ordinal: int
    section: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Leaves:
    """All chunks of a generation, sorted by (document, ordinal), with their unit vectors, (n, d), beside
    them."""

    items: Sequence[Leaf]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Branch:
    """An inner node. ``children`` are ids of branches and leaves, in reading order where they have one;
    ``level`` is 1 + the highest of theirs, a leaf's being 0.

    ``title`` is the author's, empty for a cluster. ``document`` is the one that all its leaves come from,
    None for several; ``section`` the path of the author's titles down to it. ``drift`` counts the
    children that came or went since the branch was last clustered.
    """

    id: str
    children: tuple[str, ...]
    level: int
    title: str = ""
    document: str | None = None
    section: tuple[str, ...] = ()
    drift: int = 0


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A whole tree, by branch id. ``root`` is None where there are no leaves, and the leaf itself where
    there is but one."""

    branches: Mapping[str, Branch] = field(default_factory=dict)
    root: str | None = None

    def upward(self) -> Iterator[Branch]:
        """The branches, every one after all of its children."""
        yield from sorted(self.branches.values(), key=lambda branch: (branch.level, branch.id))


@dataclass(frozen=True, slots=True)
class Limits:
    """What one summary may be made of: at most ``members`` children, whose texts have at most ``tokens``
    tokens together; a branch among them counts ``summary`` tokens."""

    members: int = 15
    tokens: int = 3500
    summary: int = 120


class Shape(Protocol):
    """One way to shape a tree. Deterministic: the same leaves in any order, on any number of threads,
    give the same skeleton, ids included."""

    name: str

    def grow(self, leaves: Leaves, limits: Limits, before: Skeleton | None = None) -> Skeleton:
        """The tree over ``leaves``. With ``before``, the tree as it was, only the paths above what came,
        went or changed move; branches that go on keep their ids."""
        ...
