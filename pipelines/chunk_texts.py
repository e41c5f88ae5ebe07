"""The texts of the chunks of the generation being built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .leaves import Fetch, LeafRows


class ChunkTexts(Mapping[str, str]):
    """Chunks' texts by id, fetched from the vector store when first asked for, and kept: several communities
    rest on one chunk."""

    def __init__(self, rows: LeafRows, fetch: Fetch) -> None:
        self._keys = rows.keys
        self._fetch = fetch
        self._known: dict[str, str] = {}

    def __getitem__(self, chunk: str) -> str:
        if chunk not in self._known:
            row = self._fetch([self._keys[chunk]])[self._keys[chunk]]
            self._known[chunk] = str(row.payload["text"])
        return self._known[chunk]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
