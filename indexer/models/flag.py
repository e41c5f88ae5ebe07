"""BGE-M3 through FlagEmbedding: dense vectors and learned term weights from one pass, 100 languages.

Chen et al., "BGE M3-Embedding: Multi-Lingual, Multi-Functionality, Multi-Granularity Text Embeddings
Through Self-Knowledge Distillation" (arXiv 2402.03216).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelCallError, ModelUnavailable
from .ports import SparseVector, Vectors
from .retries import describe

BGE_M3 = "BAAI/bge-m3"
_REVISION = "5617a9f61b028005a4858fdac845db406aefb181"
_WINDOW = 1024
_REMEMBERED = 512


class BgeM3:
    """The model itself. One text a pass: in a padded batch a vector would depend on its mates.

    The last few hundred texts are remembered, so that a batch that is embedded dense and then sparse
    goes through the model once.
    """

    def __init__(self, model: str = BGE_M3) -> None:
        """``model`` is a folder, or the hub's name of BGE-M3. Raises ModelUnavailable."""
        folder = Path(model)
        self.name = f"bge-m3:{folder.resolve().name}" if folder.is_dir() else f"{BGE_M3}@{_REVISION[:8]}"
        self._model = _load("BGEM3FlagModel", model)
        self._lock = threading.Lock()
        self._passes = lru_cache(maxsize=_REMEMBERED)(self._pass)

    def encode(self, text: str) -> tuple[Vectors, SparseVector]:
        """Unit vector and term weights of one text, of which 1,024 tokens are read."""
        with self._lock:  # the package moves the model between devices in every call
            return self._passes(text)

    def term(self, index: int) -> str:
        """The token behind an index of the term weights."""
        return str(self._model.tokenizer.decode([index]))

    def _pass(self, text: str) -> tuple[Vectors, SparseVector]:
        try:
            # A batch size above the number of texts is what keeps the progress bars away.
            found = self._model.encode(
                [text],
                batch_size=2,
                max_length=_WINDOW,
                return_dense=True,
                return_sparse=True,
                return_colbert_vecs=False,
            )
        except Exception as error:  # the package's own errors share no base below this
            raise ModelCallError(f"{self.name} failed on a text: {describe(error)}") from error
        vector = np.asarray(found["dense_vecs"][0], dtype=np.float32)
        vector.flags.writeable = False
        weights = sorted((int(index), float(w)) for index, w in found["lexical_weights"][0].items())
        return vector, SparseVector(tuple(i for i, _ in weights), tuple(w for _, w in weights))


class BgeM3Embedder:
    """An Embedder over BGE-M3's dense vectors."""

    concurrency = 1

    def __init__(self, model: BgeM3) -> None:
        self.name = f"{model.name}/dense-{_WINDOW}"
        self._model = model
        self.dimension = len(model.encode("dimension")[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape ``(len(texts), dimension)``. Raises ModelCallError."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._model.encode(text)[0]
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """Unit vector of a question, shape ``(dimension,)``."""
        return self._model.encode(question)[0]


class BgeM3Sparse:
    """A SparseEncoder over BGE-M3's learned weights; an index is the id of a token of its vocabulary."""

    idf = False

    def __init__(self, model: BgeM3) -> None:
        self.name = f"{model.name}/sparse-{_WINDOW}"
        self._model = model

    def encode(self, texts: Sequence[str], languages: Sequence[str | None]) -> list[SparseVector]:
        """Term weights of passages, in order; the languages make no difference here."""
        return [self._model.encode(text)[1] for text in texts]

    def encode_question(self, question: str, languages: Sequence[str]) -> SparseVector:
        """Term weights of a question."""
        return self._model.encode(question)[1]

    def terms(self, question: str, languages: Sequence[str]) -> dict[int, str]:
        """Which token stands behind each index of the question's vector."""
        return {index: self._model.term(index) for index in self._model.encode(question)[1].indices}


@lru_cache(maxsize=1)
def open_bge_m3(model: str = BGE_M3) -> BgeM3:
    """The model, loaded once for its dense and its sparse side. Raises ModelUnavailable."""
    return BgeM3(model)


def open_flag_reranker(model: str) -> Any:
    """A FlagReranker of the package, from a folder or by its name on the hub. Raises ModelUnavailable."""
    return _load("FlagReranker", model)


def _load(kind: str, model: str) -> Any:
    package = _package()
    path = _fetched() if model == BGE_M3 else model
    try:
        import torch  # type: ignore[import-untyped, import-not-found, unused-ignore]

        graphics = torch.cuda.is_available()
        # One device: over several the package would start processes of its own.
        devices = ["cuda:0" if graphics else "cpu"]
        return getattr(package, kind)(path, use_fp16=graphics, devices=devices)
    except Exception as error:  # the package's own errors share no base below this
        raise ModelUnavailable(f"{model} cannot be loaded by FlagEmbedding: {describe(error)}") from error


def _package() -> Any:
    try:
        import FlagEmbedding  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        raise ModelUnavailable(
            f"FlagEmbedding cannot be imported ({error}): pip install 'treegraph[flag]'"
        ) from error
    return FlagEmbedding


def _fetched() -> str:
    """The folder of BGE-M3 at the pinned revision, from the hub or its cache."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    unneeded = ["onnx/*", "imgs/*", "*.jpg"]
    try:
        return str(snapshot_download(BGE_M3, revision=_REVISION, ignore_patterns=unneeded))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ModelUnavailable(
            f"{BGE_M3} cannot be fetched ({type(error).__name__}); give a folder: bge-m3:PATH"
        ) from error
