"""File names as text that can be shown, stored and turned back into the name."""

from __future__ import annotations

import os
import re
from pathlib import Path

_UNSAFE = re.compile(
    # Controls, line and paragraph separators, marks that reorder what follows them on a screen, and
    # the surrogates that Python puts for bytes that are not UTF-8.
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    # A percent sign that would otherwise read as an escape.
    "|%(?=[0-9A-Fa-f]{2})"
)
_ESCAPE = re.compile("%([0-9A-F]{2})")


def escape_name(name: str) -> str:
    """A file name or relative path as valid, printable UTF-8 text.

    Undecodable bytes, control characters and characters that reorder a line are written ``%XX``, one
    for each byte. Different names stay different, and :func:`unescape_name` gives the name back.
    """
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in os.fsencode(match[0])), name)


def unescape_name(text: str) -> str:
    """The file name that :func:`escape_name` was given, undecodable bytes as the os module spells them."""
    parts = _ESCAPE.split(text)
    pieces = [bytes([int(part, 16)]) if index % 2 else os.fsencode(part) for index, part in enumerate(parts)]
    return os.fsdecode(b"".join(pieces))


def absolute(path: str | Path, cwd: Path) -> Path:
    """``path`` from ``cwd`` on, without ``.`` and ``..``; symbolic links are left as they are."""
    return Path(os.path.abspath(cwd / Path(path).expanduser()))
