"""Similarity clusters: hierarchical Leiden (Traag, Waltman, van Eck 2019, arXiv 1810.08473) over the graph
of likeness."""

from __future__ import annotations

from dataclasses import dataclass

from ..models.ports import Vectors
from .likeness import edges

_SEED = 1


@dataclass(frozen=True, slots=True)
class Leiden:
    """Partitions by Leiden. ``reading`` is the weight of an edge between two units that follow one another,
    beside the square of their cosine: 0 for similarity alone. ``between`` asks for second parents of leaves
    that sit between two groups."""

    reading: float = 0.0
    between: bool = False

    def partition(self, rows: Vectors, most: int) -> list[list[int]]:
        """Groups of at most ``most`` of the rows (unit vectors on the grid, in reading order), each
        ascending, by their first member. Every row is in one; one without a neighbour is alone."""
        from graspologic_native import hierarchical_leiden

        graph = edges(rows, self.reading)
        group = dict.fromkeys(range(len(rows)), -1)
        if graph:
            named = [str(row) for row in range(len(rows))]
            found = hierarchical_leiden(
                [(named[a], named[b], weight) for a, b, weight in graph],
                max_cluster_size=most + 1,
                seed=_SEED,
            )
            group.update((int(entry.node), entry.cluster) for entry in found if entry.is_final_cluster)
        members: dict[int, list[int]] = {}
        for row, cluster in group.items():
            members.setdefault(cluster if cluster >= 0 else -1 - row, []).append(row)
        return sorted(members.values())
