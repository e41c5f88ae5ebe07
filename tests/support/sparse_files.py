"""What a file with holes holds. In memory a hole that was read is one no more, so zeros count as holes."""

from __future__ import annotations

import os
from collections.abc import Iterator

_BLOCK = 1 << 16
_ZEROS = bytes(_BLOCK)


def written(handle: int) -> Iterator[tuple[int, bytes]]:
    """The blocks of an open file that hold more than zeros, each with where it begins."""
    at, size = 0, os.fstat(handle).st_size
    while at < size:
        try:
            at = os.lseek(handle, at, os.SEEK_DATA)
        except OSError:  # nothing but a hole to the end
            return
        end = os.lseek(handle, at, os.SEEK_HOLE)
        while at < end and (block := os.pread(handle, min(_BLOCK, end - at), at)):
            if block != _ZEROS[: len(block)]:
                yield at, block
            at += len(block)
