"""The embedded store when processes die in the middle, and when several read one generation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from treegraph.indexer.errors import IndexLocked
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row

MEMORY = Path("/dev/shm")
ROWS = 400


def row(name: str) -> Row:
    vector = np.random.default_rng(sum(name.encode())).standard_normal(16).astype(np.float32)
    payload = {
        "id": name, "kind": "chunk", "level": 0, "document": name[:2], "class": "public",
        "ordinal": 0, "text": name * 9,
    }  # fmt: skip
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    return Row(key, payload, vector / np.linalg.norm(vector), SparseVector((1, len(name)), (1.0, 2.0)))


OLD = [row(f"old{i}") for i in range(60)]
NEW = [row(f"new{i}") for i in range(ROWS)]
ENDED = [r.key for r in OLD[:30]]

WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_edge_processes import ENDED, NEW, OLD, EdgeVectorStore
print("ready", flush=True)
writer = EdgeVectorStore(Path(sys.argv[1])).write(2, 1, 16, True)
for at in range(0, len(NEW), 20):
    writer.upsert(NEW[at : at + 20])
    writer.end(ENDED[at // 20 :: 20])
    if at % 40 == 20:
        writer.commit()
        print("committed", at + 20, flush=True)
writer.seal(len(OLD) - len(ENDED) + len(NEW))
print("sealed", flush=True)
"""

READER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_edge_processes import OLD, EdgeVectorStore, Filter
reader = EdgeVectorStore(Path(sys.argv[1])).read(1)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(50):
    found = reader.dense(OLD[7].dense, Filter(), 3)
print(found[0].payload["id"], reader.count(Filter()), flush=True)
reader.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as name:
        vectors = Path(name) / "vectors"
        writer = EdgeVectorStore(vectors).write(1, None, 16, True)
        writer.upsert(OLD)
        writer.seal(len(OLD))
        yield vectors


def start(script: str, folder: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(folder), str(Path(__file__).parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def kill(child: subprocess.Popen[str]) -> list[str]:
    """What the child had said when it died."""
    child.send_signal(signal.SIGKILL)
    output, _ = child.communicate()
    return output.splitlines()


def finish(folder: Path) -> None:
    """What a build does after a kill: everything again, and the seal."""
    writer = EdgeVectorStore(folder).write(2, 1, 16, True)
    there = set(writer.written())
    stored = writer.fetch(sorted(there))
    for r in NEW:
        if r.key in there:
            assert stored[r.key].payload == r.payload
            assert np.array_equal(stored[r.key].dense, r.dense)
    writer.upsert([r for r in NEW if r.key not in there])
    writer.end(ENDED)
    writer.seal(len(OLD) - len(ENDED) + len(NEW))


@pytest.mark.parametrize(
    ("commits", "pause"),
    # the tenth commit is followed by the seal
    [(0, 0), (0, 0.01), (1, 0.003), (4, 0.01), (7, 0), (9, 0.005), (10, 0), (10, 0.02), (10, 0.05)],
)
def test_a_killed_writer_loses_nothing_committed(folder: Path, commits: int, pause: float) -> None:
    child = start(WRITER, folder)
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(commits)]
    time.sleep(pause)
    said += kill(child)
    committed = max([0, *(int(line.split()[1]) for line in said if line.startswith("committed"))])

    if (folder / "work-2").exists():
        writer = EdgeVectorStore(folder).write(2, 1, 16, True)
        assert set(writer.written()) >= {r.key for r in NEW[:committed]}
        writer.close()
    finish(folder)

    wanted = {r.key: r for r in [*OLD[30:], *NEW]}
    found = EdgeVectorStore(folder).read(2).fetch(Filter(), vectors=True)
    assert [r.key for r in found] == sorted(wanted)
    for r in found:
        assert r.payload == wanted[r.key].payload
        assert np.array_equal(r.dense, wanted[r.key].dense)
        assert r.sparse == wanted[r.key].sparse
    assert EdgeVectorStore(folder).read(1).count(Filter()) == len(OLD)


def test_three_processes_read_one_generation_and_change_no_byte(folder: Path) -> None:
    def contents() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = contents()
    readers = [start(READER, folder) for _ in range(3)]
    said = [reader.communicate("go\n")[0] for reader in readers]
    assert said == [f"old7 {len(OLD)}\n"] * 3
    assert contents() == before


def test_a_second_writer_is_refused(folder: Path) -> None:
    writer = EdgeVectorStore(folder).write(2, 1, 16, True)
    with pytest.raises(IndexLocked):
        EdgeVectorStore(folder).write(2, 1, 16, True)
    writer.close()
    EdgeVectorStore(folder).write(2, 1, 16, True).close()


def test_views_of_killed_readers_are_swept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    child = start(READER, folder)
    kill(child)
    (left,) = tmp_path.glob("treegraph-view-*")
    os.utime(left, (0, 0))
    living = start(READER, folder)
    assert not left.exists()
    (held,) = tmp_path.glob("treegraph-view-*")
    os.utime(held, (0, 0))
    last = start(READER, folder)
    assert held.exists()
    for reader in (living, last):
        assert reader.communicate("go\n")[0] == f"old7 {len(OLD)}\n"
    assert list(tmp_path.glob("treegraph-view-*")) == []
