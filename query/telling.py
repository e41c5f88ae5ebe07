"""What a hit and a result tell beside the text: chunks around it, and why it was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Neighbour
from .question import Candidate
from .result import page_list
from .router.outcome import Routed


def neighbours_of(snapshot: VectorSnapshot, payload: Mapping[str, Any], reach: int) -> tuple[Neighbour, ...]:
    """The chunks up to ``reach`` before and after a chunk of the same document, in reading order."""
    if reach == 0 or payload["kind"] != "chunk":
        return ()
    place = payload["ordinal"]
    where = Filter(
        kinds=("chunk",), documents=[payload["document"]], ordinals=(max(0, place - reach), place + reach)
    )
    around = sorted((row.payload for row in snapshot.fetch(where)), key=lambda row: row["ordinal"])
    return tuple(
        Neighbour(row["id"], row["ordinal"] - place, row["text"], page_list(row))
        for row in around
        if row["ordinal"] != place
    )


def reasons_of(candidate: Candidate, terms: Mapping[str, float]) -> dict[str, Any]:
    """What stands in a hit of the question's words, with their weights ``terms``."""
    return {
        "terms": {form: terms[form] for form in sorted(candidate.match.found)},
        "coverage": candidate.match.terms,
        "phrase": candidate.match.pairs,
        "heading": candidate.match.heading,
        "fused": candidate.fused,
    }


def explanation_of(routing: Routed) -> dict[str, Any]:
    """The question's terms, the share of each list, and what the route was chosen by."""
    found = routing.found
    told: dict[str, Any] = {
        "terms": dict(sorted(found.terms.items(), key=lambda item: (-item[1], item[0]))),
        "weights": {"dense": found.weight, "sparse": 1 - found.weight},
        **found.means,
    }
    return {**told, "routing": dict(routing.seen)} if routing.seen else told
