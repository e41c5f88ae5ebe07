"""What build a plan is asked for."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...indexer.digests import digest
from ...indexer.sources import Root
from ..config import Config
from ..editing import Edit
from ..events import Listener
from ..removal import RemovalLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBuild:
    """The arguments of :func:`..build.build_index`, but for the models."""

    path: Path
    roots: Sequence[Root]
    config: Config
    limit: RemovalLimit
    max_cost: float | None
    index_id: str | None
    edit: Edit | None
    without: Collection[str]
    reembed: bool
    listen: Listener
    cancel: threading.Event

    @property
    def scope(self) -> str:
        """See :func:`mirror_scope`."""
        return mirror_scope(self.roots)


def mirror_scope(roots: Sequence[Root]) -> str:
    """What a build that mirrors ``roots`` is: one that was cut short is gone on with by the same."""
    return digest(["mirror", sorted(root.name for root in roots)])
