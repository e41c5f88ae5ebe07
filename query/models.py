"""The models of an open index: loaded when first used, checked against what the index was made with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..indexer.errors import BudgetSpent, ConfigurationError, IndexIncompatible
from ..indexer.models.ports import Embedder, LanguageModel, Reranker, SparseEncoder, Vectors, VisionModel
from ..indexer.stores.manifest import Generation
from .deadline import Deadline, Lane, TimeUp
from .question import Question

Model = TypeVar("Model")
Made = TypeVar("Made")
WHENEVER = Deadline(None)


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
        self._embedder = _Once(lambda: _Placed(loaders.embedder()))
        self._sparse = _Once(loaders.sparse)
        self._reranker = _Once(loaders.reranker or _no_reranker)
        self._llm = threading.Lock()
        self._dense_lane, self._sparse_lane = Lane(patient=True), Lane(patient=True)
        self._reranker_lane = Lane(patient=True)

    @property
    def reranks(self) -> bool:
        """Whether a reranker is configured."""
        return self._loaders.reranker is not None

    def embedder(self) -> Embedder:
        """The embedder. Raises ModelUnavailable."""
        return self._embedder().embedder

    def sparse(self) -> SparseEncoder:
        """The sparse encoder. Raises ModelUnavailable."""
        return self._sparse()

    def reranker(self, deadline: Deadline = WHENEVER) -> Reranker:
        """The reranker. Raises ConfigurationError without one, ModelUnavailable when it cannot load, TimeUp
        where it does not load in time."""
        if not self.reranks:
            _no_reranker()
        return self._reranker.loaded or deadline.run(self._reranker, self._reranker_lane)

    @property
    def sees(self) -> bool:
        """Whether a model that sees is configured."""
        return self._loaders.vision is not None

    def vision(self) -> VisionModel | None:
        """The model that sees, None where none is configured. Raises ModelUnavailable."""
        with self._llm:
            return self._loaders.vision() if self._loaders.vision else None

    def llm(self) -> LanguageModel | None:
        """The language model, None where none is configured. Raises ModelUnavailable."""
        with self._llm:
            return self._loaders.llm() if self._loaders.llm else None

    def serve(self, generation: Generation) -> bool:
        """Whether questions can be encoded for a generation, as far as the models that were loaded tell."""
        placed = self._embedder.loaded
        if placed is None:
            return True
        try:
            _check(placed.embedder, generation)
        except IndexIncompatible:
            return False
        return True

    def cosines(self, question: str, texts: Sequence[str], deadline: Deadline = WHENEVER) -> Vectors:
        """How like each of ``texts`` is to ``question``, shape ``(len(texts),)``. Raises ModelCallError, and
        TimeUp where the embedder is late."""

        def work(embedder: Embedder) -> Vectors:
            cosines: Vectors = embedder.embed(texts) @ embedder.embed_question(question)
            return cosines

        return self._embedding(work, deadline, None)

    def encode(
        self,
        question: str,
        languages: Sequence[str],
        generation: Generation,
        deadline: Deadline = WHENEVER,
    ) -> Question:
        """The question as both lists of ``generation`` see it. The embedder has half of the time: where it is
        late the vector is empty, and the words alone must do.

        Raises ModelCallError, IndexIncompatible unless these models made ``generation``, and TimeUp where the
        sparse encoder is late too.
        """
        try:
            dense = self._embedding(
                lambda embedder: embedder.embed_question(question), deadline.half(), generation
            )
        except TimeUp:
            dense = np.zeros(0, np.float32)
        return deadline.run(
            lambda: self._with_words(question, languages, dense, generation), self._sparse_lane
        )

    def _embedding(
        self, work: Callable[[Embedder], Made], deadline: Deadline, generation: Generation | None
    ) -> Made:
        """What ``work`` makes with the embedder, which is loaded first, in one of its places. It is who waits
        that has the place, so that work that is left behind keeps nobody else from it."""
        placed = self._embedder.loaded or deadline.run(self._embedder, self._dense_lane)
        if generation is not None:
            _check(placed.embedder, generation)
        with placed.place(deadline):
            try:
                return deadline.run(lambda: work(placed.embedder), self._dense_lane)
            except BudgetSpent as error:
                raise TimeUp from error  # it is done without, as where it is late

    def _with_words(
        self, question: str, languages: Sequence[str], dense: Vectors, generation: Generation
    ) -> Question:
        sparse = self.sparse()
        _same("sparse", sparse.name, generation.models)
        return Question(
            text=question,
            dense=dense,
            sparse=sparse.encode_question(question, languages),
            terms=sparse.terms(question, languages),
            languages=tuple(languages),
            idf=sparse.idf,
        )


class _Once(Generic[Model]):
    """A model, loaded when it is first called for. One that loads slowly holds up no other."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self.loaded: Model | None = None

    def __call__(self) -> Model:
        with self._lock:
            if self.loaded is None:
                self.loaded = self._load()
            return self.loaded


class _Placed:
    """An embedder, with as many places as may use it at once."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._places = threading.Semaphore(max(1, embedder.concurrency))

    @contextmanager
    def place(self, deadline: Deadline) -> Iterator[None]:
        """A place, waited for until the deadline. Raises TimeUp."""
        if not self._places.acquire(timeout=deadline.left):
            raise TimeUp
        try:
            yield
        finally:
            self._places.release()


def _no_reranker() -> Reranker:
    raise ConfigurationError("no reranker is configured; set rerank.model, or do not ask for it")


_REMEDY = "set [embed] to the model of the index, or embed it anew: treegraph build --reembed"


def _check(embedder: Embedder, generation: Generation) -> None:
    _same("embedder", embedder.name, generation.models)
    if embedder.dimension != generation.dimension:
        raise IndexIncompatible(
            f"the index holds vectors of {generation.dimension} dimensions, "
            f"{embedder.name} makes {embedder.dimension}; {_REMEDY}"
        )


def _same(role: str, ours: str, models: Mapping[str, str]) -> None:
    theirs = models.get(role)
    if theirs is not None and theirs != ours:
        raise IndexIncompatible(f"the index was made with {theirs}, but {role} is {ours}; {_REMEDY}")
