"""The embedded store's folders: torn copies, full devices, closed readers, exact vectors, the graph."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from folder_copies import copy_folder
from treegraph.indexer.errors import StoreError, StoreFull
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row

MEMORY = Path("/dev/shm")
DIMENSION = 32


def row(i: int, text: str = "text") -> Row:
    vector = np.random.default_rng(i).standard_normal(DIMENSION).astype(np.float32)
    payload = {"id": str(i), "kind": "chunk", "level": 0, "document": "d", "class": "c", "ordinal": i}
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, str(i)))
    return Row(
        key, {**payload, "text": text}, vector / np.linalg.norm(vector), SparseVector((1, i + 2), (1.0, 1.0))
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as name:
        yield Path(name) / "vectors"


def publish(store: EdgeVectorStore, generation: int, base: int | None, rows: list[Row], live: int) -> None:
    writer = store.write(generation, base, DIMENSION, True)
    writer.upsert(rows)
    writer.seal(live)


def test_vectors_come_back_bit_for_bit(folder: Path) -> None:
    store, rows = EdgeVectorStore(folder), [row(i) for i in range(200)]
    publish(store, 1, None, rows, 200)
    publish(store, 2, 1, [row(200)], 201)
    written = {r.key: r for r in rows}
    for found in store.read(2).fetch(Filter(ordinals=(0, 199)), vectors=True):
        assert found.dense is not None
        assert np.array_equal(found.dense, written[found.key].dense)
        assert found.sparse == written[found.key].sparse


def test_a_torn_copy_of_the_base_is_made_anew(folder: Path) -> None:
    store = EdgeVectorStore(folder)
    publish(store, 1, None, [row(i) for i in range(20)], 20)
    copy_folder(folder / "g1", folder / "copy-2")
    for path in (folder / "copy-2").rglob("*.dat"):
        path.write_bytes(b"")
    publish(store, 2, 1, [row(20)], 21)
    assert store.read(2).count(Filter()) == 21
    assert sorted(path.name for path in folder.iterdir()) == ["g1", "g2"]


def test_work_on_another_base_is_begun_anew(folder: Path) -> None:
    store = EdgeVectorStore(folder)
    publish(store, 1, None, [row(0)], 1)
    publish(store, 2, 1, [row(1)], 2)
    writer = store.write(3, 2, DIMENSION, True)
    writer.upsert([row(2)])
    writer.close()
    publish(store, 3, 1, [row(3)], 2)
    assert [r.payload["id"] for r in store.read(3).fetch(Filter(ordinals=(1, 9)))] == ["3"]


def test_forget_clears_what_a_kill_left_and_spares_open_readers(folder: Path) -> None:
    store = EdgeVectorStore(folder)
    publish(store, 1, None, [row(i) for i in range(20)], 20)
    publish(store, 2, 1, [row(20)], 21)
    reader = store.read(1)
    (folder / "gone-7").mkdir()
    (folder / "copy-8").mkdir()
    assert store.forget([2], None) == 1
    assert [path.name for path in folder.iterdir()] == ["g2"]
    assert reader.count(Filter()) == 20
    assert len(reader.dense(np.asarray(row(3).dense), Filter(), 5)) == 5
    reader.close()


def test_rows_that_were_ended_are_gone_from_the_files(folder: Path) -> None:
    store = EdgeVectorStore(folder)
    publish(store, 1, None, [row(i, f"secret {i} ") for i in range(20)], 20)
    writer = store.write(2, 1, DIMENSION, True)
    writer.end([row(3).key])
    writer.seal(19)
    reader = store.read(2)
    assert reader.count(Filter(keys=[row(3).key])) == 0
    assert reader.sparse(SparseVector((5,), (1.0,)), Filter(), Filter(), 5) == []


def test_a_closed_reader_says_so_and_leaves_no_view(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = EdgeVectorStore(folder)
    publish(store, 1, None, [row(0)], 1)
    reader = store.read(1)
    assert len(list(tmp_path.glob("treegraph-view-*"))) == 1
    reader.close()
    reader.close()
    assert list(tmp_path.glob("treegraph-view-*")) == []
    with pytest.raises(StoreError):
        reader.count(Filter())
    forgotten = store.read(1)
    del forgotten
    assert list(tmp_path.glob("treegraph-view-*")) == []


def test_a_value_that_is_no_json_is_named(folder: Path) -> None:
    writer = EdgeVectorStore(folder).write(1, None, DIMENSION, True)
    with pytest.raises(StoreError, match="JSON"):
        writer.upsert([Row(row(0).key, {"id": {1, 2}})])
    with pytest.raises(StoreError):
        writer.upsert([Row("no uuid", {"id": "1"})])
    writer.close()


def test_a_graph_is_built_from_its_threshold_on(folder: Path) -> None:
    store = EdgeVectorStore(folder, hnsw_from=3_000)
    vectors = np.random.default_rng(0).standard_normal((3_000, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [Row(row(i).key, row(i).payload, vectors[i]) for i in range(len(vectors))]
    writer = store.write(1, None, 128, True)
    for at in range(0, len(rows), 2000):
        writer.upsert(rows[at : at + 2000])
    writer.seal(len(rows))
    segments = [path.read_text() for path in (folder / "g1").rglob("segment.json")]
    assert any('"hnsw"' in text for text in segments)
    reader = store.read(1)
    near = [reader.dense(vectors[i], Filter(), 1)[0].key for i in range(50)]
    assert near == [r.key for r in rows[:50]]
    assert reader.count(Filter()) == len(rows)
    writer = store.write(2, 1, 128, True)
    writer.end([rows[0].key])
    writer.upsert([Row(row(99_999).key, row(99_999).payload, vectors[0])])
    writer.seal(len(rows))
    assert store.read(2).dense(vectors[0], Filter(), 1)[0].key == row(99_999).key


@pytest.fixture
def small_device(tmp_path: Path) -> Iterator[Path]:
    """A device of 160 MB."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(mounted)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small device needs root")
    yield mounted
    subprocess.run(["umount", "-l", str(mounted)], check=True)


