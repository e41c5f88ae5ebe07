"""What speaks for two uses being one thing beside the name: what is named beside them, and what their
chunks are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.ports import Vectors
from .resolution_uses import Uses

HUB_SHARE = 0.05
FEWEST_OF_A_HUB = 16
"""A name in more than this share of all chunks, and in more than so many, says nothing of its neighbours."""

_MOST_STEPS = 12
"""Chunks of a name over which a connection is looked for."""
_MOST_CHUNKS = 48
"""Chunks that a profile is made of at most, spread evenly."""


@dataclass(slots=True)
class Profile:
    """Where some uses stand: the names beside them, and the sum of their chunks' vectors, (dimension,)."""

    names: set[int]
    total: NDArray[np.float64]

    def add(self, other: Profile) -> None:
        """Take in the profile of further uses."""
        self.names |= other.names
        self.total = self.total + other.total

    def cosine(self, other: Profile) -> float | None:
        """Of the two mean vectors; None where one has none."""
        norm = float(np.linalg.norm(self.total) * np.linalg.norm(other.total))
        return float(self.total @ other.total) / norm if norm > 0 else None

    def shared(self, other: Profile, but: Iterable[int]) -> int:
        """How many names stand beside both, ``but`` for these."""
        common = self.names & other.names
        return len(common) - sum(1 for name in but if name in common)


class Evidence:
    """Profiles of uses. ``vectors`` are the chunks' unit vectors, None where a chunk has none."""

    def __init__(self, uses: Uses, vectors: Sequence[Vectors | None]) -> None:
        self._uses = uses
        hubs = _hubs(uses)
        self._names = [frozenset(names).difference(hubs) for names in uses.names_of]
        first = next((vector for vector in vectors if vector is not None), None)
        self._zero = np.zeros(0 if first is None else len(first))
        self._vectors = vectors
        self._chunks_of: defaultdict[int, list[int]] = defaultdict(list)
        for chunk, beside in enumerate(self._names):
            for name in beside:
                if len(self._chunks_of[name]) < _MOST_STEPS:
                    self._chunks_of[name].append(chunk)

    def connected(self, one: Profile, other: Profile, name: int) -> bool:
        """Whether a name beside ``one`` and a name beside ``other`` stand together in some chunk."""
        fewer, more = sorted((one.names, other.names), key=len)
        wanted = more - {name}
        return any(
            not wanted.isdisjoint(self._names[chunk])
            for beside in fewer
            if beside != name
            for chunk in self._chunks_of[beside]
        )

    def profile(self, of: Iterable[int]) -> Profile:
        """The profile of these uses together."""
        chunks = sorted({chunk for use in of for chunk in self._uses.uses[use].chunks})
        if len(chunks) > _MOST_CHUNKS:
            chunks = [chunks[i * len(chunks) // _MOST_CHUNKS] for i in range(_MOST_CHUNKS)]
        names = set().union(*(self._names[chunk] for chunk in chunks))
        total = self._zero
        for chunk in chunks:
            vector = self._vectors[chunk]
            if vector is not None:
                total = total + vector
        return Profile(names, total)


def _hubs(uses: Uses) -> set[int]:
    counts = np.zeros(len(uses.readings), dtype=np.int64)
    for names in uses.names_of:
        counts[list(names)] += 1
    limit = max(HUB_SHARE * len(uses.names_of), FEWEST_OF_A_HUB)
    return set(np.flatnonzero(counts > limit).tolist())
