"""The models that a configuration names, each loaded when it is first needed."""

from __future__ import annotations

import threading
from copy import copy
from typing import TYPE_CHECKING, Any

from ..indexer.errors import ConfigurationError
from .config import Config
from .payments import Payments

if TYPE_CHECKING:
    from ..indexer.graph.extraction import Extractor
    from ..indexer.models.call_cache import CallCache
    from ..indexer.models.ports import (
        Embedder,
        LanguageModel,
        PageReader,
        Reranker,
        SparseEncoder,
        VisionModel,
    )
    from ..indexer.tree.summarizer import Summarizer
    from ..indexer.tree.written import ModelSummarizer
    from ..indexer.vision.reader import VisionPageReader
    from .spending import Spending

REPORTED = 15
"""Passages that a community's report is written from at most."""


class Models:
    """Loads models on demand; what is handed in takes the place of what the configuration names.

    Handed in may be anything that speaks our ports, or a LlamaIndex embedding, LLM or postprocessor.
    """

    def __init__(
        self,
        config: Config,
        embedder: Any = None,
        llm: Any = None,
        reranker: Any = None,
        vision: Any = None,
        spending: Spending | None = None,
    ) -> None:
        """``spending`` pays for the calls of language models; None: nothing holds them back."""
        self._config = config
        from ..indexer import models

        self._embedder = models.as_embedder(embedder) if embedder is not None else None
        self._given = self._embedder.name if self._embedder is not None else None
        self._llm = models.as_llm(llm, config.llm) if llm is not None else None
        self._given_llm = self._llm.name if self._llm is not None else None
        self._reranker = models.as_reranker(reranker) if reranker is not None else None
        self._vision = models.as_vision(vision, config.vision) if vision is not None else None
        self._given_vision = self._vision.name if self._vision is not None else None
        self.payments = Payments(config, spending)
        self._paid_llm: LanguageModel | None = None
        self._ocr: PageReader | None = None
        self._lock = threading.Lock()

    def paid_from(self, spending: Spending) -> Models:
        """The same models, loaded once for both, whose calls are paid from ``spending``."""
        self.embedder()
        self._loaded_llm()
        models = copy(self)
        models.payments = Payments(self._config, spending)
        models._paid_llm = None
        models.check_paid()
        return models

    @property
    def stamp(self) -> str:
        """Which encoders are asked for, without loading them."""
        return f"{self._given or self._config.embed.model} {self._config.embed.sparse}"

    @property
    def llm_asked(self) -> str:
        """Which language model is asked for, without loading it; empty for none."""
        return self._given_llm or self._config.llm.model or ""

    @property
    def embeds_here(self) -> bool:
        """Whether no other process can load the embedder: it was handed in; or should: it asks a service, or
        is paid for."""
        asked = self._config.embed.model
        return self._given is not None or asked.startswith("llama:") or self.payments.charges(asked)

    def embedder(self) -> Embedder:
        """The dense encoder. Raises ModelUnavailable."""
        from ..indexer.models import load_embedder

        with self._lock:
            if self._embedder is None:
                self._embedder = load_embedder(self._config.embed)
            return self.payments.embedder(self._embedder)

    def sparse(self) -> SparseEncoder:
        """The sparse encoder."""
        from ..indexer.models import load_sparse

        return load_sparse(self._config.embed)

    def check_paid(self, answering: bool = False) -> None:
        """Raises ConfigurationError where what a build asks, or ``answering`` does, cannot be paid for as it
        is to be."""
        if self.payments.capped:
            llm, vision = self._loaded_llm(), self._loaded_vision()
            self.payments.check_prices(llm, vision, answering)
            self.payments.check_embedding(self._given or self._config.embed.model)
        if not answering:
            self.payments.check_batch(given=self._given_llm is not None)

    def llm(self) -> LanguageModel | None:
        """The language model, None where none is configured; paid from what may be spent."""
        llm = self._loaded_llm()
        with self._lock:
            if llm is not None and self._paid_llm is None:
                self._paid_llm = self.payments.language(llm)
            return self._paid_llm

    def _loaded_llm(self) -> LanguageModel | None:
        from ..indexer.models import load_llm

        with self._lock:
            if self._llm is None and self._config.llm.model:
                self._llm = load_llm(self._config.llm)
            return self._llm

    @property
    def vision_asked(self) -> str:
        """Which model that sees is asked for, without loading it; empty for none."""
        return self._given_vision or self._config.vision.model or ""

    def vision(self) -> VisionModel | None:
        """The model that sees, None where none is configured; paid from what may be spent."""
        model = self._loaded_vision()
        return None if model is None else self.payments.vision(model)

    def _loaded_vision(self) -> VisionModel | None:
        from ..indexer.models import load_vision

        with self._lock:
            if self._vision is None and self._config.vision.model:
                self._vision = load_vision(self._config.vision)
            return self._vision

    @property
    def ocr_asked(self) -> str:
        """What OCR would read with, without loading it: engine, version and settings; empty where it is not
        installed."""
        from ..indexer.models.ocr import ocr_stamp

        return ocr_stamp(self._config.ocr)

    def ocr(self) -> PageReader | None:
        """What reads pages by OCR, None where it is not installed. Raises ModelUnavailable."""
        from ..indexer.models.ocr import load_ocr

        with self._lock:
            if self._ocr is None and self.ocr_asked:
                self._ocr = load_ocr(self._config.ocr)
            return self._ocr

    def page_reader(self) -> VisionPageReader | None:
        """What reads pages natively, None without a model that sees. Raises as :meth:`vision`."""
        model = self.vision()
        if model is None:
            return None
        from ..indexer.vision.reader import VisionPageReader

        return VisionPageReader(model, self._config.vision.tokens)

    def summarizer(self, cache: CallCache, cancel: threading.Event) -> Summarizer:
        """What writes the tree's summaries. Raises ConfigurationError where that is to be a model and none
        is configured, or one whose window is too small."""
        from ..indexer.models.tokenizer import load_tokenizer
        from ..indexer.tree.extractive import ExtractiveSummarizer

        settings, tokenizer = self._config.tree, load_tokenizer(self._config.chunk.tokenizer)
        extractive = ExtractiveSummarizer(tokenizer)
        if settings.summary != "model":
            return extractive
        from ..indexer.tree.written import ModelSummarizer

        llm = self._needed_llm('[tree] summary = "model"')
        room = {"members": settings.members, "tokens": settings.tokens}
        written = ModelSummarizer(llm, cache, extractive, settings.language, cancel, tokenizer, **room)
        return _with_room(written, llm, settings.tokens, "tokens or members of [tree]")

    def reporter(self, cache: CallCache, cancel: threading.Event) -> Summarizer:
        """What writes communities' reports. Raises ConfigurationError as :meth:`summarizer` does."""
        from ..indexer.models.tokenizer import load_tokenizer
        from ..indexer.tree.extractive import ExtractiveSummarizer

        settings, tokenizer = self._config.graph, load_tokenizer(self._config.chunk.tokenizer)
        extractive = ExtractiveSummarizer(tokenizer)
        if settings.report != "model":
            return extractive
        from ..indexer.tree.written import ModelSummarizer

        llm = self._needed_llm('[graph] report = "model"')
        room = {"members": REPORTED, "tokens": settings.report_tokens}
        written = ModelSummarizer(llm, cache, extractive, settings.report_language, cancel, tokenizer, **room)
        return _with_room(written, llm, settings.report_tokens, "report_tokens of [graph]")

    def extractor(self, cache: CallCache, cancel: threading.Event) -> Extractor:
        """What finds names and statements in chunks. Raises ConfigurationError where that is to be a model
        and none is configured."""
        from ..indexer.graph.patterns import PatternExtractor

        settings = self._config.graph
        if settings.extract != "model":
            return PatternExtractor()
        from ..indexer.graph.written import ModelExtractor

        llm = self._needed_llm('[graph] extract = "model"')
        return ModelExtractor(llm, cache, PatternExtractor(), settings.types, cancel)

    def _needed_llm(self, setting: str) -> LanguageModel:
        llm = self.llm()
        if llm is None:
            raise ConfigurationError(f"{setting} needs a model: set [llm] model, or give --llm")
        return llm

    def reranker(self) -> Reranker:
        """The reranker that was handed in, else the configuration's. Raises ConfigurationError for none."""
        from ..indexer.models import load_reranker

        reranker = self._reranker or load_reranker(self._config.rerank)
        if reranker is None:
            raise ConfigurationError("no reranker is configured: set [rerank] model")
        return reranker

    @property
    def reranks(self) -> bool:
        """Whether a reranker is configured or was handed in."""
        return self._reranker is not None or bool(self._config.rerank.model)


def _with_room(written: ModelSummarizer, llm: LanguageModel, tokens: int, lower: str) -> ModelSummarizer:
    """``written``, whose window must hold two summaries beside the prompt. Raises ConfigurationError."""
    if written.window < 2 * tokens:
        raise ConfigurationError(
            f"[llm] window = {llm.window} leaves no room for two summaries beside the prompt: lower "
            f"{lower}, or use a model with a larger window"
        )
    return written
