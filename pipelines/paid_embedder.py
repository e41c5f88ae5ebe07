"""An embedder whose calls are paid from a :class:`.spending.Spending`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..indexer.digests import digest
from ..indexer.errors import ModelCallError
from ..indexer.models.ports import Embedder, Vectors
from ..indexer.models.retries import paid_by
from ..indexer.models.usage import SAFETY, cost_of, estimate_tokens
from ..indexer.stretches import stretches
from .model_counts import ModelCounts
from .spending import Spending

if TYPE_CHECKING:
    from ..indexer.stores.ledger_embeddings import EmbeddingLedger


class PaidEmbedder:
    """An embedder at ``price`` (money per million tokens, which are estimated: LlamaIndex does not hand on
    what a provider counted). What it embedded goes to ``kept`` at once, and is taken from there: a text whose
    document or node did not become whole is not paid for again.

    ``left`` says whether a text could not be embedded.
    """

    price_out = 0.0

    def __init__(self, embedder: Embedder, spending: Spending, price: float) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.concurrency = embedder.concurrency
        self.price_in = price
        self.kept: EmbeddingLedger | None = None
        self.left = False
        self.counts = ModelCounts()
        self._embedder = embedder
        self._spending = spending
        self._a_request: int = getattr(embedder, "a_request", 1)
        self._question: Callable[[str], Vectors] = lru_cache(maxsize=256)(self._new_question)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :meth:`.ports.Embedder.embed`. Raises BudgetSpent, too."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        keys = [digest([self.name, text]) for text in texts]
        found = self.kept.get(keys) if self.kept is not None else {}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        for request in stretches(list(new.items()), self._a_request):
            found |= self._paid(dict(request))
        return np.stack([found[key] for key in keys])

    def taken(self) -> ModelCounts:
        """What was embedded since this was last asked."""
        counts, self.counts = self.counts, ModelCounts()
        return counts

    def embed_question(self, question: str) -> Vectors:
        """See :meth:`.ports.Embedder.embed_question`. Raises BudgetSpent, too."""
        return self._question(question)

    def _new_question(self, question: str) -> Vectors:
        return self._called([question], 1, lambda: self._embedder.embed_question(question))

    def _paid(self, new: dict[str, str]) -> dict[str, Vectors]:
        texts = list(new.values())
        count: Callable[[Sequence[str]], int] = getattr(self._embedder, "requests", lambda _: 1)
        vectors = self._called(texts, count(texts), lambda: self._embedder.embed(texts))
        found = dict(zip(new, vectors, strict=True))
        if self.kept is not None:
            self.kept.put(found)
        return found

    def _called(self, texts: Sequence[str], requests: int, call: Callable[[], Vectors]) -> Vectors:
        tokens = sum(map(estimate_tokens, texts))
        try:
            with self._spending.paying(cost_of(self, tokens * SAFETY, 0), requests) as paying:
                with paid_by(paying):
                    vectors = call()
                paying.settle(cost_of(self, tokens, 0), tokens, calls=requests)
        except ModelCallError:
            self.left = True
            raise
        self.counts.add(
            calls=requests,
            cached=0,
            tokens_in=tokens,
            tokens_out=0,
            cost=cost_of(self, tokens, 0),
            estimated=requests,
            fallen_back={},
        )
        return vectors
