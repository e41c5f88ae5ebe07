"""Who writes and who reads, across processes that die without a word."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from treegraph.indexer.errors import IndexLocked, WorkError
from treegraph.indexer.stores.locks import leased_generations, take_lease, writer_lock
from unprivileged import open_to_all, read_only

WRITER = """
import sys
from pathlib import Path
from treegraph.indexer.stores.locks import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.readline()
"""
READER = """
import sys
from pathlib import Path
from treegraph.indexer.stores.locks import take_lease
lease = take_lease(Path(sys.argv[1]), 4)
print("ready", flush=True)
sys.stdin.readline()
lease.release()
"""


@contextmanager
def running(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child
    finally:
        child.kill()
        child.communicate()


def test_a_second_writer_is_told_who_holds_the_place(tmp_path: Path) -> None:
    with running(WRITER, tmp_path) as child:
        with (
            pytest.raises(IndexLocked, match=rf"process {child.pid} on {socket.gethostname()}"),
            writer_lock(tmp_path),
        ):
            pass
        child.communicate("done\n")
    with writer_lock(tmp_path):
        pass


def test_the_place_is_free_when_its_holder_was_killed(tmp_path: Path) -> None:
    with running(WRITER, tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
    with (
        writer_lock(tmp_path),
        pytest.raises(IndexLocked, match=f"process {os.getpid()} "),
        writer_lock(tmp_path),
    ):
        pass


def test_the_place_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(tmp_path):
        _ = 1 / 0
    with writer_lock(tmp_path):
        pass


def test_a_lock_file_without_a_readable_note_still_locks(tmp_path: Path) -> None:
    with writer_lock(tmp_path):
        (tmp_path / "writer.lock").write_text("gibberish")
        with pytest.raises(IndexLocked, match="another process"), writer_lock(tmp_path):
            pass


def test_a_writer_without_permission_is_told_so() -> None:
    with (
        open_to_all() as folder,
        read_only(folder),
        pytest.raises(WorkError, match="permissions"),
        writer_lock(folder),
    ):
        pass


def test_living_leases_are_named_and_released_ones_are_gone(tmp_path: Path) -> None:
    own = take_lease(tmp_path, 3)
    with running(READER, tmp_path) as child:
        assert leased_generations(tmp_path) == {3: [os.getpid()], 4: [child.pid]}
        own.release()
        own.release()
        assert leased_generations(tmp_path) == {4: [child.pid]}
        child.communicate("done\n")
    assert leased_generations(tmp_path) == {}
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_killed_readers_lease_is_swept(tmp_path: Path) -> None:
    with running(READER, tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert len(list((tmp_path / "leases").iterdir())) == 1
    assert leased_generations(tmp_path) == {}
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_folder_without_readers_has_no_leases(tmp_path: Path) -> None:
    assert leased_generations(tmp_path) == {}


def test_a_reader_without_permission_gets_a_lease_that_nobody_sees() -> None:
    with open_to_all() as folder:
        with read_only(folder):
            lease = take_lease(folder, 7)
            assert lease.generation == 7
            assert leased_generations(folder) == {}
            lease.release()
        assert list(folder.iterdir()) == []


def test_leases_of_other_users_are_seen_too() -> None:
    with open_to_all() as folder:
        lease = take_lease(folder, 5)
        with read_only(folder):
            assert leased_generations(folder) == {5: [os.getpid()]}
        lease.release()
