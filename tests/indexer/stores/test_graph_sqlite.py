"""The embedded graph store: the contract of graph stores, and what only a file can do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from graph_rows import Graph, manual, publish, uids, write
from treegraph.indexer.errors import StoreError, StoreFull
from treegraph.indexer.stores.graph_rows import KINDS
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.ports import Filter
from unprivileged import open_to_all, read_only

pytest.register_assert_rewrite("graph_contract", "graph_model")

from graph_contract import EVERY, PUBLIC, GraphStoreContract, Open, agree, read  # noqa: E402

MEMORY = Path("/dev/shm")
"""Where a file sync costs nothing: no test here pulls the plug."""
SUPPORT = Path(__file__).parents[2] / "support"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as name:
        yield Path(name)


class TestSqliteGraphStore(GraphStoreContract):
    @pytest.fixture
    def opened(self, folder: Path) -> Open:
        return lambda name: SqliteGraphStore(folder / f"{name}.db")


# --- processes ---------------------------------------------------------------------------------------


def grown(size: int) -> Graph:
    """A graph of so many chunks, in which everything is joined to something."""
    graph = manual()
    for at in range(size):
        graph.chunk(f"n{at}", f"d{at % 5}", "secret" if at % 7 == 0 else "public")
        graph.says(f"n{at}", f"e{at}", f"Entity {at}", f"E{at}").says(f"n{at}", "SSE")
        graph.relates(f"e{at}", "uses", "SSE", f"n{at}")
    return graph


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from graph_rows import manual, publish, write
from test_graph_sqlite import SqliteGraphStore, grown
store = SqliteGraphStore(Path(sys.argv[1]))
print("ready", flush=True)
for size in (40, 20, 160):  # rows come, go and come again
    write(store, 2, 1, grown(size).without("c1", "s1"), batch=10)
publish(store, 2, 1, grown(160).without("c1", "s1"))
print("sealed", flush=True)
"""
READER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from contextlib import closing
from test_graph_sqlite import SqliteGraphStore, EVERY, PUBLIC, agree, manual
print("ready", flush=True)
for _ in range(4):
    with closing(SqliteGraphStore(Path(sys.argv[1])).read(1)) as snapshot:
        for where in (EVERY, PUBLIC):
            agree(snapshot, manual(), where)
