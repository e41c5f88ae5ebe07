"""How the calls of language models are paid for in one piece of work: at once, or in batches, under caps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..indexer.errors import ConfigurationError
from ..indexer.stores.ledger_history import RunHistory

if TYPE_CHECKING:
    from ..indexer.models.ports import Embedder, LanguageModel, VisionModel
    from ..indexer.stores.ledger import Ledger
    from .batching import Batches
    from .config import Config
    from .paid_embedder import PaidEmbedder
    from .spending import Spending


class Payments:
    """Makes paid models of models. Without ``spending`` nothing is held back, and models stay as they are."""

    def __init__(self, config: Config, spending: Spending | None) -> None:
        self._config = config
        self._spending = spending
        self._batches: Batches | None = None
        self._ledger: Ledger | None = None
        self.embedding: PaidEmbedder | None = None

    @property
    def may_pay(self) -> bool:
        """Whether what is owed may be had, for all that is known: answers of a batch came, or none is waited
        for and calls that cost money may still be made."""
        if self._batches is not None and (self._batches.came or self._batches.stuck):
            return self._batches.came
        return self.open

    @property
    def open(self) -> bool:
        """Whether calls that cost money may still be made at once."""
        return self._spending is None or self._spending.open

    def use_batches(self, batches: Batches) -> None:
        """From now on the language model's calls go into batches."""
        self._batches = batches

    def hold(self, stage: str) -> None:
        """What is asked from now on would rest on what a stage has: where its calls wait, it is put into no
        batch."""
        if self._batches is not None:
            self._batches.hold(stage)

    def submit(self, stage: str) -> Mapping[str, int]:
        """Hand over what a stage put into a batch. Counts the calls that were not, by reason."""
        return self._batches.submit(stage) if self._batches is not None else {}

    @property
    def capped(self) -> bool:
        """Whether money is."""
        return self._spending is not None and self._spending.caps.cost is not None

    def check_prices(
        self, llm: LanguageModel | None, vision: VisionModel | None, answering: bool = False
    ) -> None:
        """A cap on money holds nothing back where a model that a build asks, or ``answering`` does, has no
        known prices. Raises ConfigurationError."""
        config = self._config
        asked = (config.context.by, config.tree.summary, config.graph.extract, config.graph.report)
        for model, table in ((vision, "vision"), (llm if answering or "model" in asked else None, "llm")):
            if model is not None and not (model.price_in or model.price_out):
                raise ConfigurationError(
                    f"--max-cost cannot hold back calls of {model.name}, whose prices are not known: set "
                    f"[{table}] price_in and price_out, or use --max-calls or --max-seconds instead"
                )

    def check_embedding(self, name: str) -> None:
        """The same of an embedding of this name. Raises ConfigurationError."""
        if self.charges(name) and not self._config.embed.price_in:
            raise ConfigurationError(
                f"--max-cost cannot hold back calls of {name}, whose price is not known: set [embed] "
                "price_in (0 for one that costs nothing), or use --max-calls or --max-seconds instead"
            )

    def check_batch(self, given: bool) -> None:
        """Calls can go into batches where a server is named; a ``given`` model has none. Raises
        ConfigurationError."""
        if self._config.llm.batch and (given or not self._config.llm.model):
            raise ConfigurationError(
                "[llm] batch (--batch) needs a server that takes batches: set [llm] model and base_url, or "
                "give --llm"
            )

    def language(self, llm: LanguageModel) -> LanguageModel:
        """A language model whose calls are paid."""
        if self._spending is None:
            return llm
        if self._batches is not None:
            from .batch_model import BatchModel

            return BatchModel(llm, self._batches, self._spending, self._config.llm.price_batch)
        from ..indexer.models.ports import StreamingModel
        from .paid_models import PaidModel, PaidStreamingModel

        if isinstance(llm, StreamingModel):
            return PaidStreamingModel(llm, self._spending)
        return PaidModel(llm, self._spending)

    def charges(self, name: str) -> bool:
        """Whether calls of an embedder of this name cost money, for all that is known: any of LlamaIndex may,
        unless it is said to be free; those that run here do where they are given a price."""
        price = self._config.embed.price_in
        return bool(price) or (price is None and name.startswith("llama:"))

    def keep_in(self, ledger: Ledger, run: int | None) -> None:
        """From now on what is embedded for money is kept in an index's ledger until it is settled, and what
        is paid is noted with the ``run`` of that number."""
        self._ledger = ledger
        if run is not None and self._spending is not None:
            self._spending.answered = partial(RunHistory(ledger).pay, run)
        if self.embedding is not None:
            self._keep(self.embedding)

    def embedder(self, embedder: Embedder) -> Embedder:
        """An embedder whose calls are paid; one that is free as it is."""
        if self._spending is None or not self.charges(embedder.name):
            return embedder
        from .paid_embedder import PaidEmbedder

        if self.embedding is None:
            self.embedding = PaidEmbedder(embedder, self._spending, self._config.embed.price_in or 0.0)
            self._keep(self.embedding)
        return self.embedding

    def settle_embedding(self, owed: int) -> None:
        """A piece of work is done, and the index still owes so many documents. Without one, of what was kept
        for them only that is needed which a text that fails may have next to it."""
        if self._spending is not None:
            self._spending.answered = None
        embedding = self.embedding
        if embedding is not None and embedding.kept is not None and not owed:
            embedding.kept.drop(older=embedding.left)

    def _keep(self, embedding: PaidEmbedder) -> None:
        from ..indexer.stores.ledger_embeddings import EmbeddingLedger

        if self._ledger is not None:
            embedding.kept = EmbeddingLedger(self._ledger)

    def vision(self, model: VisionModel) -> VisionModel:
        """A model that sees whose calls are paid: always at once."""
        if self._spending is None:
            return model
        from .paid_models import PaidVisionModel

        return PaidVisionModel(model, self._spending)
