"""Vectors without a model: words hashed into the dimensions, so that texts that share words are near."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...indexer.models.ports import Vectors

_WORD = re.compile(r"\w{4,}")
_LONGEST = 24


class HashedWords:
    """An Embedder that stands in for the model of this ``name`` and ``dimension``. After feature hashing
    (Weinberger et al., arXiv 0902.2206): each word adds a signed one to two places of the vector. What it
    embeds is counted by nobody: it takes some tenths of a millisecond a text."""

    def __init__(self, name: str, dimension: int, concurrency: int = 1) -> None:
        self.name = name
        self.dimension = dimension
        self.concurrency = concurrency

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape ``(len(texts), dimension)``."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            places = [place for word in _WORD.findall(text) for place in _places(word.casefold()[:_LONGEST])]
            if places:
                found = np.array(places, dtype=np.int64)
                np.add.at(row, np.abs(found) % self.dimension, np.sign(found).astype(np.float32))
            row[zlib.crc32(text.encode("utf-8", "replace")) % self.dimension] += 0.5  # no two are alike
            row /= float(np.linalg.norm(row)) or 1.0
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """The unit vector of a question, shape ``(dimension,)``."""
        vector: Vectors = self.embed([question])[0]
        return vector


@lru_cache(maxsize=200_000)
def _places(word: str) -> tuple[int, int]:
    """Two signed places, from 1 on."""
    data = word.encode("utf-8", "replace")
    first, second = zlib.crc32(data), zlib.adler32(data[::-1])
    return tuple((1 + (n >> 1)) * (1 if n & 1 else -1) for n in (first, second))  # type: ignore[return-value]
