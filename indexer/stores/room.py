"""When a device is full, and what is said then: how much is free there, and how much a build needs."""

from __future__ import annotations

import errno
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import StoreFull
from .edge_folders import RESERVE, allocated


def is_full(number: int | None) -> bool:
    """Whether an error of this number is that there is no room, on the device or for this user."""
    return number in (errno.ENOSPC, errno.EDQUOT)


def no_room(path: Path, folder: Path, doing: str = "write", remedy: str = "free some") -> StoreFull:
    """The error of a write to ``path`` that found no room; ``folder`` is what is being built.

    What a build needs is estimated: as much again as the folder takes, of which it makes a new state beside
    the old one, and what the vector store keeps free.
    """
    free = 0
    with suppress(OSError):
        free = shutil.disk_usage(path if path.exists() else path.parent).free
    needed = allocated(folder) + RESERVE
    return StoreFull(
        f"no room left to {doing} {path}: {free >> 20:,} MB are free and a build needs about "
        f"{needed >> 20:,} MB; {remedy} and run the same command again, it goes on from here"
    )
