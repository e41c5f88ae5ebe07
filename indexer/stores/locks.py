"""Who writes and who reads: the writer's lock and the readers' leases.

Both are advisory locks that the kernel lets go of when their process dies, however it dies, so that
nothing has to guess from a process id whether its owner still lives.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import IndexLocked, WorkError

LOCK_NAME = "writer.lock"
LEASES = "leases"


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Hold the index's only writer's place. Raises IndexLocked, which says who holds it."""
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise WorkError(f"cannot write in {folder}: {error.strerror}; check its permissions") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexLocked(f"{folder} is being written by {_holder(descriptor)}; wait for it") from error
        note = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
        os.ftruncate(descriptor, 0)
        with suppress(OSError):  # on a full device: who is refused then hears of "another process"
            os.pwrite(descriptor, json.dumps(note).encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def writer(folder: Path) -> str | None:
    """Who writes to the index now, None for nobody. Raises WorkError where that cannot be told.

    The lock is tried only where a writer has left its note, so that this is in no writer's way.
    """
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkError(
            f"cannot read {folder / LOCK_NAME}: {error.strerror}; check its permissions"
        ) from error
    try:
        if not os.pread(descriptor, 1, 0):
            return None
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 4096, 0))
        since = datetime.fromtimestamp(note["since"]).strftime("%Y-%m-%d %H:%M:%S")
        return f"process {note['pid']} on {note['host']} since {since}"
    except (ValueError, KeyError, TypeError, OverflowError):
        return "another process"


class Lease:
    """A reader's claim on one generation: as long as it is held, gc keeps what it needs."""

    def __init__(self, generation: int, descriptor: int | None, path: Path | None) -> None:
        self.generation = generation
        self._descriptor = descriptor
        self._path = path

    def release(self) -> None:
        """Give the claim back. Safe to call twice."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None and self._path is not None:
            self._path.unlink(missing_ok=True)
            os.close(descriptor)


def take_lease(folder: Path, generation: int) -> Lease:
    """Claim ``generation``. Where the folder cannot be written, a claim that nobody else can see."""
    while True:
        path = folder / LEASES / f"{generation}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        try:
            path.parent.mkdir(exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError:
            return Lease(generation, None, None)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if path.exists():  # a sweep may have come between the two calls above
            return Lease(generation, descriptor, path)
        os.close(descriptor)


def leased_generations(folder: Path) -> dict[int, list[int]]:
    """Generations that living readers hold, each with their process ids. Dead claims are swept."""
    held: dict[int, list[int]] = {}
    for claim in _claims(folder):
        if claim.alive:
            held.setdefault(claim.generation, []).append(claim.pid)
        else:
            claim.path.unlink(missing_ok=True)
    return held


def claims(folder: Path) -> tuple[dict[int, list[int]], int]:
    """What :func:`leased_generations` gives, and how many dead claims there are: none is swept."""
    held: dict[int, list[int]] = {}
    dead = 0
    for claim in _claims(folder):
        dead += not claim.alive
        if claim.alive:
            held.setdefault(claim.generation, []).append(claim.pid)
    return held, dead


class _Claim(NamedTuple):
    path: Path
    generation: int
    pid: int
    alive: bool


def _claims(folder: Path) -> Iterator[_Claim]:
    """All claims; a dead one is locked while it is looked at."""
    for path in sorted((folder / LEASES).glob("*-*-*")):
        generation, pid, _ = path.name.split("-")
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            yield _Claim(path, int(generation), int(pid), not _locked(descriptor))
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Whether it is locked now: nobody else has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
