"""Language models whose calls are paid from a :class:`.spending.Spending`."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..indexer.models.ports import Completion, LanguageModel, VisionModel
from ..indexer.models.retries import paid_by
from ..indexer.models.usage import SAFETY, estimate_tokens, image_tokens
from .spending import Spending


class PaidModel:
    """A language model whose calls are paid from a :class:`Spending`; else as it is.

    Providers count pictures in ways of their own, some ten times as high as others. So under a cap the first
    call is made alone, and estimates are as high as the highest count over its estimate so far.
    """

    def __init__(self, model: LanguageModel, spending: Spending) -> None:
        self.name = model.name
        self.window = model.window
        self.price_in = model.price_in
        self.price_out = model.price_out
        self.concurrency = model.concurrency
        self._model = model
        self._spending = spending
        self._first = threading.Lock()
        self._learning = threading.Lock()
        self._ratio: float | None = None

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """See :meth:`.ports.LanguageModel.complete`. Raises BudgetSpent, too."""
        tokens = estimate_tokens(prompt)
        return self._paid(tokens, max_tokens, lambda: self._model.complete(prompt, max_tokens))

    def _paid(self, tokens: int, room: int, call: Callable[[], Completion]) -> Completion:
        if self._spending.caps.cost is not None and self._ratio is None:
            with self._first:
                if self._ratio is None:
                    return self._called(tokens, room, call)
        return self._called(tokens, room, call)

    def _called(self, tokens: int, room: int, call: Callable[[], Completion]) -> Completion:
        ratio = self._ratio or SAFETY
        most = self._cost(tokens * ratio, room)
        with self._spending.paying(most) as paying, paid_by(paying):
            done = call()
            with self._learning:
                self._ratio = max(self._ratio or SAFETY, done.tokens_in / max(1, tokens))
            paying.settle(self._cost(done.tokens_in, done.tokens_out))
        return done

    def _cost(self, tokens_in: float, tokens_out: float) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6


class PaidVisionModel(PaidModel):
    """A vision model whose calls are paid from a :class:`Spending`."""

    def __init__(self, model: VisionModel, spending: Spending) -> None:
        super().__init__(model, spending)
        self._vision = model

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """See :meth:`.ports.VisionModel.look`. Raises BudgetSpent, too."""
        tokens = estimate_tokens(prompt) + image_tokens(image)
        return self._paid(tokens, max_tokens, lambda: self._vision.look(prompt, image, max_tokens))
