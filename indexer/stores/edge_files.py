"""Which files a published generation of embedded vectors consists of: written down by its seal.

The engine makes a file that is not there anew, and empty, without a word: so they are looked for before it
opens any.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import StoreInconsistent
from .edge_folders import SEGMENTS

NOTE = "generation.json"
_NAMED = 3


def note_generation(folder: Path, base: int | None, sealed: bool = False) -> None:
    """Note on what generation the one in ``folder`` stands, and, where it is ``sealed``, its files."""
    note: dict[str, Any] = {"base": base}
    if sealed:
        note["files"] = {
            path.relative_to(folder).as_posix(): path.stat().st_size
            for path in sorted((folder / SEGMENTS).rglob("*"))
            if path.is_file()
        }
    written = folder / f"{NOTE}.new"
    written.write_text(json.dumps(note), encoding="utf-8")
    written.replace(folder / NOTE)  # one that is cut short would be in the way of every later build


def base_of(folder: Path) -> int | None:
    """The generation that the one in ``folder`` stands on."""
    base: int | None = json.loads((folder / NOTE).read_text(encoding="utf-8"))["base"]
    return base


def require_files(folder: Path) -> None:
    """Raises StoreInconsistent where not all files of a sealed generation are there whole. One that an older
    version sealed does not say which they are. Raises OSError where they cannot be looked at."""
    try:
        files = json.loads((folder / NOTE).read_text(encoding="utf-8")).get("files", {})
    except (FileNotFoundError, ValueError, AttributeError):
        raise StoreInconsistent(_lost(folder, [NOTE])) from None
    if lost := [name for name, size in files.items() if _size(folder / name) < size]:
        raise StoreInconsistent(_lost(folder, lost))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


def _lost(folder: Path, names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return (
        f"{', '.join(names[:_NAMED])}{more} of the vectors in {folder} were lost, or cut short; treegraph"
        " verify --repair makes them again from the source files, or restore the index from a copy"
    )
