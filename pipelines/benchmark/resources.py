"""What a piece of work takes: wall and processor time, memory, room on disk."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ...indexer.errors import WorkError
from ..memory import PeakMemory, tree_pss
from ..stage_clock import process_time

SAMPLED = 0.1
"""Seconds between two samples of the memory."""
_POINTS = 200
_MARK = ".treegraph-benchmark"


class Meter:
    """Measures what runs inside: ``wall`` and ``cpu`` seconds, and bytes of memory.

    ``cpu`` counts this process and its children that ended meanwhile, but not the sampling of the memory.
    ``peak`` is the most memory of the whole process tree, as proportional set size, ``before`` that at the
    start, and ``memory`` its course: at most 200 samples of (seconds, bytes).
    """

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self.peak = self.before = 0
        self.memory: tuple[tuple[float, int], ...] = ()
        self._memory = PeakMemory(SAMPLED)
        self._began = (0.0, 0.0)

    def __enter__(self) -> Self:
        self.before = tree_pss()
        self._memory.__enter__()
        self._began = (time.monotonic(), process_time())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        wall, cpu = self._began
        self.wall, self.cpu = time.monotonic() - wall, process_time() - cpu
        self._memory.__exit__(kind, error, trace)
        # What the sampling took is measured apart, so for little work the rest may come out below nothing.
        self.cpu = max(self.cpu - self._memory.cpu, 0.0)
        self.peak = self._memory.peak
        samples = self._memory.samples
        self.memory = tuple(samples[:: -(-len(samples) // _POINTS) or 1])


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Bytes that an index takes on the device, holes in files not counted. ``whole`` is all of it."""

    vectors: int
    ledger: int
    whole: int


def disk_use(index: Path) -> DiskUse:
    """What the index in that folder takes."""
    ledger = sum(_allocated(path) for path in index.glob("ledger.db*"))
    vectors = sum(_allocated(path) for path in (index / "vectors").rglob("*"))
    return DiskUse(vectors, ledger, sum(_allocated(path) for path in index.rglob("*")))


def own_folder(work: Path, name: str, anew: bool) -> Path:
    """The folder ``name`` in ``work``, made where it is missing, emptied first if ``anew``.

    Raises WorkError rather than touch a folder that no benchmark made.
    """
    folder = work / name
    try:
        if folder.exists() and not (folder / _MARK).exists() and any(folder.iterdir()):
            raise WorkError(f"{folder} is not a benchmark's; name another folder to work in")
        if anew:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARK).touch()
    except OSError as error:
        raise WorkError(f"cannot work in {folder}: {error.strerror}") from error
    return folder


def _allocated(path: Path) -> int:
    return path.lstat().st_blocks * 512
