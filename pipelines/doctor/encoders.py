"""The models that run here: each loaded, and asked one small thing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .finding import Finding, absent, doubtful, failing, fine
from .index_folder import manifest_of
from .looking import Look

if TYPE_CHECKING:
    from ..config import Config
    from ..loading_models import Models

_TEXT = "The relay is mounted on the rear panel."


def encoders(config: Config, models: Models, index: Path) -> Iterator[Look]:
    """Looks at the embedder (against the ``index``), the sparse encoder, the tokenizer, reranker and OCR."""
    yield Look("embedder", partial(_embedder, models, index))
    yield Look("sparse encoder", partial(_sparse, models, index))
    yield Look("tokenizer", partial(_tokenizer, config))
    yield Look("reranker", partial(_reranker, config, models))
    yield Look("OCR", partial(_ocr, models))


def _embedder(models: Models, index: Path) -> Finding:
    embedder = models.embedder()
    shape = embedder.embed([_TEXT]).shape
    if shape != (1, embedder.dimension):
        return failing(f"{embedder.name} makes vectors of {shape}, not {embedder.dimension}", "use another")
    found = f"{embedder.name}, {embedder.dimension} dimensions"
    _agree(index, {"embedder": embedder.name}, embedder.dimension)
    return fine(found)


def _sparse(models: Models, index: Path) -> Finding:
    sparse = models.sparse()
    (vector,) = sparse.encode([_TEXT], ["en"])
    _agree(index, {"sparse": sparse.name}, None)
    return fine(f"{sparse.name}, {len(vector.indices)} terms of a sentence")


def _agree(index: Path, names: dict[str, str], dimension: int | None) -> None:
    """Raises IndexIncompatible where the index was made with another model."""
    from ..opening import check_models

    manifest = manifest_of(index)
    entry = manifest.generations.get(manifest.published or 0) if manifest else None
    if manifest is not None and entry is not None:
        check_models(manifest, names, entry.dimension if dimension is None else dimension)


def _tokenizer(config: Config) -> Finding:
    from ...indexer.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(config.chunk.tokenizer)
    return fine(f"{tokenizer.name}, {tokenizer.count(_TEXT)} tokens of a sentence")


def _reranker(config: Config, models: Models) -> Finding:
    if not models.reranks:
        return absent("none", "set [rerank] model to have the first hits put in a better order")
    reranker = models.reranker()
    near, far = reranker.score("Where is the relay?", [_TEXT, "Bananas are yellow."])
    if near > far:
        return fine(f"{reranker.name} tells what answers a question")
    return doubtful(f"{reranker.name} takes something else for an answer", "check that it is a reranker")


def _ocr(models: Models) -> Finding:
    from .specimen import NUMBER, picture

    if not models.ocr_asked:
        return absent("not installed: scans and images stay unread", "pip install 'treegraph[ocr]'")
    reader = models.ocr()
    assert reader is not None
    reading = reader.read(picture())
    said = " ".join(line.text for line in reading.lines)
    if NUMBER in said:
        return fine(f"reads a small picture, sure to {reading.confidence or 0:.2f}")
    return doubtful("misread a small picture", "check [ocr] languages and models")
