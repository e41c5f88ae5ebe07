"""The making of a graph may stop at any instant: what was made is kept, and the same graph comes of it."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest
import treegraph
from folder_copies import copy_folder
from grown_graph import grown_graph, same_graph, whole_graph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from killed_builds import finished, killed_in
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.indexer.errors import StoreFull
from treegraph.indexer.graph.extraction import Extraction, Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.stores.graph_sqlite_writer import SqliteGraphWriter

TRIALS = 2


@pytest.mark.slow
def test_kills_while_the_graph_is_made_end_in_the_same_graph(tmp_path: Path) -> None:
    plant, calm = write_plant(tmp_path / "plant"), tmp_path / "calm"
    finished(plant, calm)
    first = grown_graph(calm)
    copy_folder(calm, tmp_path / "before")
    write_plant(plant, 1, 3, 5, edition=1)
    (plant / "unit4.md").unlink()
    finished(plant, calm)
    expected = whole_graph(calm)
    assert expected.stated != first.stated
    rng = random.Random(17)
    for trial in range(TRIALS):
        index = copy_folder(tmp_path / "before", tmp_path / f"killed{trial}")
        for _ in range(2):
            killed_in("graph", plant, index, rng, 0.5)
            seen = grown_graph(index)
            assert seen.stated in (first.stated, expected.stated), "a reader saw half a graph"
        finished(plant, index)
        same_graph(whole_graph(index), expected)
        assert published_content(index)["rows"] == published_content(calm)["rows"]
        assert treegraph.status(index)["unfinished"] is None


def test_what_was_read_for_a_first_graph_outlasts_a_build_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, plant = tmp_path / "index", write_plant(tmp_path / "plant")
    (plant / "secret.md").write_text("# Gudgeon\n\nThe GUDGEON-77 requires CR1.QUIBBLE.\n")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteGraphWriter, "seal", stop)
        with pytest.raises(KeyboardInterrupt):
            build(index, plant, config=PLANT, without=("tree",))
    (plant / "secret.md").unlink()
    build(index, plant, config=PLANT, without=("graph", "tree"))
    assert b"QUIBBLE" not in b"".join(file.read_bytes() for file in index.glob("ledger.db*"))
    read: list[str] = []
    extract = PatternExtractor.extract

    def noted(self: PatternExtractor, passage: Passage) -> Extraction:
        read.append(passage.id)
        return extract(self, passage)

    monkeypatch.setattr(PatternExtractor, "extract", noted)
    build(index, plant, config=PLANT, without=("tree",))
    assert read == []
    assert whole_graph(index).relations


@pytest.mark.parametrize("kind", ["chunk", "entity", "mention", "relation", "community"])
def test_a_stop_between_any_two_kinds_is_gone_on_from(
    plant_copy: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    put = SqliteGraphWriter.put

    def stop(self: SqliteGraphWriter, what: str, rows: list) -> None:
        put(self, what, rows)
        if what == kind:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteGraphWriter, "put", stop)
        with pytest.raises(KeyboardInterrupt):
            build(index, write_plant(plant, 2, edition=1), config=PLANT)
    assert grown_graph(index) == before
    again = FakeHashEmbedder()
    report = build(index, plant, config=PLANT, embedder=again)
    assert (report.generation, report.embedded, again.embedded) == (2, 0, [])
    fresh = plant_copy / "fresh"
    build(fresh, plant, config=PLANT, index_id=INDEX_ID)
    same_graph(whole_graph(index), whole_graph(fresh))


def test_a_stop_whose_sources_change_again_leaves_nothing_of_itself(
    plant_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    seal = SqliteGraphWriter.seal

    def stop(self: SqliteGraphWriter, expected: dict) -> None:
        seal(self, expected)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteGraphWriter, "seal", stop)
        (plant / "brief.md").write_text("# Brief\n\nGUDGEON-77 requires CR1.QUIBBLE.\n")
        with pytest.raises(KeyboardInterrupt):
            build(index, plant, config=PLANT)
    (plant / "brief.md").unlink()
    build(index, plant, config=PLANT)
    same_graph(whole_graph(index), before)
    for edition in (1, 2):
        build(index, write_plant(plant, 1, edition=edition), config=PLANT)
    kept = b"".join(file.read_bytes() for name in ("graph.db*", "ledger.db*") for file in index.glob(name))
    assert b"QUIBBLE" not in kept


def test_a_device_that_is_full_takes_out_the_graph_alone(
    plant_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    with monkeypatch.context() as patched:

        def full(self: SqliteGraphWriter, kind: str, rows: list) -> None:
            raise StoreFull("no room left to write graph.db; free some and build again")

        patched.setattr(SqliteGraphWriter, "put", full)
        report = build(index, write_plant(plant, 2, edition=1), config=PLANT)
    assert (report.generation, len(report.degraded)) == (2, 1)
    assert "no room left" in next(iter(report.degraded))
    report = build(index, plant, config=PLANT)
    assert (report.generation, report.embedded, report.degraded) == (3, 0, {})
    build(plant_copy / "fresh", plant, config=PLANT, index_id=INDEX_ID)
    same_graph(whole_graph(index), whole_graph(plant_copy / "fresh"))


def test_cancelling_keeps_what_was_read_and_no_chunk_is_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, cancel = write_plant(tmp_path / "plant"), threading.Event()
    read: list[str] = []
    extract = PatternExtractor.extract

    def counted(self: PatternExtractor, passage: Passage) -> Extraction:
        read.append(passage.id)
        return extract(self, passage)

    def stop_once_read(event: treegraph.Event) -> None:
        if (event.stage, event.unit) == ("graph", "chunks") and event.done == event.total:
            cancel.set()

    monkeypatch.setattr(PatternExtractor, "extract", counted)
    options = {"config": PLANT, "index_id": INDEX_ID}
    with pytest.raises(treegraph.Cancelled, match="kept"):
        build(tmp_path / "index", plant, cancel=cancel, on_event=stop_once_read, **options)
    assert treegraph.status(tmp_path / "index")["generation"] is None
    report = build(tmp_path / "index", plant, **options)
    assert len(read) == len(set(read)) == report.chunks
    build(tmp_path / "index", write_plant(plant, 2, edition=1), config=PLANT)
    graph = whole_graph(tmp_path / "index")
    assert len(read) == len(set(read)), "of a changed file only new chunks are read"
    assert graph.chunks <= set(read)
