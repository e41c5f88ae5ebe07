"""What the embedded store says when a cause lies elsewhere than in its files: each has its own remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from treegraph.indexer.errors import StoreError, StoreFull
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row
from unprivileged import open_to_all, read_only

MEMORY = Path("/dev/shm")
VECTOR = np.full(4, 0.5, dtype=np.float32)
KEY = str(uuid.uuid5(uuid.NAMESPACE_OID, "row"))


def publish(folder: Path) -> EdgeVectorStore:
    store = EdgeVectorStore(folder)
    writer = store.write(1, None, 4, True)
    writer.upsert([Row(KEY, {"id": "row", "kind": "chunk"}, VECTOR, SparseVector((1,), (1.0,)))])
    writer.seal(1)
    return store


def ran(script: str, *arguments: object, **environment: str) -> str:
    """What a process of its own says."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as name:
        yield Path(name) / "vectors"


@pytest.fixture
def store(vectors: Path) -> EdgeVectorStore:
    return publish(vectors)


SHORT = """
import os, resource, sys
from pathlib import Path
from treegraph.indexer.errors import StoreError
from treegraph.indexer.stores.edge import EdgeVectorStore
store = EdgeVectorStore(Path(sys.argv[1]))
store.read(1).close()
limit = len(os.listdir("/proc/self/fd")) - 1 + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
readers = []
try:
    for _ in range(99):
        readers.append(store.read(1))
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("more", [0, 1, 2, 3, 12])
def test_too_many_open_files_are_no_reason_to_delete_anything(
    store: EdgeVectorStore, vectors: Path, more: int
) -> None:
    said = ran(SHORT, vectors, str(more)).strip()
    assert "too many files are open: raise the limit (ulimit -n)" in said
    assert "delete" not in said
    assert "damaged" not in said


def views() -> set[Path]:
    """The views of this process; an index that another test shares may hold some."""
    return set(Path(tempfile.gettempdir()).glob(f"treegraph-view-{os.getpid()}-*"))


def test_vectors_without_permission_are_read_from_a_copy() -> None:
    before = views()
    with open_to_all() as folder:
        store = publish(folder / "vectors")
        with read_only(folder):
            reader = store.read(1)
            assert [hit.key for hit in reader.dense(VECTOR, Filter(), 3)] == [KEY]
            reader.close()
            with pytest.raises(StoreError, match="check who may read and write there"):
                store.write(2, 1, 4, True)
    assert views() <= before


def test_a_broken_generation_is_damage_and_the_remedy_is_a_copy(
    store: EdgeVectorStore, vectors: Path
) -> None:
    (config,) = (vectors / "g1").glob("edge_config.json")
    whole = config.read_text()
    config.write_text("{")
    with pytest.raises(StoreError, match="restore the index from a copy"):
        store.read(1)
    config.write_text(whole)
    for path in (vectors / "g1" / "segments").rglob("segment.json"):
        path.write_text("{")
    with pytest.raises(StoreError, match="restore the index from a copy") as caught:
        store.read(1)
    assert "delete" not in str(caught.value)


def test_broken_work_is_begun_anew_by_deleting_it(store: EdgeVectorStore, vectors: Path) -> None:
    store.write(2, 1, 4, True).close()
    work = vectors / "work-2"
    for path in (work / "segments").rglob("segment.json"):
        path.write_text("{")
    with pytest.raises(StoreError, match=f"delete {work} and build again"):
        store.write(2, 1, 4, True)
    shutil.rmtree(work)
    store.write(2, 1, 4, True).seal(1)


def test_no_temporary_folder_names_tmpdir(store: EdgeVectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with pytest.raises(StoreError, match="set TMPDIR"):
        store.read(1)


OPEN = """
import sys
from pathlib import Path
from treegraph.indexer.errors import StoreFull
from treegraph.indexer.stores.edge import EdgeVectorStore
try:
    EdgeVectorStore(Path(sys.argv[1])).read(1)
except StoreFull as error:
    print(error)
"""


@pytest.fixture
def small_device() -> Iterator[Path]:
    """A device of 2 MB."""
    with TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", name]
        if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small device needs root")
        yield Path(name)
        subprocess.run(["umount", "-l", name], check=True)


@pytest.mark.parametrize("free", [4096, 8192, 65536])
def test_a_full_temporary_folder_is_named_and_kills_no_reader(
    store: EdgeVectorStore, vectors: Path, small_device: Path, free: int
) -> None:
    """With two pages free the engine's own write to its mapped log would end the process (SIGBUS)."""
    (small_device / "ballast").write_bytes(b"x" * (shutil.disk_usage(small_device).free - free))
    said = ran(OPEN, vectors, TMPDIR=str(small_device))
    assert str(small_device) in said
    assert "TMPDIR" in said
    assert str(vectors) not in said
    assert [path.name for path in small_device.iterdir()] == ["ballast"]


def test_room_for_a_copy_of_the_vectors_is_asked_before_it_is_made(
    small_device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_to_all() as folder:
        store = EdgeVectorStore(folder / "vectors")
        writer = store.write(1, None, 4, True)
        text = np.random.default_rng(0).bytes(1_500_000).hex()
        writer.upsert([Row(KEY, {"id": "row", "kind": "chunk", "text": text}, VECTOR)])
        writer.seal(1)
        small_device.chmod(0o777)
        monkeypatch.setattr(tempfile, "tempdir", str(small_device))
        with read_only(folder), pytest.raises(StoreFull, match=f"{small_device} needs"):
            store.read(1)
        assert list(small_device.iterdir()) == []
