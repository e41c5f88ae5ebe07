"""Embeddings of LlamaIndex behind our port; any of its integrations plugs in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelCallError
from ..stretches import stretches
from .ports import Vectors
from .retries import begin_attempt, call_with_retries

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


class LlamaEmbedder:
    """An Embedder over any LlamaIndex embedding. Its vectors are brought to unit length."""

    def __init__(self, model: BaseEmbedding, threads: int = 0) -> None:
        """Embeds one word, to learn the dimension. Raises ModelCallError."""
        self.name = f"llama:{_kind(model)}:{model.model_name}"
        self.concurrency = threads or 2
        self.a_request = max(1, int(getattr(model, "embed_batch_size", 0) or 1))
        self._model = model
        self._question: Callable[[str], Vectors] = lru_cache(maxsize=256)(self._new_question)
        self.dimension = len(self._question("dimension"))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape ``(len(texts), dimension)``. Raises ModelCallError."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        found = [vector for part in stretches(texts, self.a_request) for vector in self._asked(part)]
        vectors = np.asarray(found, dtype=np.float32)
        if vectors.shape != (len(texts), self.dimension):
            raise ModelCallError(
                f"{self.name} returned vectors of shape {vectors.shape} for {len(texts)} texts, "
                f"expected dimension {self.dimension}"
            )
        return _unit_rows(vectors)

    def requests(self, texts: Sequence[str]) -> int:
        """How many requests embedding ``texts`` takes, of ``a_request`` texts each."""
        return -(-len(texts) // self.a_request)

    def _asked(self, texts: list[str]) -> list[list[float]]:
        def ask() -> list[list[float]]:
            begin_attempt()
            return self._model.get_text_embedding_batch(texts)

        return call_with_retries(self.name, ask)

    def embed_question(self, question: str) -> Vectors:
        """Unit vector of a question, shape ``(dimension,)``; the last few hundred are remembered."""
        return self._question(question)

    def _new_question(self, question: str) -> Vectors:
        def ask() -> list[float]:
            begin_attempt()
            return self._model.get_query_embedding(question)

        found = call_with_retries(self.name, ask)
        vector: Vectors = _unit_rows(np.asarray([found], dtype=np.float32))[0]
        vector.flags.writeable = False
        return vector


def _unit_rows(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit


def _kind(model: BaseEmbedding) -> str:
    """What LlamaIndex calls the model's class; its own full name, where it says only what every class is
    called: two of them are not one model."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    if model.class_name() != BaseEmbedding.class_name():
        return model.class_name()
    return f"{type(model).__module__}.{type(model).__qualname__}"
