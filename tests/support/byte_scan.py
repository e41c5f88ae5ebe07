"""Every byte of a folder's files searched for a string, holes of sparse files left out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from sparse_files import written


def found_in(folder: Path, text: str) -> list[str]:
    """The files that hold ``text`` in UTF-8, UTF-16 or as JSON escapes it, and those named after it."""
    forms = {text.encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be")}
    forms.add(json.dumps(text)[1:-1].encode())
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if text in path.name or (path.is_file() and _holds(path, forms))
    )


def _holds(path: Path, forms: Iterable[bytes]) -> bool:
    with path.open("rb", buffering=0) as file:
        data = b"".join(block for _, block in written(file.fileno()))
    return any(form in data for form in forms)
