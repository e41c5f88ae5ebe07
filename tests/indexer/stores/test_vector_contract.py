"""What every vector store promises, asked of each adapter in the same words."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from qdrant_client import QdrantClient
from qdrant_over_http import qdrant_over_http
from treegraph.indexer.errors import GenerationGone, IndexIncompatible, StoreError, StoreInconsistent
from treegraph.indexer.models.ports import SparseVector, Vectors
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row, VectorSnapshot, VectorStore, VectorWriter
from treegraph.indexer.stores.qdrant import QdrantVectorStore, connect

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
]

DIMENSION = 8
INDEX = "7b1c4a52-6f0e-4c3e-9d0f-2f8f6f1b8f11"
URL = "TREEGRAPH_TEST_QDRANT_URL"
MEMORY = Path("/dev/shm")
"""Where a file sync costs nothing: a seal syncs a hundred files, and no test here pulls the plug."""
Open = Callable[[], VectorStore]


@pytest.fixture(params=["edge", "memory", "wire", pytest.param("server", marks=pytest.mark.qdrant)])
def reopen(request: pytest.FixtureRequest, tmp_path: Path, require_or_skip: Callable) -> Iterator[Open]:
    """Opens the same store once more, as another process would."""
    if request.param == "edge":
        with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as folder:
            yield lambda: EdgeVectorStore(Path(folder) / "vectors")
        return
    if request.param == "memory":
        client = QdrantClient(":memory:")
        yield lambda: QdrantVectorStore(client, "treegraph_test")
        client.close()
        return
    if request.param == "wire":
        with qdrant_over_http() as address:
            yield lambda: connect(address, None, INDEX)
        return
    url = os.environ.get(URL) or require_or_skip("qdrant", f"{URL} names no server")
    index_id, key = str(uuid.uuid4()), os.environ.get("TREEGRAPH_QDRANT_API_KEY")
    yield lambda: connect(url, key, index_id)
    client = QdrantClient(url=url, api_key=key)
    client.delete_collection(f"treegraph_{index_id}")
    client.close()


@pytest.fixture
def store(reopen: Open) -> VectorStore:
    return reopen()


def key(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def unit(seed: int, dimension: int = DIMENSION) -> Vectors:
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def row(
    name: str,
    dense: Vectors | None = None,
    terms: dict[int, float] | None = None,
    *,
    kind: str = "chunk",
    document: str | list[str] = "d1",
    access: str | list[str] = "public",
    ordinal: int = 0,
    confidence: float | None = None,
) -> Row:
    payload = {
        "id": f"id-{name}", "kind": kind, "level": 0, "document": document, "class": access,
        "ordinal": ordinal, "text": f"text of {name}", "pages": [1, 2], "section": ["é", None], "x": 0.5,
    }  # fmt: skip
    if confidence is not None:
        payload["confidence"] = confidence
    terms = {1: 1.0} if terms is None else terms
    sparse = SparseVector(tuple(terms), tuple(terms.values()))
    return Row(key(name), payload, unit(sum(name.encode())) if dense is None else dense, sparse)


def publish(
    store: VectorStore, generation: int, base: int | None, rows: Iterable[Row], end: Iterable[str] = (),
    live: int | None = None,
) -> None:  # fmt: skip
    rows = list(rows)
    writer = store.write(generation, base, DIMENSION, True)
    writer.upsert(rows)
    writer.end(key(name) for name in end)
    writer.commit()
    writer.seal(len(rows) if live is None else live)


def names(found: Iterable[object]) -> set[str]:
    return {item.payload["id"].removeprefix("id-") for item in found}  # type: ignore[attr-defined]


def every(snapshot: VectorSnapshot) -> set[str]:
    return names(snapshot.fetch(Filter()))


# --- generations -----------------------------------------------------------------------------------


def test_a_reader_sees_its_generation_while_the_next_is_written(store: VectorStore) -> None:
    publish(store, 1, None, [row("a"), row("b"), row("c")])
    before = store.read(1)
    scores = before.sparse(SparseVector((1,), (1.0,)), Filter(), Filter(), 9)
    writer = store.write(2, 1, DIMENSION, True)
    writer.upsert([row("d"), row("e")])
    writer.end([key("a")])
    writer.discard([key("e")])
    writer.commit()

    for reader in (before, store.read(1)):
        assert every(reader) == {"a", "b", "c"}
        assert reader.count(Filter()) == 3
        assert reader.sparse(SparseVector((1,), (1.0,)), Filter(), Filter(), 9) == scores
        assert names(reader.dense(unit(1), Filter(), 9)) == {"a", "b", "c"}

    writer.seal(3)
    assert every(before) == {"a", "b", "c"}
    assert every(store.read(2)) == {"b", "c", "d"}


def test_a_generation_that_was_not_sealed_cannot_be_read(store: VectorStore) -> None:
    with pytest.raises(GenerationGone):
        store.read(1)
    writer = store.write(1, None, DIMENSION, True)
    writer.upsert([row("a")])
    writer.commit()
    with pytest.raises(GenerationGone):
        store.read(1)
    writer.close()


def test_a_base_that_is_gone_is_said(store: VectorStore) -> None:
    with pytest.raises(GenerationGone):
        store.write(3, 2, DIMENSION, True)


def test_seal_refuses_a_wrong_count_and_keeps_the_work(reopen: Open) -> None:
    store = reopen()
    writer = store.write(1, None, DIMENSION, True)
    writer.upsert([row("a"), row("b")])
    with pytest.raises(StoreInconsistent, match="should hold 3 rows"):
        writer.seal(3)
    with pytest.raises(GenerationGone):
        store.read(1)
    again = reopen().write(1, None, DIMENSION, True)
    assert set(again.written()) == {key("a"), key("b")}
    again.seal(2)
    assert every(store.read(1)) == {"a", "b"}


def test_work_goes_on_after_close_without_seal(reopen: Open) -> None:
    publish(reopen(), 1, None, [row("a"), row("b")])
    writer = reopen().write(2, 1, DIMENSION, True)
    writer.upsert([row("c")])
    writer.end([key("a")])
    writer.commit()
    writer.close()

    writer = reopen().write(2, 1, DIMENSION, True)
    assert list(writer.written()) == [key("c")]
    writer.upsert([row("c"), row("d")])
    writer.seal(3)
    assert every(reopen().read(2)) == {"b", "c", "d"}


def test_a_sealed_generation_that_was_never_published_goes_on(reopen: Open) -> None:
    publish(reopen(), 1, None, [row("a"), row("b")])
    publish(reopen(), 2, 1, [row("c")], end=["a"], live=2)
    writer = reopen().write(2, 1, DIMENSION, True)
    assert list(writer.written()) == [key("c")]
    writer.revive([key("a")])
    writer.end([key("b")])
    writer.upsert([row("d")])
    writer.seal(3)
    assert every(reopen().read(2)) == {"a", "c", "d"}
    assert every(reopen().read(1)) == {"a", "b"}


def test_revive_undoes_end_of_this_generation_only(store: VectorStore) -> None:
    publish(store, 1, None, [row("a"), row("b"), row("c")])
    publish(store, 2, 1, [], end=["a"], live=2)
    writer = store.write(3, 2, DIMENSION, True)
    writer.end([key("b"), key("c")])
    assert writer.fetch([key("b"), key("c")]) == {}
    writer.revive([key("b"), key("a"), key("nothing")])
    assert set(writer.fetch([key("a"), key("b"), key("c")])) == {key("b")}
    writer.seal(1)
    assert every(store.read(3)) == {"b"}


def test_discard_leaves_rows_of_earlier_generations(store: VectorStore) -> None:
    publish(store, 1, None, [row("a")])
    writer = store.write(2, 1, DIMENSION, True)
    writer.upsert([row("b"), row("c")])
    writer.discard([key("a"), key("b"), key("nothing")])
    assert list(writer.written()) == [key("c")]
    writer.seal(2)
    assert every(store.read(2)) == {"a", "c"}


def test_a_writer_sees_its_own_writes_and_the_base(store: VectorStore) -> None:
    publish(store, 1, None, [row("a")])
    writer = store.write(2, 1, DIMENSION, True)
    fresh = row("b", terms={7: 2.0, 9: 0.5})
    writer.upsert([fresh])
    found = writer.fetch([key("a"), key("b"), key("nothing")])
    assert set(found) == {key("a"), key("b")}
    assert found[key("b")].payload == fresh.payload
    assert found[key("b")].sparse == fresh.sparse
    np.testing.assert_allclose(found[key("b")].dense, fresh.dense, atol=1e-6)
    writer.end([key("nothing")])
    writer.close()


def test_many_small_generations_lose_no_operation(reopen: Open) -> None:
    publish(reopen(), 1, None, [row(f"r{i}") for i in range(6)])
    for generation in range(2, 8):
        i = generation - 2
        publish(reopen(), generation, generation - 1, [row(f"s{i}")], end=[f"r{i}"], live=6)
    assert every(reopen().read(7)) == {f"s{i}" for i in range(6)}
    assert every(reopen().read(3)) == {"s0", "s1", "r2", "r3", "r4", "r5"}


def test_a_generation_without_base_starts_empty(store: VectorStore) -> None:
    publish(store, 1, None, [row("a")])
    publish(store, 2, None, [row("b")])
    assert every(store.read(2)) == {"b"}
    assert every(store.read(1)) == {"a"}


def test_vectors_of_another_dimension_begin_beside_the_ones_that_are_there(store: VectorStore) -> None:
    wider = DIMENSION + 8
    publish(store, 1, None, [row("a"), row("b")])
    writer = store.write(2, None, wider, True)
    writer.upsert([row("a", unit(3, wider))])
    writer.commit()
    writer.close()
    writer = store.write(2, None, wider, True)  # goes on with it
    assert set(writer.written()) == {row("a").key}
    writer.seal(1)
    assert every(store.read(1)) == {"a", "b"}
    assert [hit.key for hit in store.read(2).dense(unit(3, wider), Filter(), 5)] == [row("a").key]
    writer = store.write(3, 2, wider, True)
    writer.upsert([row("c", unit(4, wider))])
    writer.seal(2)
    assert every(store.read(1)) == {"a", "b"}
    assert not store.empty()
    store.forget([2, 3], None)
    with pytest.raises(GenerationGone):
        store.read(1)
    assert every(store.read(3)) == {"a", "c"}
    store.forget([2], 2)
    assert every(store.read(2)) == {"a"}
    store.forget([], None)
    assert store.empty()


def test_other_dimensions_are_refused(store: VectorStore) -> None:
    publish(store, 1, None, [row("a")])
    with pytest.raises(IndexIncompatible):
        store.write(2, 1, DIMENSION + 1, True)
    with pytest.raises(IndexIncompatible):
        store.write(2, 1, DIMENSION, False)
    writer = store.write(2, 1, DIMENSION, True)
    with pytest.raises(IndexIncompatible):
        writer.upsert([row("b", unit(1, 3))])
    with pytest.raises(StoreError, match="NaN"):
        writer.upsert([row("b", np.full(DIMENSION, np.nan, np.float32))])
    writer.close()


# --- forget ----------------------------------------------------------------------------------------


def test_forget_erases_what_only_dropped_generations_need(store: VectorStore) -> None:
    publish(store, 1, None, [row("a"), row("b")])
    publish(store, 2, 1, [row("c")], end=["a"], live=2)
    publish(store, 3, 2, [row("d")], end=["b"], live=2)
    assert store.forget([2, 3], None) > 0
    with pytest.raises(GenerationGone):
        store.read(1)
    assert every(store.read(2)) == {"b", "c"}
    assert every(store.read(3)) == {"c", "d"}
    assert store.forget([2, 3], None) == 0


def test_forget_drops_unfinished_work_and_what_it_ended(reopen: Open) -> None:
    publish(reopen(), 1, None, [row("a"), row("b")])
    writer = reopen().write(2, 1, DIMENSION, True)
    writer.upsert([row("c")])
    writer.end([key("a")])
    writer.commit()
    writer.close()
    store = reopen()
    assert store.forget([1], None) == 1
    writer = store.write(3, 1, DIMENSION, True)
    assert list(writer.written()) == []
    writer.seal(2)
    assert every(store.read(3)) == {"a", "b"}


def test_forget_after_a_rollback_lets_the_next_build_start_there(store: VectorStore) -> None:
    publish(store, 1, None, [row("a"), row("b")])
    publish(store, 2, 1, [row("c")], end=["a"], live=2)
    publish(store, 3, 2, [row("d")], end=["b", "c"], live=1)
    assert store.forget([1], 1) > 0  # 1 is published again
    assert every(store.read(1)) == {"a", "b"}
    publish(store, 4, 1, [row("e")], end=["b"], live=2)
    assert every(store.read(4)) == {"a", "e"}
    for gone in (2, 3):
        with pytest.raises(GenerationGone):
            store.read(gone)


def test_forget_of_nothing_is_nothing(store: VectorStore) -> None:
    assert store.forget([1], None) == 0


# --- scores ----------------------------------------------------------------------------------------


def bm25_idf(rows: int, holding: int) -> float:
    return math.log((rows - holding + 0.5) / (holding + 0.5) + 1)


def test_idf_counts_only_rows_of_the_corpus(store: VectorStore) -> None:
    public = [row(f"p{i}", terms={1: 1.0, 2: 1.0} if i < 2 else {1: 1.0}) for i in range(5)]
    secret = [row(f"s{i}", terms={2: 1.0}, access="secret") for i in range(20)]
    publish(store, 1, None, [*public, *secret])
    asked, readable = SparseVector((2,), (1.0,)), Filter(classes=["public"])

    def scores(generation: int, where: Filter, corpus: Filter) -> dict[str, float]:
        found = store.read(generation).sparse(asked, where, corpus, 50)
        return {item.payload["id"]: item.score for item in found}

    seen = scores(1, readable, readable)
    assert seen == pytest.approx(dict.fromkeys(["id-p0", "id-p1"], bm25_idf(5, 2)), rel=1e-5)
    assert scores(1, Filter(), Filter())["id-p0"] == pytest.approx(bm25_idf(25, 22), rel=1e-5)
    assert scores(1, readable, Filter())["id-p0"] == pytest.approx(bm25_idf(25, 22), rel=1e-5)

    publish(store, 2, 1, [row("n", terms={2: 1.0})], end=[f"s{i}" for i in range(20)], live=6)
    assert scores(2, Filter(), Filter())["id-p0"] == pytest.approx(bm25_idf(6, 3), rel=1e-5)
    assert scores(1, readable, readable) == seen
    assert scores(1, Filter(), Filter())["id-p0"] == pytest.approx(bm25_idf(25, 22), rel=1e-5)


def test_without_idf_sparse_scores_are_products(store: VectorStore) -> None:
    writer = store.write(1, None, DIMENSION, False)
    writer.upsert([row("a", terms={1: 2.0, 3: 0.5}), row("b", terms={3: 1.0})])
    writer.seal(2)
    found = store.read(1).sparse(SparseVector((1, 3), (1.0, 4.0)), Filter(), Filter(), 5)
    assert [(item.key, item.score) for item in found] == [(k, 4.0) for k in sorted([key("a"), key("b")])]


def test_dense_scores_are_cosines(store: VectorStore) -> None:
    rows = [row(f"r{i}", unit(i)) for i in range(30)]
    publish(store, 1, None, rows)
    asked = unit(99)
    found = store.read(1).dense(asked, Filter(), 10)
    expected = sorted(((float(r.dense @ asked), r.key) for r in rows if r.dense is not None), reverse=True)
    assert [item.key for item in found] == [k for _, k in expected[:10]]
    assert [item.score for item in found] == pytest.approx([s for s, _ in expected[:10]], abs=1e-5)


def test_rows_without_a_vector_are_not_in_its_list(store: VectorStore) -> None:
    bare = Row(key("bare"), {**row("bare").payload}, None, None)
    publish(store, 1, None, [row("a"), bare])
    reader = store.read(1)
    assert names(reader.dense(unit(1), Filter(), 5)) == {"a"}
    assert names(reader.sparse(SparseVector((1,), (1.0,)), Filter(), Filter(), 5)) == {"a"}
    assert reader.sparse(SparseVector((), ()), Filter(), Filter(), 5) == []
    assert reader.sparse(SparseVector((77,), (1.0,)), Filter(), Filter(), 5) == []
    assert list(reader.fetch(Filter(ids=["id-bare"]), vectors=True)) == [bare]


def test_sparse_vectors_asked_together_find_what_each_finds_alone(store: VectorStore) -> None:
    rows = [row(f"r{i}", unit(i), {1: 1.0 + i / 10, 2 + i % 3: 1.0}) for i in range(40)]
    publish(store, 1, None, rows)
    reader = store.read(1)
    asked = [SparseVector(indices, (1.0,) * len(indices)) for indices in ((1,), (2,), (), (3, 4), (77,))]
    where = Filter(keys=[r.key for r in rows[::2]])
    for limit in (1, 5):  # of the rows that hold only term 2, more tie than are asked for at first
        together = reader.sparse_each(asked, where, Filter(), limit)
        alone = [reader.sparse(vector, where, Filter(), limit, payload=False) for vector in asked]
        assert [[item.key for item in each] for each in together] == [
            [item.key for item in each] for each in alone
        ]
        for ours, theirs in zip(together, alone, strict=True):
            assert [item.score for item in ours] == pytest.approx([item.score for item in theirs], rel=1e-6)
    assert reader.sparse_each([], where, Filter(), 5) == []


def test_union_is_scored_by_keys_without_moving_scores(store: VectorStore) -> None:
    rows = [row(f"r{i}", unit(i), {1: 1.0 + i / 10, 2 + i % 3: 1.0}) for i in range(20)]
    publish(store, 1, None, rows)
    reader, asked = store.read(1), SparseVector((1, 3), (1.0, 1.0))
    dense = {item.key: item.score for item in reader.dense(unit(50), Filter(), 20)}
    sparse = {item.key: item.score for item in reader.sparse(asked, Filter(), Filter(), 20)}
    keys = [r.key for r in rows[::3]]
    again = reader.dense(unit(50), Filter(keys=keys), len(keys), payload=False)
    assert {item.key: item.score for item in again} == pytest.approx({k: dense[k] for k in keys}, abs=1e-6)
    lexical = reader.sparse(asked, Filter(keys=keys), Filter(), len(keys), payload=False)
    assert {item.key: item.score for item in lexical} == pytest.approx({k: sparse[k] for k in keys}, rel=1e-5)
    assert all(item.payload == {} for item in [*again, *lexical])


def test_equal_scores_are_cut_by_key(store: VectorStore) -> None:
    same = unit(3)
    rows = [row(f"t{i}", same, {1: 1.0, 5: 2.0}) for i in range(150)] + [
        row("best", unit(4), {1: 9.0, 5: 9.0})
    ]
    publish(store, 1, None, rows)
    reader, tied = store.read(1), sorted(r.key for r in rows[:-1])
    for limit in (1, 7, 100):
        found = reader.dense(same, Filter(), limit)
        assert [item.key for item in found] == tied[:limit]
        lexical = reader.sparse(SparseVector((1, 5), (1.0, 1.0)), Filter(), Filter(), limit)
        assert [item.key for item in lexical] == [key("best"), *tied][:limit]
    assert reader.dense(same, Filter(), 0) == []


# --- filters and fetching --------------------------------------------------------------------------

LIBRARY = [
    row(
        f"{kind}{d}{n}",
        kind=kind,
        document=f"d{d}",
        access=("public", "a", "b")[d],
        ordinal=n,
        confidence=(None, 0.5, 0.75, None)[n],
    )
    for kind in ("chunk", "node")
    for d in range(3)
    for n in range(4)
] + [
    row("over01", kind="node", document=["d0", "d1"], access=["a", "public"]),
    row("over12", kind="node", document=["d1", "d2"], access=["a", "b"]),
    row("over2", kind="node", document=["d2"], access=["b"]),
    row("over012", kind="node", document=["d0", "d1", "d2"], access=["a", "b", "public"]),
]
"""Nodes rest on several documents and classes: what each lists it has all of."""


@pytest.fixture
def library(store: VectorStore) -> VectorSnapshot:
    publish(store, 1, None, LIBRARY)
    return store.read(1)


def matches(where: Filter, item: Row) -> bool:
    payload = item.payload
    classes, documents = _listed(payload["class"]), _listed(payload["document"])
    return all(
        [
            where.kinds is None or payload["kind"] in where.kinds,
            where.classes is None or classes.intersection(where.classes),
            where.not_classes is None or classes.isdisjoint(where.not_classes),
            where.documents is None or documents.intersection(where.documents),
            where.not_documents is None or documents.isdisjoint(where.not_documents),
            where.ids is None or payload["id"] in where.ids,
            where.keys is None or item.key in where.keys,
            where.ordinals is None or where.ordinals[0] <= payload["ordinal"] <= where.ordinals[1],
            payload.get("confidence", 1.0) >= where.min_confidence,
        ]
    )


def _listed(value: str | list[str]) -> set[str]:
    return {value} if isinstance(value, str) else set(value)


def some(values: Iterable[str]) -> st.SearchStrategy[list[str] | None]:
    return st.none() | st.lists(st.sampled_from(sorted(values)), unique=True)


FILTERS = st.builds(
    Filter,
    kinds=some(["chunk", "node", "report"]),
    classes=some(["public", "a", "b", "c"]),
    not_classes=some(["public", "a", "b", "c"]),
    documents=some(["d0", "d1", "d2", "d9"]),
    not_documents=some(["d0", "d1", "d9"]),
    ids=some(r.payload["id"] for r in LIBRARY),
    keys=some(r.key for r in LIBRARY),
    ordinals=st.none() | st.tuples(st.integers(-1, 4), st.integers(-1, 4)),
    min_confidence=st.sampled_from([0.0, 0.5, 0.6, 0.9]),
)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(where=FILTERS)
def test_all_conditions_of_a_filter_hold(library: VectorSnapshot, where: Filter) -> None:
    expected = sorted(r.key for r in LIBRARY if matches(where, r))
    assert [r.key for r in library.fetch(where)] == expected
    assert library.count(where) == len(expected)
    assert sorted(s.key for s in library.dense(unit(1), where, 99)) == expected
    found = library.sparse(SparseVector((1,), (1.0,)), where, Filter(), 99)
    assert sorted(s.key for s in found) == expected


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (Filter(classes=[]), 0),
        (Filter(documents=[]), 0),
        (Filter(kinds=[]), 0),
        (Filter(ids=[]), 0),
        (Filter(keys=[]), 0),
        (Filter(not_documents=[]), len(LIBRARY)),
        (Filter(not_classes=[]), len(LIBRARY)),
        (Filter(kinds=["node"], not_classes=["b"]), 4 + 4 + 1),
        (Filter(kinds=["node"], not_classes=["a", "b"]), 4),
        (Filter(kinds=["node"], not_documents=["d2"]), 4 + 4 + 1),
        (Filter(kinds=["node"], documents=["d2"], not_documents=["d0"]), 4 + 2),
        (Filter(), len(LIBRARY)),
        (Filter(kinds=["node"], classes=["a"], ordinals=(1, 2)), 2),
    ],
)
def test_empty_lists(library: VectorSnapshot, where: Filter, count: int) -> None:
    assert library.count(where) == count
    assert len(library.fetch(where)) == count
    assert len(library.dense(unit(1), where, 99)) == count


def test_fetch_gives_back_what_was_written(library: VectorSnapshot) -> None:
    by_key = {r.key: r for r in LIBRARY}
    for found in library.fetch(Filter(), vectors=True):
        written = by_key[found.key]
        assert found.payload == written.payload
        assert found.sparse == written.sparse
        assert found.dense is not None
        assert found.dense.dtype == np.float32
        np.testing.assert_allclose(found.dense, written.dense, atol=1e-6)


def test_what_is_stored_comes_with_its_marks(store: VectorStore) -> None:
    publish(store, 1, None, [row("a"), row("b")])
    publish(store, 2, 1, [row("c")], end=["a"], live=2)
    reader = store.read(2)
    held = {one.row.key: one for one in reader.stored() if one.since <= 2 < one.until}
    assert {key: one.since for key, one in held.items()} == {key("b"): 1, key("c"): 2}
    found = held[key("c")].row
    assert (found.payload, found.sparse) == (row("c").payload, row("c").sparse)
    np.testing.assert_allclose(found.dense, row("c").dense, atol=1e-6)  # type: ignore[arg-type]
    assert reader.shape() == (DIMENSION, True)


def test_fetch_is_ordered_by_key_and_limited(library: VectorSnapshot) -> None:
    keys = sorted(r.key for r in LIBRARY)
    assert [r.key for r in library.fetch(Filter(), limit=5)] == keys[:5]
    bare = library.fetch(Filter(), limit=1, payload=False)[0]
    assert (bare.payload, bare.dense, bare.sparse) == ({}, None, None)


def test_fetch_reads_past_one_page(store: VectorStore) -> None:
    rows = [row(f"r{i}", unit(i % 7)) for i in range(2300)]
    publish(store, 1, None, rows)
    reader = store.read(1)
    assert [r.key for r in reader.fetch(Filter(), payload=False)] == sorted(r.key for r in rows)
    assert len(reader.fetch(Filter(), limit=1500)) == 1500


def test_eight_threads_get_what_one_gets(store: VectorStore) -> None:
    publish(store, 1, None, [row(f"r{i}", unit(i), {1: 1.0, i % 9 + 2: 2.0}) for i in range(300)])
    reader = store.read(1)

    def ask(seed: int) -> dict[str, float]:
        asked = SparseVector((1, seed % 9 + 2), (1.0, 1.0))
        answer = {f"d {s.key} {s.payload['id']}": s.score for s in reader.dense(unit(seed), Filter(), 10)}
        answer |= {f"s {s.key}": s.score for s in reader.sparse(asked, Filter(kinds=["chunk"]), Filter(), 10)}
        answer |= {f"f {r.key} {r.payload['id']}": 0 for r in reader.fetch(Filter(ids=[f"id-r{seed}"]))}
        return answer | {"count": reader.count(Filter(documents=["d1"]))}

    alone = [ask(seed) for seed in range(24)]
    with ThreadPoolExecutor(8) as pool:
        for together, expected in zip(pool.map(ask, range(24)), alone, strict=True):
            assert together == pytest.approx(expected, rel=1e-6)


def test_a_writer_writes_while_threads_read(request: pytest.FixtureRequest, store: VectorStore) -> None:
    if "memory" in request.node.name:
        pytest.skip("the client's local mode locks nothing between its writes and its reads")
    publish(store, 1, None, [row(f"r{i}") for i in range(50)])
    reader = store.read(1)
    writer: VectorWriter = store.write(2, 1, DIMENSION, True)
    with ThreadPoolExecutor(4) as pool:
        counts = pool.map(lambda _: reader.count(Filter()), range(200))
        for i in range(20):
            writer.upsert([row(f"w{i}")])
            writer.end([key(f"r{i}")])
        assert set(counts) == {50}
    writer.seal(50)
    reader.close()
