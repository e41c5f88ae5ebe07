"""What is known about a document besides its text: rules, sidecars, record keys, and filters over them."""

from __future__ import annotations

from .metadata_filter import DocumentFilter, parse_filter
from .metadata_globs import source_matches
from .metadata_rules import HIDDEN, MetadataRule, describe, read_sidecar

__all__ = [
    "HIDDEN",
    "DocumentFilter",
    "MetadataRule",
    "describe",
    "parse_filter",
    "read_sidecar",
    "source_matches",
]
