"""A language model whose calls go into batches."""

from __future__ import annotations

from ..indexer.errors import CallWaits
from ..indexer.models.batches import BatchCall
from ..indexer.models.call_cache import call_key
from ..indexer.models.in_place import InPlaceOf
from ..indexer.models.ports import Completion, LanguageModel
from ..indexer.models.usage import cost_of
from ..indexer.stores.ledger_history import Paid
from .batching import Batches
from .paid_models import PaidModel
from .spending import Spending


class BatchModel(InPlaceOf):
    """A language model whose calls go into batches, at ``factor`` of its prices, and are paid from a
    :class:`Spending` when they are put there, as if each filled its room."""

    def __init__(self, model: LanguageModel, batches: Batches, spending: Spending, factor: float) -> None:
        super().__init__(model, factor)
        self._batches = batches
        self._spending = spending
        self._paid = PaidModel(_Queue(self, batches), spending)

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """See :meth:`.ports.LanguageModel.complete`. Raises CallWaits, and BudgetSpent."""
        done = self._batches.ask(batch_call(self.name, prompt, max_tokens))
        if done is None:
            return self._paid.complete(prompt, max_tokens)
        cost = cost_of(self, done.tokens_in, done.tokens_out)
        self._spending.tell(Paid(1, done.tokens_in, done.tokens_out, cost))
        return done


class _Queue(InPlaceOf):
    """Puts every call into the next batch."""

    def __init__(self, model: BatchModel, batches: Batches) -> None:
        super().__init__(model)
        self._batches = batches

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        self._batches.put(batch_call(self.name, prompt, max_tokens))
        raise CallWaits("is put into a batch")


def batch_call(model: str, prompt: str, max_tokens: int) -> BatchCall:
    """A call, under a key that it has in every run."""
    return BatchCall(call_key(model, "batch", f"{max_tokens}\n{prompt}"), prompt, max_tokens)
