"""Edits that end the process they run in: what a document can do to the worker that reads it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from treegraph.indexer.types import Content


@dataclass(frozen=True, slots=True)
class FatalEdit:
    """Leaves documents as they are, but ends the process for that of a ``source``."""

    source: str
    name: str = "fatal"

    def __call__(self, source: str, content: Content) -> Content:
        """See Edit."""
        if source == self.source:
            os._exit(9)
        return content
