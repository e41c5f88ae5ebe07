"""The models of an open index: loaded when first used, checked against what the index was made with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..indexer.errors import ConfigurationError, IndexIncompatible
from ..indexer.models.ports import Embedder, LanguageModel, Reranker, SparseEncoder, Vectors, VisionModel
from ..indexer.stores.manifest import Generation
from .question import Question


@dataclass(frozen=True, slots=True)
class ModelLoaders:
    """How to get each model; called once, when it is first needed. No reranker: none is used; no language
    model: answers are extracts, and none has a word on the route; no vision model: none looks at pages."""

    embedder: Callable[[], Embedder]
    sparse: Callable[[], SparseEncoder]
    reranker: Callable[[], Reranker] | None = None
    llm: Callable[[], LanguageModel | None] | None = None
    vision: Callable[[], VisionModel | None] | None = None


class Models:
    """The loaded models. Safe from several threads."""

    def __init__(self, loaders: ModelLoaders) -> None:
        self._loaders = loaders
        self._embedder: Embedder | None = None
        self._sparse: SparseEncoder | None = None
        self._reranker: Reranker | None = None
        self._places = threading.Semaphore(1)
        self._lock = threading.RLock()

    @property
    def reranks(self) -> bool:
        """Whether a reranker is configured."""
        return self._loaders.reranker is not None

    def embedder(self) -> Embedder:
        """The embedder. Raises ModelUnavailable."""
        with self._lock:
            if self._embedder is None:
                self._embedder = self._loaders.embedder()
                self._places = threading.Semaphore(max(1, self._embedder.concurrency))
            return self._embedder

    def sparse(self) -> SparseEncoder:
        """The sparse encoder. Raises ModelUnavailable."""
        with self._lock:
            if self._sparse is None:
                self._sparse = self._loaders.sparse()
            return self._sparse

    def reranker(self) -> Reranker:
        """The reranker. Raises ConfigurationError without one, ModelUnavailable when it cannot load."""
        with self._lock:
            if self._reranker is None:
                if self._loaders.reranker is None:
                    raise ConfigurationError(
                        "no reranker is configured; set rerank.model, or do not ask for it"
                    )
                self._reranker = self._loaders.reranker()
            return self._reranker

    @property
    def sees(self) -> bool:
        """Whether a model that sees is configured."""
        return self._loaders.vision is not None

    def vision(self) -> VisionModel | None:
        """The model that sees, None where none is configured. Raises ModelUnavailable."""
        with self._lock:
            return self._loaders.vision() if self._loaders.vision else None

    def llm(self) -> LanguageModel | None:
        """The language model, None where none is configured. Raises ModelUnavailable."""
        with self._lock:
            return self._loaders.llm() if self._loaders.llm else None

    def cosines(self, question: str, texts: Sequence[str]) -> Vectors:
        """How like each of ``texts`` is to ``question``, shape ``(len(texts),)``. Raises ModelCallError."""
        embedder = self.embedder()
        with self._places:
            cosines: Vectors = embedder.embed(texts) @ embedder.embed_question(question)
        return cosines

    def check(self, generation: Generation) -> None:
        """Raises IndexIncompatible unless these models made ``generation``."""
        embedder, sparse = self.embedder(), self.sparse()
        _same("embedder", embedder.name, generation.models)
        _same("sparse", sparse.name, generation.models)
        if embedder.dimension != generation.dimension:
            raise IndexIncompatible(
                f"the index holds vectors of {generation.dimension} dimensions, "
                f"{embedder.name} makes {embedder.dimension}; {_REMEDY}"
            )

    def encode(self, question: str, languages: Sequence[str]) -> Question:
        """The question as both lists see it. Raises ModelCallError."""
        embedder, sparse = self.embedder(), self.sparse()
        with self._places:
            dense = embedder.embed_question(question)
        return Question(
            text=question,
            dense=dense,
            sparse=sparse.encode_question(question, languages),
            terms=sparse.terms(question, languages),
            languages=tuple(languages),
            idf=sparse.idf,
        )


_REMEDY = "set [embed] to the model of the index, or build the index anew in another folder"


def _same(role: str, ours: str, models: Mapping[str, str]) -> None:
    theirs = models.get(role)
    if theirs is not None and theirs != ours:
        raise IndexIncompatible(f"the index was made with {theirs}, but {role} is {ours}; {_REMEDY}")
