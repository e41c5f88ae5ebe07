"""What the embedded engine and the file system raise, as errors that say what to do about each cause."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..error_lines import first_line
from ..errors import IndexLocked, StoreError, TreegraphError
from .room import is_full, no_room

_LOCKED = "WouldBlock"
_NUMBER = re.compile(r"(?:os error |Os \{ code: )(\d+)")
_NO_ROOM = ("no space left", "disk quota", "not enough space")
_REMEDIES = {
    errno.EMFILE: "too many files are open: raise the limit (ulimit -n), or hold fewer indexes open at once",
    errno.ENFILE: "too many files are open on this machine: end some programs and run again",
    errno.ENOMEM: "memory is short: end some programs and run again",
    errno.EIO: "the device failed: check it before you run again",
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "check who may read and write there"),
}


@contextmanager
def engine_errors(doing: str, folder: Path, writes: Path | None = None) -> Iterator[None]:
    """Turn what the engine and the file system raise into IndexLocked, StoreFull or StoreError.

    ``folder`` is what is being worked on, ``writes`` the folder written to where that is another one.
    """
    try:
        yield
    except TreegraphError:
        raise
    except OSError as error:
        raise _translated(doing, folder, writes, error, error.errno) from error
    except (TypeError, ValueError) as error:
        cause = first_line(error)
        message = f"cannot {doing} in {folder}: the store keeps JSON values under UUID keys: {cause}"
        raise StoreError(message) from error
    except Exception as error:
        # The engine raises bare Exception for everything of its own, so nothing narrower catches it.
        if type(error) is not Exception:
            raise
        number = _NUMBER.search(str(error))
        raise _translated(doing, folder, writes, error, int(number[1]) if number else None) from error


def _translated(
    doing: str, folder: Path, writes: Path | None, error: Exception, number: int | None
) -> TreegraphError:
    text = str(error)
    if _LOCKED in text:
        return IndexLocked(f"cannot {doing}: another process writes in {folder}; wait for it to end")
    if is_full(number) or any(word in text.lower() for word in _NO_ROOM):
        room = "free some disk space" if writes is None else "free some disk space or set TMPDIR"
        return no_room(writes or folder, folder, f"{doing} in", room)
    remedy = _REMEDIES.get(number or 0) or (
        f"run again; if it persists, delete {folder} and build again"
        if folder.name.startswith("work-")
        else "run again; if it persists, the files are damaged: restore the index from a copy,"
        " or build it anew in another folder"
    )
    return StoreError(f"cannot {doing} in {folder}: {text}; {remedy}")
