"""Spans that end where neighbouring sentences part, by the cosine of their embeddings.

The measure is TextTiling's (Hearst, 1997) with embeddings in the place of word counts: the windows on
both sides of every gap are compared, and the gaps that part the most are the cheapest to cut at.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .chunking_breaks import Break, document_breaks, thinned, with_finer
from .chunking_ruler import Ruler, Span
from .chunking_structure import segment
from .models.ports import Embedder
from .stretches import stretches
from .types import Content

WINDOW = 3
"""Pieces on each side of a gap that are compared."""

PIECES = 8
"""About so many pieces are embedded for each chunk's worth of text: sentences, joined where short."""

_BATCH = 256


def semantic_spans(content: Content, ruler: Ruler, size: int, embedder: Embedder) -> list[Span]:
    """Spans of at most ``size`` tokens that tile the text. Raises ModelCallError from the embedder."""
    whole = (0, len(content.text))
    breaks = document_breaks(content, ruler, size, whole)
    places = thinned([Break(0, 0.0), *breaks, Break(whole[1], 0.0)], ruler, size // PIECES)
    places = with_finer(places, ruler, size)
    texts = [content.text[a.offset : b.offset] for a, b in itertools.pairwise(places)]
    apart = _distances(texts, embedder)
    priced = [_priced(*pair) for pair in zip(places[1:-1], _ranks(apart), strict=True)]
    return segment(priced, ruler, whole, size)


def _priced(place: Break, rank: float) -> Break:
    """A place at the price of its rank: from 1 where the text goes on to -1 where it parts the most.
    The end of a section or a page keeps its own where that is lower."""
    return Break(place.offset, min(1.0 - 2.0 * rank, place.cost if place.cost < 0 else 1.0))


def _distances(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """1 - cosine between the mean vectors of the windows before and after each gap."""
    if len(texts) < 2:
        return np.zeros(0, dtype=np.float32)
    parts = [embedder.embed(some) for some in stretches(texts, _BATCH)]
    sums = np.concatenate([np.zeros((1, parts[0].shape[1])), np.cumsum(np.concatenate(parts), axis=0)])
    gaps = np.arange(1, len(texts))
    before = sums[gaps] - sums[np.maximum(gaps - WINDOW, 0)]
    after = sums[np.minimum(gaps + WINDOW, len(texts))] - sums[gaps]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = np.einsum("ij,ij->i", before, after) / np.maximum(norms, 1e-12)
    apart: NDArray[np.float32] = (1.0 - cosines).astype(np.float32)
    return apart


def _ranks(values: NDArray[np.float32]) -> list[float]:
    """Each value's rank among all, in 0..1."""
    order = np.empty(len(values), dtype=np.int64)
    order[np.argsort(values, kind="stable")] = np.arange(len(values))
    return [float(rank) / max(1, len(values) - 1) for rank in order]
