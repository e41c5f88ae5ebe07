"""Copies of index folders.

The engine lays its files out in blocks of 32 MB that are mostly holes. ``shutil.copytree`` writes those
holes out as zeros: an index of 5 MB becomes 430 MB on the disk, and a few dozen copies fill it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_BLOCK = 1 << 16


def copy_folder(source: Path, target: Path) -> Path:
    """Copy ``source`` to the new folder ``target``, keeping the holes of its files; returns ``target``."""
    return shutil.copytree(source, target, copy_function=_copy_with_holes)


def _copy_with_holes(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    with open(source, "rb") as read, open(target, "wb") as write:
        while block := read.read(_BLOCK):
            if block.count(0) == len(block):
                write.seek(len(block), os.SEEK_CUR)
            else:
                write.write(block)
        write.truncate()
    shutil.copystat(source, target)
