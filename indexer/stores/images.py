"""Pictures of documents, kept as PNG files in the index's folder by the sha256 of their bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Container
from pathlib import Path

from ..errors import StoreError
from .room import is_full, no_room

IMAGES = "images"
"""The folder within an index's own."""
_NAME = re.compile(r"(?P<digest>[0-9a-f]{64})\.png|\.new-.*")


class ImageFolder:
    """The pictures in ``path``, which is made when the first is kept. Which documents they belong to is said
    by the pages in the ledger, generation by generation."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __bool__(self) -> bool:
        """Whether any were ever kept."""
        return self.path.is_dir()

    def file(self, digest: str) -> Path:
        """Where the picture of this digest is kept."""
        return self.path / f"{digest}.png"

    def put(self, png: bytes) -> str:
        """Keep a picture, if it is not there yet, and return its digest. Raises StoreError, StoreFull."""
        digest = hashlib.sha256(png).hexdigest()
        if self.file(digest).exists():
            return digest
        try:
            self.path.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path, prefix=".new-")
            with os.fdopen(handle, "wb") as stream:
                stream.write(png)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(self.file(digest))
        except OSError as error:
            if is_full(error.errno):
                raise no_room(self.path, self.path.parent) from error
            raise StoreError(f"cannot write {self.path}: {error.strerror}") from error
        return digest

    def forget(self, kept: Container[str]) -> int:
        """Drop the pictures whose digests are not ``kept``, and return how many those were."""
        dropped = 0
        for path in self.path.iterdir() if self else ():
            name = _NAME.fullmatch(path.name)
            if name is not None and name["digest"] not in kept:
                path.unlink(missing_ok=True)
                dropped += name["digest"] is not None
        return dropped
