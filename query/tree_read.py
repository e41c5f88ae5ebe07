"""What the readings of the tree share: one question of one reader, and how rows become candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..indexer.stores.ports import Filter, Scored, VectorSnapshot
from .access import Access
from .phrases import NOTHING
from .question import Candidate, Found, Judged, Question
from .relevance import relevance
from .tree_map import Places, TreeMap
from .tree_settings import TreeReadSettings


@dataclass(frozen=True)
class TreeRead:
    """One question of one reader: the tree, and the chunks that the hybrid route found, best first."""

    snapshot: VectorSnapshot
    tree: TreeMap
    settings: TreeReadSettings
    question: Question
    access: Access
    found: Found

    @cached_property
    def readable(self) -> frozenset[str]:
        """The nodes that the reader may see."""
        return self.tree.readable(self.access)

    @cached_property
    def chunks(self) -> Mapping[str, Candidate]:
        """The chunks that were found, by id, best first."""
        return {candidate.payload["id"]: candidate for candidate in self.found.candidates}

    def scored(self, ids: Iterable[str]) -> list[Candidate]:
        """Those of the nodes and chunks ``ids`` that the reader may see, best first, each by its own text:
        as the hybrid route fuses both lists, over the maxima of what it found."""
        wanted = list(ids)
        nodes = [identifier for identifier in wanted if identifier in self.readable]
        chunks = [identifier for identifier in wanted if identifier not in self.tree]
        found: list[Candidate] = []
        if nodes:
            found += self._scored(self.access.nodes(nodes), len(nodes))
        if chunks:
            found += self._scored(replace(self.access.where(), ids=chunks), len(chunks))
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.key))

    def _scored(self, where: Filter, count: int) -> list[Candidate]:
        question, sparse = self.question, dict[str, float]()
        if question.sparse.indices:
            corpus = self.access.corpus()
            words = self.snapshot.sparse(question.sparse, where, corpus, count, payload=False)
            sparse = {row.key: row.score for row in words}
        rows = self.snapshot.dense(question.dense, where, count)
        return [self.candidate(row, self._fused(row.score, sparse.get(row.key, 0.0)), sparse) for row in rows]

    def _fused(self, dense: float, sparse: float) -> float:
        most_dense, most_sparse = self._maxima
        weight = self.found.weight
        by_dense = max(0.0, dense) / most_dense if most_dense > 0 else 0.0
        return weight * by_dense + (1 - weight) * (sparse / most_sparse if most_sparse > 0 else 0.0)

    @cached_property
    def _maxima(self) -> tuple[float, float]:
        """The best score of each list."""
        found = self.found.candidates
        return max(each.dense for each in found), max(each.sparse for each in found)

    def candidate(self, row: Scored, score: float, sparse: Mapping[str, float]) -> Candidate:
        """A row (by its cosine) as a candidate of that ``score``; ``sparse`` has the sparse scores by key. A
        node is as relevant as the best chunk that it is cited by, or else as its own cosine says."""
        known = self.chunks.get(row.payload["id"])
        if known is not None:
            return replace(known, score=score)
        leaves = self._leaves(row.payload["id"])
        cited = [self.chunks[leaf].relevance for leaf in leaves if leaf in self.chunks]
        return Candidate(
            key=row.key,
            payload=row.payload,
            score=score,
            dense=row.score,
            sparse=sparse.get(row.key, 0.0),
            judged=Judged(relevance=max([relevance(row.score, NOTHING), *cited])),
            leaves=leaves,
        )

    def ranked(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """``candidates`` in their order, with their rank as ``tree``, and the descent to each."""
        return [
            replace(
                candidate,
                fused=candidate.score,
                ranks={"dense": None, "sparse": None, "fused": None, **candidate.ranks, "tree": rank},
                path=candidate.path or self.path(candidate.payload["id"]),
            )
            for rank, candidate in enumerate(candidates, start=1)
        ]

    def path(
        self, identifier: str, down: Mapping[str, str] | None = None
    ) -> tuple[Mapping[str, str | int], ...]:
        """The descent from the root to a node or chunk, itself the last step, without what the reader may
        not see. ``down`` says by which node each was reached; without it, by its first parent."""
        nodes = [node for node in (*self._above(identifier, down), identifier) if node in self.readable]
        chunk = () if identifier in self.tree else ({"kind": "chunk", "id": identifier},)
        return (*(self.tree.step(node) for node in nodes), *chunk)

    def _above(self, identifier: str, down: Mapping[str, str] | None) -> list[str]:
        """The nodes from the root down to one, its own id not among them."""
        if down is None:
            return self.tree.descent(identifier)
        steps: list[str] = []
        while above := down.get(identifier):
            identifier = above
            steps.append(above)
        return steps[::-1]

    def _leaves(self, node: str) -> tuple[str, ...]:
        """The chunks that a node is cited by: those that were found, best first, then the others in their
        order, as many as there may be."""
        if node not in self.tree:
            return ()
        held, most = self.tree.beneath(node), self.settings.citations
        at = np.minimum(np.searchsorted(held, self._places), len(held) - 1)
        first = self._places[held[at] == self._places][:most]
        known = set(first.tolist())
        others = [place for place in held[: most + len(known)].tolist() if place not in known]
        return tuple(self.tree.leaf(place) for place in [*first.tolist(), *others][:most])

    @cached_property
    def _places(self) -> Places:
        """The places of the chunks that were found, best first."""
        placed = ((self.tree.place(name), each.score) for name, each in self.chunks.items())
        known = sorted((-score, place) for place, score in placed if place is not None)
        return np.array([place for _, place in known], dtype=np.int32)
