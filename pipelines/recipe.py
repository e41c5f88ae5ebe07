"""The recipe of a file: a digest of every setting that decides what its bytes become."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..indexer.loaders.settings import LOADER_VERSION
from ..indexer.stores.ledger import canonical_json
from .config import Config

PIPELINE_VERSION = 1
"""Raised when the same settings make other rows than before."""
_LIMITS = ("max_pages", "max_bytes", "max_seconds", "max_memory", "max_characters", "passwords")


def digest(value: Any) -> str:
    """The sha256 of a JSON value."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def shared_recipe(config: Config) -> dict[str, Any]:
    """The part of the recipe that all files of a build share.

    Limits are not in it: a file that stayed within the old ones reads the same under the new.
    """
    load = {key: value for key, value in asdict(config.load).items() if key not in _LIMITS}
    recipe: dict[str, Any] = {
        "pipeline": PIPELINE_VERSION,
        "loader": LOADER_VERSION,
        "load": load,
        "chunk": asdict(config.chunk),
        "context": asdict(config.context),
        "access": config.access.unlabelled,
        "embed": asdict(config.embed) if config.chunk.by == "semantic" else None,
    }
    if config.context.by == "model":
        recipe["llm"] = config.llm.model
    return recipe


def file_recipe(shared: Mapping[str, Any], metadata: Any) -> str:
    """The recipe of one file: what all share, and what rules and sidecar say of it."""
    return digest({"shared": shared, "metadata": metadata})
