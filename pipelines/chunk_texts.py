"""The texts of the chunks of the generation being built."""

from __future__ import annotations

from collections.abc import Collection

from ..indexer.stretches import stretches
from .leaves import FETCH, Fetch, LeafRows


class ChunkTexts:
    """Gives chunks' texts by id, fetched from the vector store in as few calls as it takes them; none of a
    chunk that it does not hold."""

    def __init__(self, rows: LeafRows, fetch: Fetch) -> None:
        self._keys = rows.keys
        self._fetch = fetch

    def __call__(self, chunks: Collection[str]) -> dict[str, str]:
        """The texts of ``chunks``, by id. An id that no chunk of the generation has is a KeyError."""
        by_key = {self._keys[chunk]: chunk for chunk in chunks}
        ordered = sorted(by_key)
        found: dict[str, str] = {}
        for keys in stretches(ordered, FETCH):
            rows = self._fetch(keys)
            found.update((by_key[key], str(row.payload["text"])) for key, row in rows.items())
        return found
