"""Encoders that compute on the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...indexer.errors import ModelCallError, WorkError
from ...indexer.models.ports import SparseEncoder, SparseVector, Vectors
from ..stage_clock import StageClock, current_stage
from .job import EmbedderFace, EncodersFace
from .ray_session import RaySession, WorkerDied
from .ray_tasks import embed_texts, encode_texts


class RayEmbedder:
    """An Embedder of which every worker has its own; what it takes there is charged to ``clock``."""

    def __init__(self, session: RaySession, face: EmbedderFace, clock: StageClock) -> None:
        self.name = face.name
        self.dimension = face.dimension
        self.concurrency = session.workers
        self._session = session
        self._clock = clock

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder. A text that costs its workers' lives is a ModelCallError."""
        vectors: Vectors
        try:
            vectors, took = self._session.call(embed_texts, list(texts))
        except WorkerDied as error:
            raise ModelCallError(f"{self.name} ended its worker, time and again: {error}") from error
        # The tree's writer has threads of its own embed, which are in no stage.
        self._clock.charge(current_stage() or "tree embed", took)
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """See Embedder."""
        vector: Vectors = self.embed([question])[0]
        return vector


class RaySparseEncoder:
    """A SparseEncoder of which every worker has its own; ``load`` loads this process's, for questions."""

    def __init__(
        self, session: RaySession, face: EncodersFace, load: Callable[[], SparseEncoder], clock: StageClock
    ) -> None:
        self.name = face.sparse
        self.idf = face.idf
        self._session = session
        self._load = load
        self._clock = clock

    def encode(self, texts: Sequence[str], languages: Sequence[str | None]) -> list[SparseVector]:
        """See SparseEncoder."""
        vectors: list[SparseVector]
        try:
            vectors, took = self._session.call(encode_texts, list(texts), list(languages))
        except WorkerDied as error:
            raise WorkError(f"{self.name} ended its worker, time and again: {error}") from error
        self._clock.charge(current_stage() or "sparse", took)
        return vectors

    def encode_question(self, question: str, languages: Sequence[str]) -> SparseVector:
        """See SparseEncoder."""
        return self._load().encode_question(question, languages)

    def terms(self, question: str, languages: Sequence[str]) -> dict[int, str]:
        """See SparseEncoder."""
        return self._load().terms(question, languages)
