"""Models of a rehearsal: they carry the names, windows and prices of the real ones, so that what is cached is
found, count what they are asked, and answer nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...indexer.errors import ModelCallError
from ...indexer.models.in_place import InPlaceOf
from ...indexer.models.ports import Completion, Embedder, LanguageModel, Vectors, VisionModel
from ...indexer.models.usage import estimate_tokens, image_tokens
from ...indexer.stretches import stretches
from ..config import Config
from ..loading_models import Models
from .planned_pages import CHARACTERS_A_PAGE, PlannedOcr, PlannedPages
from .projection import HashedWords
from .tally import Asked, Tally

if TYPE_CHECKING:
    from ...indexer.graph.extraction import Extractor
    from ...indexer.models.call_cache import CallCache
    from ...indexer.models.ports import PageReader
    from ...indexer.stores.manifest import Generation
    from ...indexer.tree.summarizer import Summarizer

DIMENSIONS = {"minilm": 384, "multilingual": 384, "bge-m3": 1024}
_UNKNOWN_DIMENSION = 1024
_A_REQUEST = 10
"""Texts that LlamaIndex's embeddings send at once, where they do not say otherwise."""
_REALLY = {"minilm": 256, "onnx": 128, "multilingual": 64}
"""Texts that local models embed in about five seconds."""


class PlannedCall(ModelCallError):
    """A call that a plan counts and does not make."""

    may_cost = False


class PlannedModel(InPlaceOf):
    """A language model that counts what it is asked, at ``factor`` of its prices."""

    def __init__(self, model: LanguageModel, asked: Asked, factor: float = 1.0) -> None:
        super().__init__(model, factor)
        self._asked = asked

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Raises PlannedCall, always."""
        self._asked.add(estimate_tokens(prompt), max_tokens)
        raise PlannedCall(f"{self.name} is not asked by a plan")


class PlannedVision(PlannedModel):
    """A model that sees, and counts what it is shown."""

    def __init__(self, model: VisionModel, asked: Asked) -> None:
        super().__init__(model, asked)

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """Raises PlannedCall, always."""
        self._asked.add(estimate_tokens(prompt) + image_tokens(image), max_tokens)
        raise PlannedCall(f"{self.name} is shown nothing by a plan")


class CountedEmbedder:
    """An Embedder whose texts are counted, and hashed; but the first ``most`` go to ``real``, which is loaded
    for the first of them. With ``a_request`` their calls of so many texts are counted as paid."""

    def __init__(
        self,
        hashed: HashedWords,
        tally: Tally,
        real: Callable[[], Embedder],
        most: int,
        a_request: int | None = None,
    ) -> None:
        self._a_request = a_request
        self.name = hashed.name
        self.dimension = hashed.dimension
        self.concurrency = hashed.concurrency
        self._hashed = hashed
        self._tally = tally
        self._real = real
        self._most = most

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`Embedder`. Raises ModelUnavailable."""
        few = self._tally.embed(texts, self._most)
        if size := self._a_request:
            for request in stretches(texts, size):
                tokens = sum(map(estimate_tokens, request))
                self._tally.asked["embed"].add(tokens, 0)
        return (self._real() if few else self._hashed).embed(texts)

    def embed_question(self, question: str) -> Vectors:
        """See :class:`Embedder`."""
        return self._hashed.embed_question(question)


