"""A fake encoder: vectors from the hashes of words. Texts that share words are close."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence

import numpy as np
from treegraph.indexer.errors import ModelCallError
from treegraph.indexer.models.ports import Vectors


class FakeHashEmbedder:
    """Speaks the Embedder port. ``delay`` seconds a text; ``fails`` picks texts that cannot be embedded."""

    def __init__(
        self,
        dimension: int = 32,
        name: str = "fake-hash",
        delay: float = 0.0,
        fails: Callable[[str], bool] = lambda text: False,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.concurrency = 2
        self.delay = delay
        self.fails = fails
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            if self.fails(text):
                raise ModelCallError("this text cannot be embedded")
        time.sleep(self.delay * len(texts))
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_question(self, question: str) -> Vectors:
        return self._vector(question)

    def _vector(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, np.float32)
        for word in re.findall(r"\w+", text.lower()) or [text]:
            seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
            total += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        norm = float(np.linalg.norm(total)) or 1.0
        return (total / norm).astype(np.float32)
