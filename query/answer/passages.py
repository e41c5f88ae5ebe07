"""The passages of one generation that a reader may see, by id and by their place beside another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...indexer.stores.ports import VectorSnapshot
from ...indexer.types import Document
from ..access import Access

Payload = Mapping[str, Any]
Place = tuple[str, int]
"""A document's id, and the number of a chunk in it."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Fetches chunks; nothing that ``access`` does not show comes out."""

    snapshot: VectorSnapshot
    documents: Mapping[str, Document]
    access: Access

    def named(self, ids: Iterable[str]) -> dict[str, Payload]:
        """The chunks of these ids."""
        wanted = sorted(set(ids))
        if not wanted or self.access.empty:
            return {}
        rows = self.snapshot.fetch(replace(self.access.where(), ids=wanted))
        return {row.payload["id"]: row.payload for row in rows}

    def around(self, payloads: Iterable[Payload]) -> dict[Place, Payload]:
        """These chunks and those just before and after each, by their places."""
        wanted: dict[str, set[int]] = {}
        for payload in payloads:
            wanted.setdefault(payload["document"], set()).add(payload["ordinal"])
        found: dict[Place, Payload] = {}
        for document, ordinals in wanted.items():
            for first, last in _runs(ordinals):
                where = replace(
                    self.access.where(),
                    documents=[document],
                    not_documents=None,
                    ordinals=(max(0, first - 1), last + 1),
                )
                for row in self.snapshot.fetch(where):
                    found[document, row.payload["ordinal"]] = row.payload
        return found


def _runs(ordinals: Iterable[int]) -> list[tuple[int, int]]:
    """Ordinals as ranges; those with little between them share one."""
    runs: list[tuple[int, int]] = []
    for ordinal in sorted(ordinals):
        if runs and ordinal - runs[-1][1] <= 3:
            runs[-1] = (runs[-1][0], ordinal)
        else:
            runs.append((ordinal, ordinal))
    return runs
