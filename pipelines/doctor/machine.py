"""The machine: memory and what may be had of it, the clock, the folders for caches and temporary files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psutil

from ...indexer.errors import TreegraphError
from ...indexer.models.model_files import cache_folder
from ...indexer.stores.manifest import read_manifest
from .finding import Finding, doubtful, failing, fine
from .looking import Look

GIB = 2**30
_LITTLE_MEMORY = 2 * GIB
"""A build with OCR peaks at some 1.5 GB."""
_LITTLE_ROOM = GIB
_OLDEST = datetime(2025, 1, 1, tzinfo=UTC)
_SKEW = timedelta(minutes=1)
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_USED = (Path("/sys/fs/cgroup/memory.current"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"))


def machine(index: Path) -> Iterator[Look]:
    """Looks at the machine; ``index`` is what its clock is compared with."""
    yield Look("memory", _memory)
    yield Look("clock", partial(_clock, index))
    yield Look("cache folder", lambda: _folder(cache_folder(), "models made once", "TREEGRAPH_CACHE"))
    yield Look("temporary folder", lambda: _folder(Path(tempfile.gettempdir()), "files in work", "TMPDIR"))


def _memory() -> Finding:
    present = psutil.virtual_memory()
    limit, used = _first_number(_LIMITS), _first_number(_USED)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = present.available
    found = f"{present.total / GIB:.1f} GiB, {cores} cores"
    if limit is not None and limit < present.total:
        free = min(free, limit - (used or 0))
        found = f"{limit / GIB:.1f} GiB by the limit of its control group, {cores} cores"
    found += f"; {max(free, 0) / GIB:.1f} GiB free"
    if free < _LITTLE_MEMORY:
        return doubtful(
            found,
            "a build with OCR takes up to 1.5 GB: give it more, or lower [load] max_memory and [ocr] threads",
        )
    return fine(found)


def _first_number(paths: tuple[Path, ...]) -> int | None:
    """The number in the first of these files that holds one."""
    for path in paths:
        try:
            text = path.read_text().strip()
        except OSError:
            continue
        if text.isdecimal():
            return int(text)
    return None


def _clock(index: Path) -> Finding:
    now = datetime.now(UTC)
    found = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    do = "set the clock; ages of failures and leases, and which file changed, go by it"
    if now < _OLDEST:
        return doubtful(f"{found}, which is before treegraph was written", do)
    try:
        manifest = read_manifest(index)
    except TreegraphError:
        return fine(found)
    for number, generation in manifest.generations.items():
        built = datetime.fromisoformat(generation.built)
        built = built if built.tzinfo else built.astimezone()
        if built > now + _SKEW:
            return doubtful(f"{found}; generation {number} was built later, {generation.built}", do)
    return fine(found)


def _folder(folder: Path, purpose: str, variable: str) -> Finding:
    """Whether files can be made in a folder, and how much room it has."""
    do = f"make it writable, or name another in {variable}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return failing(f"{folder} cannot be written: {error.strerror}", do)
    found = f"{folder} ({purpose}), {free / GIB:.1f} GiB free"
    if free < _LITTLE_ROOM:
        return doubtful(found, f"free some room, or name another in {variable}")
    return fine(found)
