"""The citations of nodes: one for each chunk that a node rests on, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..indexer.stores.ports import VectorSnapshot
from ..indexer.types import Citation
from .access import Access
from .question import Candidate


def leaf_citations(
    candidates: Sequence[Candidate],
    snapshot: VectorSnapshot,
    access: Access,
    cited: Callable[[Mapping[str, Any]], Citation],
) -> Mapping[str, tuple[Citation, ...]]:
    """The citations of each of the ``candidates`` that is a node, by its key; ``cited`` makes that of a
    stored chunk. Asks the store once, and for nothing that ``access`` does not show."""
    wanted = sorted({leaf for candidate in candidates for leaf in candidate.leaves})
    if not wanted:
        return {}
    rows = snapshot.fetch(replace(access.where(), ids=wanted))
    known = {row.payload["id"]: cited(row.payload) for row in rows}
    return {
        candidate.key: tuple(known[leaf] for leaf in candidate.leaves if leaf in known)
        for candidate in candidates
        if candidate.leaves
    }
