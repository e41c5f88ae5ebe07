"""What the pipeline asks of a model. Adapters live beside this file; nothing else imports their packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..pages import PageImage, PageReading

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights of one text: ``indices`` ascending and unique (uint32 range), ``values`` beside them."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens. ``name`` is stamped into the index: another tokenizer cuts other chunks."""

    name: str

    def count(self, text: str) -> int:
        """Number of tokens in ``text``, special tokens not counted."""
        ...

    def ends(self, text: str) -> Sequence[int]:
        """For each token, the character offset at which it ends; ascending."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors. ``name`` (model, revision, quantisation) is stamped into the index.

    ``concurrency`` threads may call :meth:`embed` at once. A vector depends on its own text alone,
    never on its batch, so that a resumed build equals an undisturbed one.
    """

    name: str
    dimension: int
    concurrency: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape ``(len(texts), dimension)``. Raises ModelCallError."""
        ...

    def embed_question(self, question: str) -> Vectors:
        """Unit vector of a question, shape ``(dimension,)``."""
        ...


@runtime_checkable
class SparseEncoder(Protocol):
    """Texts to term weights. ``idf`` says whether the store multiplies them by IDF at query time."""

    name: str
    idf: bool

    def encode(self, texts: Sequence[str], languages: Sequence[str | None]) -> list[SparseVector]:
        """Term weights of passages, in order."""
        ...

    def encode_question(self, question: str, languages: Sequence[str]) -> SparseVector:
        """Term weights of a question, over the languages that the index holds."""
        ...

    def terms(self, question: str, languages: Sequence[str]) -> dict[int, str]:
        """Which word stands behind each index of the question's vector, for explanations."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores passages against a question together: higher is better, any scale."""

    name: str

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """One score a passage, in order. Raises ModelCallError."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered, and what it counted.

    ``estimated`` says that the provider reported no counts and these are our own, ``cut`` that the answer
    ended where its room did.
    """

    text: str
    tokens_in: int
    tokens_out: int
    cached_in: int = 0
    estimated: bool = False
    cut: bool = False


@runtime_checkable
class LanguageModel(Protocol):
    """A language model. ``name`` is part of the call cache's key; prices are money per million tokens."""

    name: str
    window: int
    price_in: float
    price_out: float
    concurrency: int

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Answer one prompt. Retries and rate limits are inside. Raises ModelCallError."""
        ...


@runtime_checkable
class StreamingModel(LanguageModel, Protocol):
    """A language model that hands its answer over while it writes it."""

    def stream(self, prompt: str, max_tokens: int, take: Callable[[str], None]) -> Completion:
        """Answer one prompt, each piece going to ``take`` as it comes. Raises ModelCallError, also when the
        answer breaks off; what came until then is no answer."""
        ...


@runtime_checkable
class VisionModel(LanguageModel, Protocol):
    """A language model that also sees. :func:`.usage.image_tokens` says about what a picture takes of its
    window."""

    def look(self, prompt: str, image: bytes, max_tokens: int) -> Completion:
        """Answer a prompt about one picture, a PNG file's bytes. Raises as :meth:`complete` does."""
        ...


@dataclass(slots=True)
class ReadingWork:
    """What reading pages took: ``calls`` that were answered, tokens, money, and by reason what was wrong. Of
    ``estimated`` calls the provider gave no counts."""

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    estimated: int = 0


@runtime_checkable
class PageReader(Protocol):
    """Reads pages from their pictures. ``name`` (engine, models, versions) is part of the cache's key;
    ``concurrency`` threads may read at once."""

    name: str
    concurrency: int

    @property
    def work(self) -> ReadingWork | None:
        """What all its reading took so far, None where no model is asked for it."""
        ...

    def read(self, image: PageImage) -> PageReading:
        """What stands on the page. Raises ModelCallError, and nothing else."""
        ...
