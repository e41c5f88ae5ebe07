"""What reading one source came to: its content, or the error that names why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import LoadError
from ..types import Content


@dataclass(frozen=True, slots=True)
class Loaded:
    """One document as it was read, before its metadata is settled.

    ``source`` is what citations show (a record's is ``file.jsonl#_id``), ``version`` the sha256 of the
    bytes that the document comes from. ``metadata`` holds a record's own keys, as they stand there.
    Exactly one of ``content`` and ``error`` is set.
    """

    source: str
    version: str
    content: Content | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    error: LoadError | None = None
