"""Folders of the embedded vectors: copies that keep holes, views for readers, durable renames."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from ..errors import StoreError, StoreFull

SEGMENTS, CONFIG, LOG = "segments", "edge_config.json", "wal"
_VIEW = "treegraph-view-"
_OWNER = "owner"
_GRACE = 60.0
RESERVE = 32 << 20
"""Bytes kept free: the engine maps its files, and a write to a mapped page that has no room on the
device kills the process (SIGBUS) where it should raise."""
_VIEW_RESERVE = 1 << 20
"""The same for a view, in whose log a reader writes a few pages."""


def require_room(folder: Path, needed: int, reserve: int = RESERVE, remedy: str = "make room") -> None:
    """Raise StoreFull unless ``needed`` bytes and a reserve are free where ``folder`` lies."""
    free = shutil.disk_usage(folder).free
    if free < needed + reserve:
        asked = (needed + reserve) >> 20
        raise StoreFull(f"{folder} needs {asked} MB and {free >> 20} MB are free: {remedy} and run again")


def allocated(folder: Path) -> int:
    """Bytes that what is in a folder really takes on the device, holes of files not counted; what goes while
    it is counted takes none."""
    total = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def copy_shard(source: Path, target: Path) -> None:
    """Copy a closed shard, with the holes of its files.

    Not linked: the engine writes into its files in place. And with the log, though it has nothing to
    replay: it numbers the operations, and the engine passes over, silently, an operation whose number
    is not above that of the row it changes.
    """
    target.mkdir()
    shutil.copyfile(source / CONFIG, target / CONFIG)
    for part in (SEGMENTS, LOG):
        _copy_tree(source / part, target / part)


def _copy_tree(source: Path, target: Path) -> None:
    """Copy files and folders without their permissions: the copy of what is read-only is writable."""
    target.mkdir()
    for entry in os.scandir(source):
        if entry.is_dir():
            _copy_tree(Path(entry.path), target / entry.name)
        else:
            _copy_with_holes(entry.path, target / entry.name)


def _copy_with_holes(source: str, target: Path) -> None:
    with open(source, "rb") as reader, open(target, "wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size)
        at = 0
        while at < size:
            try:
                at = os.lseek(reader.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole to the end
                break
            end = os.lseek(reader.fileno(), at, os.SEEK_HOLE)
            while at < end:
                data = os.pread(reader.fileno(), min(end - at, 1 << 20), at)
                at += os.pwrite(writer.fileno(), data, at)


def sync_tree(folder: Path) -> None:
    """Bring every file and folder below to the device."""
    for root, _, files in os.walk(folder):
        for path in [root, *(os.path.join(root, name) for name in files)]:
            sync(path)


def sync(path: str | Path) -> None:
    """Bring one file or folder to the device."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class View:
    """A published shard, opened beside others: a temporary folder with a log of its own.

    The engine locks the log of what it opens and writes there; so each reader has one, together with
    a link to the segments, which it only reads. It maps them for writing all the same, so where they
    may not be written (another owner, read-only media) the view holds a copy of them. A view is locked
    while its process lives; views that nobody locks any more are removed by the next one made.
    """

    def __init__(self, shard: Path) -> None:
        _sweep()
        temporary, segments = temporary_folder(), (shard / SEGMENTS).resolve()
        linked = _all_writable(segments)
        needed = 0 if linked else allocated(segments)
        require_room(temporary, needed, _VIEW_RESERVE, remedy="make room or set TMPDIR")
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_VIEW}{os.getpid()}-", dir=temporary))
        owner = os.open(self.folder / _OWNER, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(owner, fcntl.LOCK_EX)
        self.close = weakref.finalize(self, _drop, self.folder, owner)
        try:
            if linked:
                os.symlink(segments, self.folder / SEGMENTS)
            else:
                _copy_tree(segments, self.folder / SEGMENTS)
            shutil.copyfile(shard / CONFIG, self.folder / CONFIG)
        except BaseException:
            self.close()
            raise


def temporary_folder() -> Path:
    """Where views lie. Raises StoreError where no temporary folder can be written."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        raise StoreError(f"a reader needs a temporary folder ({error}); set TMPDIR to one") from error


def _all_writable(folder: Path) -> bool:
    """Whether this process may write every file below, as opening it asks."""
    every = (path for path in folder.rglob("*") if path.is_file())
    return all(os.access(path, os.W_OK, effective_ids=True) for path in every)


def _drop(folder: Path, owner: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(owner)


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_VIEW}*"):
        try:
            if folder.stat().st_uid != os.getuid() or time.time() - folder.stat().st_mtime < _GRACE:
                continue
            owner = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:  # gone meanwhile: another process swept it
            continue
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(owner)
        else:
            _drop(folder, owner)
