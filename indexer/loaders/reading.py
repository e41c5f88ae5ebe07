"""A file's bytes within the limits."""

from __future__ import annotations

from pathlib import Path

from ..errors import EmptyFile, LimitExceeded, UnreadableFile
from .settings import LoadSettings


def read_bytes(path: Path, settings: LoadSettings) -> bytes:
    """All bytes of a file.

    Raises EmptyFile for none, LimitExceeded for more than ``settings.max_bytes``, UnreadableFile where
    the operating system refuses.
    """
    try:
        with path.open("rb") as file:
            data = file.read(settings.max_bytes + 1)
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from error
    if not data:
        raise EmptyFile("has no bytes")
    if len(data) > settings.max_bytes:
        raise LimitExceeded(f"is larger than max_bytes = {settings.max_bytes}; raise it in [load]")
    return data
