"""Language models whose calls are paid from a :class:`.spending.Spending`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from ..indexer.errors import BudgetSpent, CallWaits, ModelCallError
from ..indexer.models.in_place import InPlaceOf
from ..indexer.models.ports import Completion, LanguageModel, StreamingModel, VisionModel
from ..indexer.models.retries import paid_by
from ..indexer.models.usage import SAFETY, cost_of, estimate_tokens, image_tokens
from .spending import Spending

log = logging.getLogger(__name__)


class PaidModel(InPlaceOf):
    """A language model whose calls are paid from a :class:`Spending`; else as it is.

    Providers count pictures in ways of their own, some ten times as high as others. So under a cap the first
    call is made alone, and estimates are as high as the highest count over its estimate so far.
    """

    def __init__(self, model: LanguageModel, spending: Spending) -> None:
        super().__init__(model)
        self._model = model
        self._spending = spending
        self._first = threading.Lock()
        self._learning = threading.Lock()
        self._ratio: float | None = None
        self._told = False

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
        most = cost_of(self, tokens * ratio, room)
        with self._spending.paying(most) as paying, paid_by(paying):
            done = self._warned(call)
            with self._learning:
                self._ratio = max(self._ratio or SAFETY, done.tokens_in / max(1, tokens))
            paying.settle(cost_of(self, done.tokens_in, done.tokens_out), done.tokens_in, done.tokens_out)
        return done

    def _warned(self, call: Callable[[], Completion]) -> Completion:
        """The call's answer. The first failure that is none of the cap's is told at once, whole: all that
        reports say of it later is how many items it befell."""
        try:
            return call()
        except ModelCallError as error:
            with self._learning:
                told, self._told = self._told, self._told or not isinstance(error, BudgetSpent | CallWaits)
            if self._told and not told:
                log.warning("a call of %s failed, and what it was to make is owed: %s", self.name, error)
            raise


class PaidStreamingModel(PaidModel):
    """One that hands its answers over while it writes them, paid from a :class:`Spending`."""

    def __init__(self, model: StreamingModel, spending: Spending) -> None:
        super().__init__(model, spending)
        self._streaming = model

    def stream(self, prompt: str, max_tokens: int, take: Callable[[str], None]) -> Completion:
        """See :meth:`.ports.StreamingModel.stream`. Raises BudgetSpent, too."""
        tokens = estimate_tokens(prompt)
        return self._paid(tokens, max_tokens, lambda: self._streaming.stream(prompt, max_tokens, take))


class PaidVisionModel(PaidModel):
    """A vision model whose calls are paid from a :class:`Spending`."""

    def __init__(self, model: VisionModel, spending: Spending) -> None:
        super().__init__(model, spending)
        self._vision = model

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """See :meth:`.ports.VisionModel.look`. Raises BudgetSpent, too."""
        tokens = estimate_tokens(prompt) + image_tokens(image)
        return self._paid(tokens, max_tokens, lambda: self._vision.look(prompt, image, max_tokens))
