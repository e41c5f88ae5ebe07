"""Texts longer than an embedder's window, embedded in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .ports import Embedder, Vectors
from .usage import SAFETY, estimate_tokens


class WindowedEmbedder:
    """An Embedder whose texts are never longer than ``window`` tokens, as far as those can be estimated.

    A longer one is halved, between words where there are any, until its parts fit; its vector is the mean of
    theirs, each weighing as many tokens as it has, at unit length.
    """

    def __init__(self, embedder: Embedder, window: int) -> None:
        self.name = f"{embedder.name}/window-{window}"
        self.dimension = embedder.dimension
        self.concurrency = embedder.concurrency
        self.a_request: int = getattr(embedder, "a_request", 1)
        self._embedder = embedder
        self._window = window

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape ``(len(texts), dimension)``. Raises ModelCallError."""
        parts = [list(self._parts(text)) for text in texts]
        vectors = self._embedder.embed([part for each in parts for part in each])
        pooled = np.empty((len(texts), self.dimension), np.float32)
        start = 0
        for place, each in enumerate(parts):
            weights = np.array([estimate_tokens(part) + 1 for part in each], np.float32)
            total = weights @ vectors[start : start + len(each)]
            pooled[place] = total / (np.linalg.norm(total) or 1.0)
            start += len(each)
        return pooled

    def requests(self, texts: Sequence[str]) -> int:
        """How many requests embedding ``texts`` takes."""
        return -(-sum(1 for text in texts for _ in self._parts(text)) // self.a_request)

    def embed_question(self, question: str) -> Vectors:
        """Unit vector of a question, shape ``(dimension,)``: of as much of its beginning as fits."""
        return self._embedder.embed_question(next(self._parts(question)))

    def _parts(self, text: str) -> Iterator[str]:
        if len(text) < 2 or estimate_tokens(text) * SAFETY <= self._window:
            yield text
            return
        middle = len(text) // 2
        space = text.rfind(" ", 1, middle + 1)
        cut = space if space > len(text) // 4 else middle
        yield from self._parts(text[:cut])
        yield from self._parts(text[cut:])
