"""What is said when a device is full: how much is free there, and how much a build needs."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import StoreFull
from .edge_folders import RESERVE


def no_room(path: Path, folder: Path, doing: str = "write", remedy: str = "free some") -> StoreFull:
    """The error of a write to ``path`` that found no room; ``folder`` is what is being built.

    What a build needs is estimated: as much again as the folder takes, of which it makes a new state beside
    the old one, and what the vector store keeps free.
    """
    free = 0
    with suppress(OSError):
        free = shutil.disk_usage(path if path.exists() else path.parent).free
    needed = _allocated(folder) + RESERVE
    return StoreFull(
        f"no room left to {doing} {path}: {free >> 20:,} MB are free and a build needs about "
        f"{needed >> 20:,} MB; {remedy} and run the same command again, it goes on from here"
    )


def _allocated(folder: Path) -> int:
    """Bytes that a folder takes on its device, as far as they can be counted now."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total