class PlannedModels(Models):
    """The models of a configuration, none of which is asked anything. ``tally`` has what they would be.

    ``base`` is the published generation of the index, whose embedder need not be loaded to be known, unless
    all is to be embedded ``anew``; ``characters`` is what is taken for the length of a page that is not read.
    """

    base: Generation | None = None

    def __init__(
        self,
        config: Config,
        embedder: Any = None,
        llm: Any = None,
        reranker: Any = None,
        vision: Any = None,
        anew: bool = False,
    ) -> None:
        super().__init__(config, embedder, llm, reranker, vision)
        self._anew = anew
        self.tally = Tally()
        self.characters = CHARACTERS_A_PAGE
        self._stage = "context"
        self._planned_config = config
        self._standing_in: CountedEmbedder | None = None
        self._loading = threading.Lock()

    def embedder(self) -> Embedder:
        """A stand-in for the dense encoder; where there is an index, for the one that it was made with."""
        with self._loading:
            if self._standing_in is None:
                hashed = HashedWords(*self._embedder_known())
                self._standing_in = CountedEmbedder(
                    hashed,
                    self.tally,
                    super().embedder,
                    self._embedded_really(hashed.name),
                    self._paid_by_request,
                )
            return self._standing_in

    def _embedded_really(self, name: str) -> int:
        """How many texts are worth embedding in a plan: a few, beside vectors of the same model, by one that
        costs nothing but some seconds."""
        made = self.base.models if self.base is not None else {}
        if (made.get("configured"), made.get("embedder")) != (self.stamp, name):
            return 0
        if self._embedder is not None:
            return 0 if self._embedder.name.startswith("llama:") else _REALLY["onnx"]
        return _REALLY.get(self._planned_config.embed.model.partition(":")[0], 0)

    @property
    def _paid_by_request(self) -> int | None:
        """How many texts one request to an embedding holds, as far as that is known without loading it; None
        for one that is free."""
        if not self.payments.charges(self._given or self._planned_config.embed.model):
            return None
        return int(getattr(self._embedder, "a_request", _A_REQUEST))

    def _embedder_known(self) -> tuple[str, int]:
        """The dense encoder's name and dimension, without loading it."""
        if self.base is not None and self._anew:
            names, dimension = self.real_names()
            return names["embedder"], dimension
        if self.base is not None:
            return self.base.models["embedder"], self.base.dimension
        if self._embedder is not None:
            return self._embedder.name, self._embedder.dimension
        asked = self._planned_config.embed.model
        return asked, DIMENSIONS.get(asked.partition(":")[0], _UNKNOWN_DIMENSION)

    def real_names(self) -> tuple[dict[str, str], int]:
        """Both encoders' names and the dimension, as a build would load them. Raises ModelUnavailable."""
        real = super().embedder()
        return {"embedder": real.name, "sparse": self.sparse().name}, real.dimension

    def llm(self) -> LanguageModel | None:
        """The language model, counting for the stage that asks for it."""
        model, settings = super().llm(), self._planned_config.llm
        factor = settings.price_batch if settings.batch else 1.0
        return None if model is None else PlannedModel(model, self.tally.asked[self._stage], factor)

    def vision(self) -> VisionModel | None:
        """The model that sees, counting."""
        model = super().vision()
        return None if model is None else PlannedVision(model, self.tally.asked["native"])

    def ocr(self) -> PageReader | None:
        """What would read pages by OCR, None where it is not installed. Raises as the real one's loading."""
        reader = super().ocr()
        return None if reader is None else PlannedOcr(reader, self.tally.asked["ocr"], self.characters)

    def page_reader(self) -> Any:
        """What would read pages natively, None without a model that sees."""
        reader = super().page_reader()
        return None if reader is None else PlannedPages(reader, self.characters)

    def summarizer(self, cache: CallCache, cancel: threading.Event) -> Summarizer:
        """What would write the tree's summaries."""
        with self._for("tree"):
            return super().summarizer(cache, cancel)

    def reporter(self, cache: CallCache, cancel: threading.Event) -> Summarizer:
        """What would write communities' reports."""
        with self._for("graph reports"):
            return super().reporter(cache, cancel)

    def extractor(self, cache: CallCache, cancel: threading.Event) -> Extractor:
        """What would find names and statements in chunks."""
        with self._for("graph"):
            return super().extractor(cache, cancel)

    @contextmanager
    def _for(self, stage: str) -> Iterator[None]:
        """Who asks for the language model inside counts for ``stage``."""
        before, self._stage = self._stage, stage
        try:
            yield
        finally:
            self._stage = before
