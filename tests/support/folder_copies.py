"""Copies of index folders.

The engine lays its files out in blocks of 32 MB that are mostly holes. ``shutil.copytree`` writes those
holes out as zeros: an index of 5 MB becomes 430 MB on the disk, and a few dozen copies fill it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from sparse_files import written


def copy_folder(source: Path, target: Path) -> Path:
    """Copy ``source`` to the new folder ``target``, keeping the holes of its files; returns ``target``."""
    return shutil.copytree(source, target, copy_function=_copy_with_holes)


def _copy_with_holes(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    with open(source, "rb", buffering=0) as read, open(target, "wb", buffering=0) as write:
        write.truncate(os.fstat(read.fileno()).st_size)
        for at, block in written(read.fileno()):
            os.pwrite(write.fileno(), block, at)
    shutil.copystat(source, target)
