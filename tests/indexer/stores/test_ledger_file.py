"""The ledger's file when it is damaged, closed to its reader, or out of room, and its transactions."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from treegraph.indexer.errors import StoreError, StoreFull
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_rows import ChunkRow, document_row
from treegraph.indexer.stores.manifest import Generation
from treegraph.indexer.stores.ports import Filter, Row
from treegraph.indexer.types import Document
from unprivileged import open_to_all, read_only

KEY = "0f8fad5b-d9cb-469f-a165-70867728950e"


def chunk(key: str) -> ChunkRow:
    return ChunkRow(key, key, "d", "x" * 500, "e")


def made(folder: Path, *keys: str) -> None:
    ledger = Ledger(folder, create=True)
    ledger.add_chunks([chunk(key) for key in keys], 1)
    ledger.close()


def held(folder: Path) -> set[str]:
    """The keys that a reader of the folder finds."""
    ledger = Ledger(folder)
    try:
        return ledger.live_keys(1)
    finally:
        ledger.close()


# --- damage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"no database at all" * 99, b""], ids=["gibberish", "empty"])
def test_a_damaged_file_is_named_when_it_is_opened(tmp_path: Path, content: bytes) -> None:
    made(tmp_path, "k")
    (tmp_path / "ledger.db").write_bytes(content)
    with pytest.raises(StoreError, match=r"ledger\.db is damaged .* restore the index from a copy"):
        Ledger(tmp_path)


def test_damage_further_inside_is_named_when_it_is_read(tmp_path: Path) -> None:
    made(tmp_path, *(f"k{i}" for i in range(2000)))
    path = tmp_path / "ledger.db"
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = os.urandom(len(content) - len(content) // 2)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        held(tmp_path)


def test_making_a_ledger_over_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"no database at all" * 99)
    with pytest.raises(StoreError, match="is damaged"):
        Ledger(tmp_path, create=True)


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is missing"):
        Ledger(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_ledger_is_not_called_damaged(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, create=True)
    ledger.close()
    with pytest.raises(StoreError, match="closed") as caught:
        ledger.live_keys(1)
    assert "damaged" not in str(caught.value)


# --- readers without permission ----------------------------------------------------------------------


def test_a_read_only_folder_can_be_read_and_not_written() -> None:
    with open_to_all() as folder:
        made(folder, "k1", "k2")
        with read_only(folder):
            ledger = Ledger(folder)
            assert ledger.live_keys(1) == {"k1", "k2"}
            with pytest.raises(StoreError, match="check its permissions"):
                ledger.add_chunks([chunk("k3")], 2)
            assert ledger.live_keys(2) == {"k1", "k2"}
            ledger.close()
        assert [path.name for path in folder.iterdir()] == ["ledger.db"]


def test_a_reader_without_permission_follows_a_writer_with_it() -> None:
    with open_to_all() as folder:
        made(folder, "k1")
        with read_only(folder):
            reader = Ledger(folder)
            assert reader.live_keys(9) == {"k1"}
        writer = Ledger(folder)
        writer.add_chunks([chunk("k2")], 2)
        with read_only(folder):
            assert reader.live_keys(9) == {"k1", "k2"}, "what stands in the log"
        writer.add_chunks([chunk("k3")], 3)
        writer.close()
        with read_only(folder):
            assert reader.live_keys(9) == {"k1", "k2", "k3"}, "what the log was merged into"
            other = Ledger(folder)
            assert other.live_keys(9) == {"k1", "k2", "k3"}
            other.close()
        reader.close()


def test_a_copy_of_an_unfinished_build_can_be_read_without_permission() -> None:
    with open_to_all() as folder, open_to_all() as copy:
        writer = Ledger(folder, create=True)
        writer.add_chunks([chunk("k1")], 1)
        for path in folder.iterdir():
            shutil.copy(path, copy)
        writer.close()
        with read_only(copy):
            assert held(copy) == {"k1"}
        (copy / "ledger.db-shm").unlink()
        with read_only(copy), pytest.raises(StoreError, match=r"ledger\.db-wal holds what was written last"):
            Ledger(copy)
        assert held(copy) == {"k1"}


def test_a_name_that_means_something_in_a_url_is_a_name_like_any_other(tmp_path: Path) -> None:
    folder = tmp_path / "50%41 ?mode=memory#x"
    folder.mkdir()
    made(folder, "k1")
    assert [path.name for path in folder.iterdir()] == ["ledger.db"]
    assert held(folder) == {"k1"}


def test_an_index_in_a_read_only_folder_is_opened_and_searched() -> None:
    vector = np.full(4, 0.5, dtype=np.float32)
    with open_to_all() as place:
        folder = IndexFolder.create(place / "index")
        writer = folder.vectors().write(1, None, 4, True)
        payload = {"id": "c", "kind": "chunk", "document": "d", "class": "public", "level": 0, "ordinal": 0}
        writer.upsert([Row(KEY, payload, vector, SparseVector((1,), (1.0,)))])
        writer.seal(1)
        folder.ledger.put_document(document_row(Document("d", "m/d", "D"), (), "m/d", "m"), (), 1)
        folder.publish(1, Generation(None, "2025-01-01T00:00:00Z", 4))
        folder.close()
        with read_only(place):
            reader = IndexFolder.open(place / "index")
            lease = reader.lease()
            assert list(reader.catalogue(lease.generation).documents) == ["d"]
            snapshot = reader.vectors().read(lease.generation)
            assert [hit.key for hit in snapshot.dense(vector, Filter(), 3)] == [KEY]
            asked = SparseVector((1,), (1.0,))
            assert [hit.key for hit in snapshot.sparse(asked, Filter(), Filter(), 3)] == [KEY]
            snapshot.close()
            lease.release()
            reader.close()


# --- transactions ------------------------------------------------------------------------------------


def test_an_error_undoes_the_whole_transaction(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, create=True)

    def failing() -> None:
        with ledger.transaction():
            ledger.add_chunks([chunk("k1")], 1)
            with ledger.transaction():
                ledger.add_chunks([chunk("k2")], 1)
            raise LookupError

    with pytest.raises(LookupError):
        failing()
    assert ledger.live_keys(1) == set()
    ledger.add_chunks([chunk("k3")], 1)
    assert ledger.live_keys(1) == {"k3"}


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, create=True)

    def work(name: int) -> None:
        for i in range(20):
            ledger.add_chunks([chunk(f"{name}-{i}")], 1)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.live_keys(1)) == 80


def test_a_commit_that_leaves_its_transaction_open_is_undone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, create=True)
    ledger.rows("PRAGMA foreign_keys = ON")
    ledger.rows("CREATE TABLE parents (id TEXT PRIMARY KEY)")
    ledger.rows("CREATE TABLE children (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)")
    for _ in range(2):
        with pytest.raises(StoreError, match="FOREIGN KEY"):
            ledger.write("INSERT INTO children VALUES (?)", [("nobody",)])
    ledger.add_chunks([chunk("k1")], 1)
    assert ledger.live_keys(1) == {"k1"}
    assert ledger.rows("SELECT * FROM children") == []


@contextmanager
def no_growth() -> Iterator[None]:
    """No file of this process grows meanwhile."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_commit_that_fails_is_undone_and_the_next_one_is_not_hindered(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, create=True)
    ledger.add_chunks([chunk("k1")], 1)
    with no_growth():
        for _ in range(2):
            with pytest.raises(StoreError) as caught:
                ledger.add_chunks([chunk("k2")], 1)
            assert "transaction" not in str(caught.value)
    assert ledger.live_keys(1) == {"k1"}
    ledger.add_chunks([chunk("k3")], 1)
    assert ledger.live_keys(1) == {"k1", "k3"}


@pytest.fixture
def small_device() -> Iterator[Path]:
    """A device of 2 MB."""
    with TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", name]
        if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small device needs root")
        yield Path(name)
        subprocess.run(["umount", "-l", name], check=True)


def test_a_full_device_is_said_each_time_until_there_is_room(small_device: Path) -> None:
    ledger = Ledger(small_device, create=True)
    ledger.add_chunks([chunk("k1")], 1)
    ballast = small_device / "ballast"
    ballast.write_bytes(b"x" * shutil.disk_usage(small_device).free)
    many = [chunk(f"n{i}") for i in range(50)]
    for _ in range(2):
        with pytest.raises(StoreFull, match="no room left"):
            ledger.add_chunks(many, 1)
    assert ledger.live_keys(1) == {"k1"}
    ballast.unlink()
    ledger.add_chunks(many, 1)
    assert len(ledger.live_keys(1)) == 51
    ledger.close()


def test_no_room_for_a_ledger_at_all_is_said_when_it_is_made(small_device: Path) -> None:
    (small_device / "ballast").write_bytes(b"x" * (shutil.disk_usage(small_device).free - 8192))
    with pytest.raises(StoreFull, match="no room left"):
        Ledger(small_device, create=True)
