"""A fake of an embedding service behind LlamaIndex: vectors from the hashes of words, and a bill."""

from __future__ import annotations

from typing import Any

from hash_embedder import FakeHashEmbedder
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr


class PaidEmbedding(BaseEmbedding):
    """``texts`` has every passage that was embedded, each as often as it was paid for; ``calls`` counts the
    requests for them. ``fails`` is a part of passages that are refused."""

    fails: str = ""
    _hashed: FakeHashEmbedder = PrivateAttr(default_factory=FakeHashEmbedder)
    _calls: int = PrivateAttr(default=0)

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"model_name": "fake-paid-embedding", "embed_batch_size": 4, **values})

    @property
    def texts(self) -> list[str]:
        return self._hashed.embedded

    @property
    def calls(self) -> int:
        return self._calls

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        if self.fails and any(self.fails in text for text in texts):
            raise ValueError("this text cannot be embedded")
        self._calls += 1
        return [[float(x) for x in vector] for vector in self._hashed.embed(texts)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(x) for x in self._hashed.embed_question(query)]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)
