"""A cap on what paid calls may cost: those under way count beforehand by what they can cost at most."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..indexer.errors import BudgetSpent, CapTooLow, ConfigurationError, ModelCallError
from ..indexer.models.ports import Completion, LanguageModel, VisionModel
from ..indexer.models.retries import paying_again
from ..indexer.models.usage import SAFETY, estimate_tokens, image_tokens

Settle = Callable[[float], None]
"""Takes what a call did cost."""


class Spending:
    """What one piece of work may spend, ``cap``, and what it ``spent``; ``refused`` counts the calls that
    were not made for it. Safe from several threads.

    A call is made only if the cap holds even where it costs its estimate; so what is spent stays under the
    cap as long as calls cost no more than their estimates. Where only calls under way stand in between it is
    waited for what they do cost. What a provider charges for attempts that timed out or broke off is not
    known here: each counts as its estimate.
    """

    def __init__(self, cap: float | None = None) -> None:
        """Raises ConfigurationError for a negative cap; None is no cap."""
        if cap is not None and not cap >= 0:
            raise ConfigurationError(f"--max-cost must be 0 or more, not {cap}")
        self.cap = cap
        self.spent = 0.0
        self.refused = 0
        self._pending = 0.0
        self._calls = 0
        self._changed = threading.Condition()

    @contextmanager
    def paying(self, most: float) -> Iterator[Settle]:
        """Hold ``most`` for one call, which then says what it did cost (nothing where it does not). Raises
        BudgetSpent where that much is not left."""
        self._reserve(most)
        cost = 0.0

        def settle(paid: float) -> None:
            nonlocal cost
            cost = paid

        try:
            yield settle
        finally:
            with self._changed:
                self._pending -= most
                self._calls -= 1
                self.spent += cost
                self._changed.notify_all()

    def pay_again(self, most: float) -> None:
        """An attempt of a call under way may have cost ``most``, and another is to follow. Raises
        BudgetSpent, at once, where that much is not left for it."""
        with self._changed:
            if self.cap is not None and self.spent + self._pending + most > self.cap:
                raise self._refusal(most)
            self.spent += most
            self._changed.notify_all()

    def _reserve(self, most: float) -> None:
        with self._changed:
            if self.cap is not None:
                while self._calls and self.spent + self._pending + most > self.cap >= self.spent + most:
                    self._changed.wait()
                if self.spent + self._pending + most > self.cap:
                    raise self._refusal(most)
            self._pending += most
            self._calls += 1

    def _refusal(self, most: float) -> BudgetSpent:
        self.refused += 1
        if self.cap and most > self.cap:
            return CapTooLow(
                f"a call of up to {most:.4f} was not made: that is more than the whole of --max-cost "
                f"{self.cap:.4f}, which is below the price of a single call"
            )
        return BudgetSpent(
            f"a call of up to {most:.4f} was not made: {self.spent:.4f} of --max-cost {self.cap:.4f} is spent"
        )


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
        if self._spending.cap is not None and self._ratio is None:
            with self._first:
                if self._ratio is None:
                    return self._called(tokens, room, call)
        return self._called(tokens, room, call)

    def _called(self, tokens: int, room: int, call: Callable[[], Completion]) -> Completion:
        ratio = self._ratio or SAFETY
        most = self._cost(tokens * ratio, room)
        with self._spending.paying(most) as settle, paying_again(lambda: self._spending.pay_again(most)):
            try:
                done = call()
            except ModelCallError as error:
                settle(most if error.may_cost else 0.0)
                raise
            with self._learning:
                self._ratio = max(self._ratio or SAFETY, done.tokens_in / max(1, tokens))
            settle(self._cost(done.tokens_in, done.tokens_out))
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


def check_prices(model: LanguageModel, cap: float | None) -> None:
    """A cap on calls whose price is not known would hold nothing back. Raises ConfigurationError."""
    if cap is not None and not (model.price_in or model.price_out):
        raise ConfigurationError(
            f"--max-cost cannot hold back calls of {model.name}, whose prices are not known: set [vision] "
            "price_in and price_out, or leave --max-cost out"
        )