print("agreed", flush=True)
"""


def start(script: str, path: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(SUPPORT)])}
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path), str(SUPPORT)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


@pytest.mark.parametrize("pause", [0.0, 0.03, 0.1, 0.25, 0.5])
def test_a_killed_writer_leaves_what_was_published_and_the_next_goes_on(folder: Path, pause: float) -> None:
    path = folder / "graph.db"
    store = SqliteGraphStore(path)
    publish(store, 1, None, manual())
    child = start(WRITER, path)
    time.sleep(pause)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with read(store, 1) as snapshot:
        agree(snapshot, manual(), EVERY)
        agree(snapshot, manual(), PUBLIC)
    wanted = grown(160).without("c1", "s1")
    publish(store, 2, 1, wanted)
    with read(store, 1) as before, read(store, 2) as after:
        agree(before, manual(), EVERY, limits=(9,))
        agree(after, wanted, EVERY, limits=(9,))
    assert store.forget([2], None) > 0
    with read(store, 2) as after:
        agree(after, wanted, PUBLIC, limits=(9,))


def test_processes_read_a_generation_while_another_writes_the_next(folder: Path) -> None:
    path = folder / "graph.db"
    publish(SqliteGraphStore(path), 1, None, manual())
    children = [start(WRITER, path), start(READER, path), start(READER, path)]
    said = [child.communicate(timeout=60)[0] for child in children]
    assert said == ["sealed\n", "agreed\n", "agreed\n"]


# --- the file ----------------------------------------------------------------------------------------


def test_a_missing_file_is_named_and_not_made(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"graph\.db is missing"):
        SqliteGraphStore(folder / "graph.db").read(1)
    assert list(folder.iterdir()) == []


def test_a_damaged_file_is_named(folder: Path) -> None:
    path = folder / "graph.db"
    path.write_bytes(b"no database at all" * 99)
    for using in (lambda store: store.read(1), lambda store: store.write(1, None)):
        with pytest.raises(StoreError, match=r"graph\.db is damaged"):
            using(SqliteGraphStore(path))


def test_a_graph_in_a_read_only_folder_is_read_and_not_written() -> None:
    with open_to_all() as place:
        store = SqliteGraphStore(place / "graph.db")
        publish(store, 1, None, manual())
        with read_only(place):
            with read(store, 1) as snapshot:
                agree(snapshot, manual(), PUBLIC)
            with pytest.raises(StoreError, match="check its permissions"):
                write(store, 2, 1, Graph())


def test_a_snapshot_may_not_be_used_once_closed(folder: Path) -> None:
    store = SqliteGraphStore(folder / "graph.db")
    publish(store, 1, None, manual())
    snapshot = store.read(1)
    snapshot.close()
    snapshot.close()
    with pytest.raises(StoreError, match="closed"):
        snapshot.entities(uids("SSE"), EVERY)


def test_nothing_of_a_forgotten_document_stays_in_the_file(folder: Path) -> None:
    path = folder / "graph.db"
    store = SqliteGraphStore(path)
    secret = manual().chunk("gone", "d9")
    secret.says(
        "gone", "Zanzibar", "Zanzibar", "Unguja", description="Zanzibar is an island.", type="Zanzibar"
    )
    secret.relates("Zanzibar", "Zanzibar", "SSE", "gone").community("Zanzibar", ["Zanzibar"], ["gone"])
    publish(store, 1, None, secret)
    publish(store, 2, 1, manual())
    assert b"Zanzibar" in path.read_bytes()
    assert store.forget([2], None) > 0
    left = b"".join(each.read_bytes() for each in folder.iterdir()).lower()
    for trace in (b"zanzibar", b"unguja", b"zan", b"d9.pdf", *(uid.encode() for uid in uids("gone", "d9"))):
        assert trace not in left


def test_an_index_moves_with_its_file(folder: Path) -> None:
    publish(SqliteGraphStore(folder / "graph.db"), 1, None, manual())
    shutil.copy(folder / "graph.db", folder / "copy.db")
    with read(SqliteGraphStore(folder / "copy.db"), 1) as snapshot:
        agree(snapshot, manual(), EVERY)


@pytest.fixture
def small_device() -> Iterator[Path]:
    """A device of 4 MB."""
    with TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", name]
        if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small device needs root")
        yield Path(name)
        subprocess.run(["umount", "-l", name], check=True)


def test_a_full_device_is_named_and_the_work_goes_on_after_it(small_device: Path) -> None:
    store = SqliteGraphStore(small_device / "graph.db")
    publish(store, 1, None, manual())
    ballast = small_device / "ballast"
    ballast.write_bytes(b"x" * (shutil.disk_usage(small_device).free - 65536))
    wanted = grown(200)
    for _ in range(2):
        with pytest.raises(StoreFull, match="no room left"):
            write(store, 2, 1, wanted)
        with read(store, 1) as snapshot:
            agree(snapshot, manual(), EVERY)
    ballast.unlink()
    publish(store, 2, 1, wanted)
    with read(store, 2) as snapshot:
        agree(snapshot, wanted, Filter(classes=["public"]), limits=(9,))


def test_a_failed_batch_leaves_nothing_of_itself(folder: Path) -> None:
    store = SqliteGraphStore(folder / "graph.db")
    publish(store, 1, None, manual())
    broken = Graph().chunk("c").says("c", "new name", "new name").says("c", "other", "other")
    mentions = broken.mentions()
    object.__setattr__(mentions[1], "description", object())
    with closing(store.write(2, 1)) as writer:
        with pytest.raises(TypeError):
            writer.put("mention", mentions)
        assert writer.live("mention") == manual().digests("mention")
        writer.put("mention", mentions[:1])
        writer.end("mention", [mentions[0].key])
        writer.seal(manual().counts())
    with read(store, 2) as snapshot:
        assert snapshot.alike("new name", EVERY, 5) == []
        assert snapshot.counts(EVERY) == {kind: len(manual().rows[kind]) for kind in KINDS}
