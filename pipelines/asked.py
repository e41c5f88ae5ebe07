"""What a build is asked for."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError
from ..indexer.sources import Root
from .config import Config
from .defaults import STRUCTURES
from .editing import Edit
from .events import Listener
from .opening import holds
from .owed import TREE
from .removal import RemovalLimit
from .spending import Caps


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBuild:
    """The arguments of :func:`.build.build_index`, but for the models."""

    path: Path
    roots: Sequence[Root]
    config: Config
    limit: RemovalLimit
    caps: Caps
    index_id: str | None
    edit: Edit | None
    without: Collection[str]
    reembed: bool
    listen: Listener
    cancel: threading.Event

    @property
    def scope(self) -> str:
        """What a build that mirrors these roots is: one that was cut short is gone on with by the same."""
        return digest(["mirror", sorted(root.name for root in self.roots)])

    def check(self) -> None:
        """Raises ConfigurationError where it asks for what cannot be."""
        unknown = sorted(set(self.without) - set(STRUCTURES))
        if unknown:
            raise ConfigurationError(f"--without knows {', '.join(STRUCTURES)}; not {', '.join(unknown)}")
        if self.reembed and TREE in self.without and holds(self.path, TREE):
            raise ConfigurationError(
                "--reembed embeds the tree's summaries as well: leave --without tree out"
            )
        if not self.roots:
            raise ConfigurationError("name at least one source: treegraph build SOURCE...")
