"""How much memory a control group allows: containers and systemd's MemoryMax set it, unseen by free(1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_OWN = Path("/proc/self/cgroup")
_ROOT = Path("/sys/fs/cgroup")


class MemoryLimit(NamedTuple):
    """The most bytes that may be had, and how many are in use and cannot be taken back."""

    most: int
    used: int


def memory_limit(own: Path = _OWN, root: Path = _ROOT) -> MemoryLimit | None:
    """The limit that leaves least, of the process's group and those above it; None where none is set.

    ``own`` says which group that is, ``root`` is where groups are shown: of version 2, else of version 1
    (kernel documentation, admin-guide/cgroup-v2 "Memory" and cgroup-v1/memory).
    """
    limits = [limit for folder in _groups(own, root) if (limit := _limit_of(folder)) is not None]
    return min(limits, key=lambda limit: limit.most - limit.used, default=None)


def _groups(own: Path, root: Path) -> Iterator[Path]:
    """The folders of the process's groups, from its own up to the root's."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        top = root / "memory" if "memory" in controllers.split(",") else root
        if controllers and top == root:
            continue
        # In a container the name may be the host's: then what is shown at the top is the container's own.
        folder = top / name.strip("/")
        while folder != top:
            yield folder
            folder = folder.parent
        yield top


def _limit_of(folder: Path) -> MemoryLimit | None:
    for most, used in (
        ("memory.max", "memory.current"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        limit = _number(folder / most)
        if limit is not None and limit < 1 << 60:  # version 1 writes a huge number for none
            return MemoryLimit(limit, max(0, (_number(folder / used) or 0) - _cached(folder)))
    return None


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _cached(folder: Path) -> int:
    """Bytes of files that were read and not used lately: the kernel takes them back first."""
    try:
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 0
    return int(stat.get("inactive_file", 0))
