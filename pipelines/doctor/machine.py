"""The machine: memory and what may be had of it, the clock, the folders for caches and temporary files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psutil

from ...indexer.errors import WorkError
from ...indexer.models.model_files import cache_folder
from .finding import Finding, doubtful, failing, fine
from .index_folder import manifest_of
from .looking import Look
from .memory_limit import memory_limit

GIB = 2**30
_LITTLE_MEMORY = 2 * GIB
"""A build with OCR peaks at some 1.5 GB."""
_LITTLE_ROOM = GIB
_OLDEST = datetime(2025, 1, 1, tzinfo=UTC)
_SKEW = timedelta(minutes=1)


def machine(index: Path) -> Iterator[Look]:
    """Looks at the machine; ``index`` is what its clock is compared with."""
    yield Look("memory", _memory)
    yield Look("clock", partial(_clock, index))
    yield Look(
        "cache folder", lambda: _folder(cache_folder(), "models made once", "TREEGRAPH_CACHE", doubtful)
    )
    yield Look("temporary folder", lambda: _folder(_temporary(), "files in work", "TMPDIR", failing))


def _memory() -> Finding:
    present, limit = psutil.virtual_memory(), memory_limit()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free, most = present.available, f"{present.total / GIB:.1f} GiB"
    if limit is not None and limit.most < present.total:
        free = min(free, limit.most - limit.used)
        most = f"{limit.most / GIB:.1f} GiB by the limit of a control group"
    found = f"{most}, {max(free, 0) / GIB:.1f} GiB free, {cores} cores"
    if free < _LITTLE_MEMORY:
        return doubtful(
            found,
            "a build with OCR takes up to 1.5 GB: give it more, or lower [load] max_memory and [ocr] threads",
        )
    return fine(found)


def _clock(index: Path) -> Finding:
    now = datetime.now(UTC)
    found = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    do = "set the clock; ages of failures and leases, and which file changed, go by it"
    if now < _OLDEST:
        return doubtful(f"{found}, which is before treegraph was written", do)
    manifest = manifest_of(index)
    for number, generation in manifest.generations.items() if manifest else ():
        built = datetime.fromisoformat(generation.built)
        built = built if built.tzinfo else built.astimezone()
        if built > now + _SKEW:
            return doubtful(f"{found}; generation {number} was built later, {generation.built}", do)
    return fine(found)


def _temporary() -> Path:
    """Where temporary files go. Raises WorkError where there is no such place."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        raise WorkError(f"{error.strerror}; name a folder that can be written in TMPDIR") from error


def _folder(folder: Path, purpose: str, variable: str, closed: Callable[[str, str], Finding]) -> Finding:
    """Whether files can be made in a folder, and how much room it has; ``closed`` is what it is to mean that
    they cannot."""
    do = f"make it writable, or name another in {variable}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return closed(f"{folder} ({purpose}) cannot be written: {error.strerror}", do)
    found = f"{folder} ({purpose}), {free / GIB:.1f} GiB free"
    if free < _LITTLE_ROOM:
        return doubtful(found, f"free some room, or name another in {variable}")
    return fine(found)
