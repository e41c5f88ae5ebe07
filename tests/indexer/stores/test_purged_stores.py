"""What stores keep of deleted rows once they are purged: nothing; every other row is as it was."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from byte_scan import found_in
from graph_rows import manual, publish
from qdrant_client import QdrantClient
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ports import Filter, Row, VectorStore
from treegraph.indexer.stores.qdrant import QdrantVectorStore

DIMENSION = 8
MEMORY = Path("/dev/shm")
PLANTED = "the kestrel's password"


def row(name: str, text: str) -> Row:
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    payload = {"id": key, "kind": "chunk", "document": "d", "class": "public", "ordinal": 0, "text": text * 9}
    dense = np.full(DIMENSION, 0.1, np.float32) + np.eye(DIMENSION, dtype=np.float32)[len(name) % DIMENSION]
    return Row(key, payload, dense / np.linalg.norm(dense), SparseVector((1, 2), (0.5, 1.0)))


def written(store: VectorStore) -> None:
    """Two generations: the second does not hold the planted row, and has one of its own."""
    first = store.write(1, None, DIMENSION, True)
    first.upsert([row("a", PLANTED), row("bb", "the gate")])
    first.commit()
    first.seal(2)
    second = store.write(2, 1, DIMENSION, True)
    second.upsert([row("ccc", "the lamp")])
    second.end([row("a", "").key])
    second.commit()
    second.seal(2)


def held(store: VectorStore) -> list[Row]:
    with closing(store.read(2)) as snapshot:
        return snapshot.fetch(Filter(), vectors=True)


def same(before: list[Row], after: list[Row]) -> bool:
    pairs = zip(before, after, strict=True)
    return all((a.key, a.payload, a.sparse) == (b.key, b.payload, b.sparse) for a, b in pairs) and all(
        np.array_equal(np.asarray(a.dense), np.asarray(b.dense)) for a, b in zip(before, after, strict=True)
    )


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[Path]:
    """Where embedded vectors may lie, in memory if there is such a folder: a seal syncs a hundred files."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as folder:
        yield Path(folder) / "vectors"


def test_embedded_vectors_are_written_anew_bit_for_bit(vectors: Path) -> None:
    store = EdgeVectorStore(vectors)
    written(store)
    before = held(store)
    store.forget([2], 2)
    assert found_in(vectors, PLANTED), "deleted rows stay in the pages of their files"
    store.purge(2)
    assert found_in(vectors, PLANTED) == []
    assert same(before, held(store))
    later = store.write(3, 2, DIMENSION, True)
    later.upsert([row("dddd", "the bell")])
    later.end([row("bb", "").key])
    later.commit()
    later.seal(2)


def test_a_purge_that_dies_between_two_renames_is_read_and_gone_on_with(
    vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EdgeVectorStore(vectors)
    written(store)
    before, erase = held(store), EdgeVectorStore._erase

    def die(self: EdgeVectorStore, path: Path) -> None:
        erase(self, path)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(EdgeVectorStore, "_erase", die)
        with pytest.raises(KeyboardInterrupt):
            store.purge(2)
    assert same(before, held(store))
    store.purge(2)
    assert same(before, held(store))
    assert sorted(path.name for path in vectors.iterdir()) == ["g1", "g2"]


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_a_collection_holds_no_row_of_what_was_deleted() -> None:
    client = QdrantClient(":memory:")
    store = QdrantVectorStore(client, "treegraph_test")
    written(store)
    store.forget([2], 2)
    store.purge(2)
    points, _ = client.scroll("treegraph_test", limit=100, with_payload=True)
    assert len(points) == 2
    assert PLANTED not in str(points)
    client.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_a_collection_of_another_dimension_is_cleared_with_its_last_generation() -> None:
    client = QdrantClient(":memory:")
    store = QdrantVectorStore(client, "treegraph_test")
    written(store)
    wider = store.write(3, None, 2 * DIMENSION, True)
    gate = row("bb", "the gate")
    assert gate.dense is not None
    wider.upsert([Row(gate.key, gate.payload, np.tile(gate.dense, 2) / np.float32(2**0.5), gate.sparse)])
    wider.commit()
    store.forget([2, 3], None)
    assert len(held(store)) == 2, "unfinished, and the one that readers have"
    wider.seal(1)
    store.forget([2, 3], None)
    assert len(held(store)) == 2
    store.forget([3], None)
    assert client.count("treegraph_test").count == 0
    with closing(store.read(3)) as snapshot:
        assert [each.payload["text"] for each in snapshot.fetch(Filter())] == [gate.payload["text"]]
    client.close()


def test_an_embedded_graph_and_a_ledger_keep_no_free_page(tmp_path: Path) -> None:
    store = SqliteGraphStore(tmp_path / "graph.db")
    graph = manual().chunk("new").says("new", "Kestrel", PLANTED)
    publish(store, 1, None, graph)
    assert found_in(tmp_path, PLANTED)
    publish(store, 2, 1, manual())
    store.forget([2], 2)
    store.purge()
    with closing(store.read(2)) as snapshot:
        assert snapshot.counts(Filter())["chunk"] == manual().counts()["chunk"]
    assert found_in(tmp_path, PLANTED) == []
    with closing(Ledger(tmp_path, create=True)) as ledger:
        ledger.set_note("kept", "a note")
        ledger.set_note("secret", PLANTED * 500)
        ledger.write("DELETE FROM notes WHERE key = 'secret'", [()])
        assert found_in(tmp_path, PLANTED) != []
        ledger.compact()
        assert ledger.note("kept") == "a note"
        assert found_in(tmp_path, PLANTED) == []
