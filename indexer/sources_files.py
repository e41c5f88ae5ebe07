"""A file as a walk saw it, and the digest of its bytes that notices a change since then."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from .errors import FileChanged, LoadError, UnreadableFile

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the walk saw it.

    ``root`` is its root's name, ``source`` its path from that name on. ``sidecar`` describes it.
    ``companion`` is the ``documents.jsonl`` beside a JSONL file: part of its content.
    """

    root: str
    source: str
    path: Path
    size: int
    mtime_ns: int
    inode: int
    sidecar: Path | None = None
    companion: SourceFile | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """What the roots hold.

    ``files`` are sorted by source. ``problems`` are (source, error) of what should have been read and
    could not. ``ignored`` counts, by reason, what was left out on purpose. ``unreadable`` are the
    beginnings of sources about which nothing is known now: what an index holds below them is not gone.
    """

    files: list[SourceFile] = field(default_factory=list)
    problems: list[tuple[str, LoadError]] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def read_stable(path: Path, expected: SourceFile) -> str:
    """The sha256 of a file's bytes, and of its companion's after them.

    Call it before and after a file is parsed: equal digests mean that what was parsed is what was
    hashed. Raises FileChanged where the file is not, or does not stay, what the walk saw;
    UnreadableFile where it cannot be read.
    """
    digest = hashlib.sha256()
    _feed(digest, path, expected)
    if expected.companion is not None:
        _feed(digest, expected.companion.path, expected.companion)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, path: Path, expected: SourceFile) -> None:
    try:
        with path.open("rb") as file:
            _compare(os.fstat(file.fileno()), expected)
            while block := file.read(_BLOCK):
                digest.update(block)
            _compare(os.fstat(file.fileno()), expected)
        _compare(path.stat(), expected)
    except FileNotFoundError as error:
        raise FileChanged("was removed or renamed while it was read; build again") from error
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from error


def _compare(status: os.stat_result, expected: SourceFile) -> None:
    now = (status.st_size, status.st_mtime_ns, status.st_ino)
    if now != (expected.size, expected.mtime_ns, expected.inode):
        raise FileChanged("changed while it was read; build again once it is at rest")
