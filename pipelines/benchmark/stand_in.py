"""A cheap encoder in the place of a real one, for corpora that would take too long to embed.

A text's vector is what its words predict (ridge regression of real vectors on words, fitted to a sample),
plus what words alone do not tell: a mixture of two residuals of the sample, those of the words that come
first under two hashes. Texts that share most of their words share their residuals, so that near texts stay
near, and the whole cloud has the mean, the directions and the spread of the real one. It is deterministic.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, log, sin
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...indexer.errors import ConfigurationError
from ...indexer.models.ports import Embedder, Vectors
from ...indexer.stretches import stretches

_WORD = re.compile(r"\w+")
_RARE = 2
"""Texts of the sample that must hold a word for it to count."""
_COMMON = 0.02
"""The share of the sample's texts from which on a word says nothing of which text it is."""
_FEWEST = 100
_PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)
_TENTH = 10


@dataclass(frozen=True, slots=True)
class Geometry:
    """How the vectors of some texts lie: median cosine to the nearest and the tenth neighbour, and the
    median local dimension (the maximum-likelihood estimate of Levina and Bickel 2004, over ten)."""

    nearest: float
    tenth: float
    dimension: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """The geometry of ``texts`` that the stand-in was not fitted to, as the model and as it sees them.
    ``cosine`` is the median between the two vectors of a text."""

    texts: int
    model: Geometry
    stand_in: Geometry
    cosine: float

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """The result of ``asdict``, read back from JSON."""
        model, stand_in = Geometry(**found["model"]), Geometry(**found["stand_in"])
        return cls(**{**found, "model": model, "stand_in": stand_in})


class StandIn:
    """Speaks the Embedder port in the place of the one that made ``vectors`` of ``texts``."""

    def __init__(self, texts: Sequence[str], vectors: Vectors, of: str) -> None:
        self.name = f"stand-in for {of}"
        self.dimension = int(vectors.shape[1])
        self.concurrency = 2
        counts = Counter(word for text in texts for word in set(_split(text)))
        self._words = _vocabulary(counts, len(texts))
        self._common = {word for word, count in counts.items() if count > _COMMON * len(texts)}
        features = np.stack([self._features(text) for text in texts])
        self._mean = vectors.mean(axis=0)
        self._effects, self._residuals = _ridge(features, vectors - self._mean)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape ``(len(texts), dimension)``."""
        return np.stack([self._vector(text) for text in texts])

    def embed_question(self, question: str) -> Vectors:
        """The unit vector of a question, shape ``(dimension,)``."""
        return self._vector(question)

    def _features(self, text: str) -> NDArray[np.float32]:
        row = np.zeros(len(self._words), dtype=np.float32)
        places, weights = self._weighted(text)
        row[places] = weights
        return row

    def _weighted(self, text: str) -> tuple[list[int], NDArray[np.float32]]:
        """The places of a text's words, and their weights, of length 1 together."""
        known = [self._words[word] for word in sorted(set(_split(text))) if word in self._words]
        weights = np.array([weight for _, weight in known], dtype=np.float32)
        length = float(np.linalg.norm(weights)) or 1.0
        return [place for place, _ in known], weights / np.float32(length)

    def _vector(self, text: str) -> Vectors:
        places, weights = self._weighted(text)
        vector = self._mean + weights @ self._effects[places] + self._rest(text)
        length = float(np.linalg.norm(vector)) or 1.0
        unit: Vectors = (vector / length).astype(np.float32)
        return unit

    def _rest(self, text: str) -> NDArray[np.float32]:
        """What the words do not predict: two of the sample's residuals, of the spread of one."""
        words = set(_split(text)) - self._common or {text}
        first, second = (min(_hash(word, salt) for word in words) for salt in (b"1", b"2"))
        angle = (first ^ second) % 1024 / 1024 * np.pi / 2
        size = len(self._residuals)
        mixed: NDArray[np.float32] = self._residuals[first % size] * np.float32(cos(angle)) + self._residuals[
            second % size
        ] * np.float32(sin(angle))
        return mixed


def fit_stand_in(texts: Sequence[str], embedder: Embedder, batch: int = 16) -> tuple[StandIn, Likeness]:
    """A stand-in fitted to three quarters of ``texts``, and how like the model it is on the rest.

    Raises ConfigurationError for fewer than 100 texts.
    """
    if len(texts) < _FEWEST:
        raise ConfigurationError(
            f"a stand-in is fitted to {_FEWEST} chunks or more, and the smallest corpus holds {len(texts)}: "
            "ask for larger sizes, or let the model embed them (embed_at_most)"
        )
    vectors = np.concatenate([embedder.embed(part) for part in stretches(texts, batch)])
    held_out = np.arange(len(texts)) % 4 == 3
    known = [text for text, out in zip(texts, held_out, strict=True) if not out]
    stand_in = StandIn(known, vectors[~held_out], embedder.name)
    others = [text for text, out in zip(texts, held_out, strict=True) if out]
    made, real = stand_in.embed(others), vectors[held_out]
    cosine = float(np.median((made * real).sum(axis=1)))
    return stand_in, Likeness(len(others), geometry(real), geometry(made), cosine)


def geometry(vectors: Vectors) -> Geometry:
    """How unit vectors (more than ten) lie to one another."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    near = np.sort(cosines, axis=1)[:, ::-1][:, :_TENTH]
    distances = np.sqrt(np.maximum(2 - 2 * near.astype(np.float64), 1e-6))
    logs = np.log(distances[:, -1:] / distances[:, :-1]).mean(axis=1)
    dimension = float(np.median(1 / np.maximum(logs, 1e-6)))
    return Geometry(float(np.median(near[:, 0])), float(np.median(near[:, -1])), dimension)


def _vocabulary(counts: Mapping[str, int], texts: int) -> dict[str, tuple[int, float]]:
    """Each word's place and weight, its IDF."""
    words = sorted(word for word, count in counts.items() if count >= _RARE)
    return {word: (place, log(1 + texts / counts[word])) for place, word in enumerate(words)}


def _ridge(
    features: NDArray[np.float32], targets: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The effect of each word, and the residual of each text when it is left out of the fit.

    Solved over texts, not words; of the penalties the one with the least error on texts left out, which
    comes from the hat matrix.
    """
    values, vectors = np.linalg.eigh((features @ features.T).astype(np.float64))
    rotated = vectors.T @ targets
    best: tuple[float, NDArray[np.float64], NDArray[np.float64]] | None = None
    for penalty in _PENALTIES:
        shrunk = 1 / (np.maximum(values, 0) + penalty)
        dual = vectors @ (shrunk[:, None] * rotated)
        kept = penalty * ((vectors**2) @ shrunk)  # 1 - the diagonal of the hat matrix
        left_out = penalty * dual / kept[:, None]
        error = float((left_out**2).mean())
        if best is None or error < best[0]:
            best = (error, dual, left_out)
    assert best is not None
    return (features.T @ best[1]).astype(np.float32), best[2].astype(np.float32)


def _split(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _hash(word: str, salt: bytes) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8, salt=salt).digest()
    return int.from_bytes(digest, "big")
