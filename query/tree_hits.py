"""The citations of nodes: one for each chunk that a node rests on, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..indexer.stores.ports import VectorSnapshot
from ..indexer.types import Citation, Document
from .access import Access
from .question import Candidate
from .result import cite


def leaf_citations(
    candidates: Sequence[Candidate],
    snapshot: VectorSnapshot,
    access: Access,
    documents: Mapping[str, Document],
) -> Mapping[str, tuple[Citation, ...]]:
    """The citations of each of the ``candidates`` that is a node, by its key. Asks the store once, and for
    nothing that ``access`` does not show."""
    wanted = sorted({leaf for candidate in candidates for leaf in candidate.leaves})
    if not wanted:
        return {}
    rows = snapshot.fetch(replace(access.where(), ids=wanted))
    known = {row.payload["id"]: cite(row.payload, documents) for row in rows}
    return {
        candidate.key: tuple(known[leaf] for leaf in candidate.leaves if leaf in known)
        for candidate in candidates
        if candidate.leaves
    }