def test_a_full_device_is_named_and_the_work_goes_on_after_it(small_device: Path) -> None:
    store = EdgeVectorStore(small_device / "vectors")
    writer = store.write(1, None, DIMENSION, True)
    committed = 0

    def fill() -> None:
        nonlocal committed
        while committed < 100_000:
            noise = np.random.default_rng(committed).bytes(800_000).hex()  # what does not compress
            texts = [noise[at : at + 8000] for at in range(0, len(noise), 8000)]
            writer.upsert([row(committed + i, text) for i, text in enumerate(texts)])
            writer.commit()
            committed += 200

    with pytest.raises(StoreFull, match="MB"):
        fill()
    writer.close()
    assert committed > 0
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_device)], check=True)
    writer = store.write(1, None, DIMENSION, True)
    assert len(list(writer.written())) >= committed
    kept = {row(i).key for i in range(committed)}
    writer.discard([key for key in writer.written() if key not in kept])
    writer.seal(committed)
    reader = store.read(1)
    assert reader.count(Filter()) == committed
    reader.close()


def test_no_room_for_a_copy_is_named_before_it_is_made(small_device: Path) -> None:
    store = EdgeVectorStore(small_device / "vectors")
    publish(store, 1, None, [row(i) for i in range(10)], 10)
    free = shutil.disk_usage(small_device).free
    (small_device / "ballast").write_bytes(b"x" * (free - (8 << 20)))
    with pytest.raises(StoreFull):
        store.write(2, 1, DIMENSION, True)
    assert [path.name for path in (small_device / "vectors").iterdir()] == ["g1"]


def test_what_is_noted_of_a_generation_is_never_cut_short(folder: Path) -> None:
    store = EdgeVectorStore(folder)
    with closing(store.write(1, None, DIMENSION, idf=True)) as writer:
        writer.upsert([row(1)])
        writer.commit()
        begun = folder / "begun.json"
        begun.hardlink_to(folder / "work-1" / "generation.json")
        before = begun.read_bytes()
        writer.seal(1)
    assert begun.read_bytes() == before
    assert (folder / "g1" / "generation.json").read_bytes() != before
