"""LlamaIndex, asked for where it is needed: the package is an extra, and importing it takes seconds."""

from __future__ import annotations

from importlib.util import find_spec

from ...indexer.errors import ModelUnavailable


def require_llama_index() -> None:
    """Raises ModelUnavailable, with what to install, where LlamaIndex is missing."""
    if find_spec("llama_index") is None or find_spec("llama_index.core") is None:
        raise ModelUnavailable("LlamaIndex is not installed: pip install 'treegraph[llama]'")
