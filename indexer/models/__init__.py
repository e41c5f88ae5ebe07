"""The models by their names in the settings. What a model needs is imported only when it is loaded."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, ModelUnavailable
from .ports import Embedder, LanguageModel, Reranker, SparseEncoder, VisionModel
from .settings import EmbedSettings, LLMSettings, RerankSettings, VisionSettings


def load_embedder(settings: EmbedSettings) -> Embedder:
    """The encoder of dense vectors. Raises ConfigurationError for a name that none has, and
    ModelUnavailable."""
    kind, _, rest = settings.model.partition(":")
    match kind, bool(rest):
        case "minilm", False:
            from .minilm import load_minilm

            return load_minilm(settings.threads)
        case "multilingual", False:
            from .multilingual import MultilingualEmbedder

            return MultilingualEmbedder()
        case "bge-m3", _:
            from .flag import BGE_M3, BgeM3Embedder, open_bge_m3

            return BgeM3Embedder(open_bge_m3(rest or BGE_M3))
        case "onnx", True:
            return _onnx_embedder(Path(rest), settings)
        case "llama", True:
            from .llama_embedder import LlamaEmbedder

            embedder = LlamaEmbedder(_instance_of(rest), settings.threads)
            if not settings.window:
                return embedder
            from .windows import WindowedEmbedder

            return WindowedEmbedder(embedder, settings.window)
    raise ConfigurationError(
        f"[embed] model = {settings.model!r} is not known; it can be minilm, multilingual, bge-m3, "
        "bge-m3:PATH, onnx:PATH or llama:module.Class"
    )


def load_sparse(settings: EmbedSettings) -> SparseEncoder:
    """The encoder of sparse vectors. Raises ConfigurationError and ModelUnavailable."""
    if settings.sparse == "words":
        from ..words import WordEncoder

        return WordEncoder()
    kind, _, rest = settings.sparse.partition(":")
    if kind == "bge-m3":
        from .flag import BGE_M3, BgeM3Sparse, open_bge_m3

        dense, _, path = settings.model.partition(":")
        return BgeM3Sparse(open_bge_m3(rest or (path if dense == "bge-m3" else "") or BGE_M3))
    raise ConfigurationError(
        f"[embed] sparse = {settings.sparse!r} is not known; it can be words, bge-m3 or bge-m3:PATH"
    )


def load_reranker(settings: RerankSettings) -> Reranker | None:
    """The cross-encoder, None where none is configured. Raises ConfigurationError and
    ModelUnavailable."""
    if not settings.model:
        return None
    from .rerankers import FlagReranker, LlamaReranker, OnnxReranker

    kind, _, rest = settings.model.partition(":")
    match kind, bool(rest):
        case "onnx", True:
            return OnnxReranker(Path(rest))
        case "flag", True:
            return FlagReranker(rest)
        case "llama", True:
            return LlamaReranker(_instance_of(rest))
    raise ConfigurationError(
        f"[rerank] model = {settings.model!r} is not known; it can be onnx:PATH, flag:NAME or "
        "llama:module.Class"
    )


def load_llm(settings: LLMSettings) -> LanguageModel | None:
    """The language model, None where none is configured. Raises ModelUnavailable."""
    if not settings.model:
        return None
    from .language import connect_llm

    return connect_llm(settings)


def load_vision(settings: VisionSettings) -> VisionModel | None:
    """The model that sees, None where none is configured. Raises ModelUnavailable."""
    if not settings.model:
        return None
    from .vision import connect_vision

    return connect_vision(settings)


def as_embedder(model: Any) -> Embedder:
    """An Embedder as it is, a LlamaIndex embedding through its adapter. Raises ConfigurationError."""
    if isinstance(model, Embedder):
        return model
    if hasattr(model, "get_text_embedding_batch"):
        from .llama_embedder import LlamaEmbedder

        return LlamaEmbedder(model)
    raise ConfigurationError(f"{type(model).__name__} is neither an Embedder nor a LlamaIndex embedding")


def as_reranker(model: Any) -> Reranker:
    """A Reranker as it is, a LlamaIndex node postprocessor through its adapter. Raises
    ConfigurationError."""
    if isinstance(model, Reranker):
        return model
    if hasattr(model, "postprocess_nodes"):
        from .rerankers import LlamaReranker

        return LlamaReranker(model)
    raise ConfigurationError(f"{type(model).__name__} is neither a Reranker nor a LlamaIndex postprocessor")


def as_llm(model: Any, settings: LLMSettings | None = None) -> LanguageModel:
    """A LanguageModel as it is, a LlamaIndex ``LLM`` through its adapter, with the prices and limits of
    ``settings``. Raises ConfigurationError."""
    if hasattr(model, "metadata") and hasattr(model, "complete"):
        from .language import adapt_llm

        return adapt_llm(model, settings)
    if isinstance(model, LanguageModel):
        return model
    raise ConfigurationError(f"{type(model).__name__} is neither a LanguageModel nor a LlamaIndex LLM")


def as_vision(model: Any, settings: VisionSettings | None = None) -> VisionModel:
    """A VisionModel as it is, a LlamaIndex ``LLM`` that takes images through its adapter, with the prices and
    limits of ``settings``. Raises ConfigurationError."""
    if hasattr(model, "metadata") and hasattr(model, "chat"):
        from .vision import adapt_vision

        return adapt_vision(model, settings)
    if isinstance(model, VisionModel):
        return model
    raise ConfigurationError(f"{type(model).__name__} is neither a VisionModel nor a LlamaIndex LLM")


def _onnx_embedder(path: Path, settings: EmbedSettings) -> Embedder:
    from .onnx_embedder import OnnxEmbedder
    from .onnx_folder import open_folder
    from .onnx_session import OnnxTransformer

    folder = open_folder(path)
    recipe = folder.recipe(settings.question_prefix, settings.passage_prefix)
    prefix = f"/{recipe.passage_prefix!r}" if recipe.passage_prefix else ""
    name = f"onnx:{folder.name}/{recipe.pooling}-{recipe.window}{prefix}"
    return OnnxEmbedder(name, OnnxTransformer(folder.graph, folder.tokenizer), recipe, settings.threads)


def _instance_of(path: str) -> Any:
    """An object of a class named as ``module.Class``, made without arguments."""
    module, _, name = path.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ModelUnavailable(f"{path} cannot be imported: {error}") from error
    try:
        return kind()
    except Exception as error:  # whatever a constructor of someone else's raises
        from .retries import describe

        raise ModelUnavailable(f"{path}() failed: {describe(error)}") from error
