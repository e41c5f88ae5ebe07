"""Every byte of a folder's files searched for a string, holes of sparse files left out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path


def found_in(folder: Path, text: str) -> list[str]:
    """The files that hold ``text`` in UTF-8, UTF-16 or as JSON escapes it, and those named after it."""
    forms = {text.encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be")}
    forms.add(json.dumps(text)[1:-1].encode())
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if text in path.name or (path.is_file() and any(form in _data(path) for form in forms))
    )


def _data(path: Path) -> bytes:
    return b"".join(_extents(path))


def _extents(path: Path) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as file:
        at, end = 0, os.fstat(file.fileno()).st_size
        while at < end:
            try:
                begin = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                return
            at = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            yield os.pread(file.fileno(), at - begin, begin)
