"""A graph whose store fails: everything else is published, it is said, and the next build mends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from fake_bolt import fake_bolt
from grown_graph import same_graph, whole_graph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build, manual
from small_plant import PLANT, write_plant
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.graph_rows import GraphKind
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.graph_sqlite_writer import SqliteGraphWriter
from treegraph.indexer.stores.manifest import write_manifest
from treegraph.indexer.stores.ports import Filter

NOBODY_LISTENS = "bolt://127.0.0.1:9"


@contextmanager
def a_folder_in_its_place(index: Path) -> Iterator[None]:
    kept = (index / "graph.db").rename(index.parent / "kept.db")
    (index / "graph.db").mkdir()
    yield
    (index / "graph.db").rmdir()
    kept.rename(index / "graph.db")


@contextmanager
def a_server_at(index: Path, url: str) -> Iterator[None]:
    def keep_in(stores: dict[str, str]) -> dict[str, str]:
        with closing(IndexFolder.open(index)) as folder:
            manifest = folder.manifest()
            write_manifest(index, replace(manifest, stores=stores))
            return dict(manifest.stores)

    own = keep_in({"vectors": "edge", "graph": "neo4j", "neo4j_url": url})
    yield
    keep_in(own)


def a_server_that_is_gone(index: Path) -> contextmanager[None]:
    return a_server_at(index, NOBODY_LISTENS)


@contextmanager
def a_server_of_version_4(index: Path) -> Iterator[None]:
    with fake_bolt("Neo4j/4.4.38") as url, a_server_at(index, url):
        yield


FAULTS = (a_folder_in_its_place, a_server_that_is_gone, a_server_of_version_4)


def cut(index: Path) -> None:
    data = (index / "graph.db").read_bytes()
    (index / "graph.db").write_bytes(data[: len(data) // 3])


def garble(index: Path) -> None:
    (index / "graph.db").write_bytes(b"this was a graph once " * 999)


def lose(index: Path) -> None:
    for file in index.glob("graph.db*"):
        file.unlink()


def by_hand(index: Path) -> None:
    """Rows that somebody took out; their number is found to be wrong."""
    import sqlite3

    with closing(sqlite3.connect(index / "graph.db")) as connection:
        connection.execute("DELETE FROM chunks WHERE chunk IN (SELECT chunk FROM chunks LIMIT 2)")
        connection.commit()


def fails_by_graph(index: Path) -> treegraph.TreegraphError:
    """What the graph route raises, where the others answer."""
    question = "What does PFC require?"
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        for route in ("hybrid", "tree"):
            assert len(opened.search(question, route=route).hits) > 0
        with pytest.raises(treegraph.TreegraphError) as raised:
            opened.search(question, route="graph")
    return raised.value


@pytest.mark.parametrize("fault", FAULTS)
def test_the_rest_is_published_and_the_next_build_makes_the_graph(
    plant_copy: Path, fault: Callable[[Path], contextmanager[None]]
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    with fault(index):
        report = build(index, write_plant(plant, 2, edition=1), config=PLANT)
        assert (report.generation, report.changed, report.failed) == (2, ["plant/unit2.md"], [])
        assert (report.entities, report.relations, report.communities) == (0, 0, 0)
        (reason,) = report.degraded
        assert reason.startswith("graph not made: ")
        assert treegraph.status(index)["structures"].keys() == {"hybrid", "tree"}
        refused = fails_by_graph(index)
        assert (refused.exit_code, "treegraph build SOURCE" in str(refused)) == (2, True)
        still = build(index, plant, config=PLANT)
        assert still.generation is None, "nothing new"
        assert [one.partition(":")[0] for one in still.degraded] == ["graph not made"]
        gone = treegraph.remove(index, ["plant/unit4.md"], config=PLANT, embedder=FakeHashEmbedder())
        assert (gone.generation is not None, gone.degraded) == (True, {})
    report = build(index, plant, config=PLANT)
    assert (report.degraded, report.behind) == ({}, {})
    build(plant_copy / "calm", plant, config=PLANT, index_id=treegraph.status(index)["index_id"])
    same_graph(whole_graph(index), whole_graph(plant_copy / "calm"))


@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_published_is_kept_where_nothing_else_changed(
    plant_copy: Path, fault: Callable[[Path], contextmanager[None]]
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    other = replace(PLANT, graph=replace(PLANT.graph, community=4))
    with fault(index):
        report = build(index, plant, config=other)
        assert report.generation is None
        assert [reason.partition(":")[0] for reason in report.degraded] == ["graph not made"]
        assert build(index, plant, config=PLANT).generation is None
        assert treegraph.status(index)["entities"] is None
        assert (report.entities, report.relations, report.communities) == (None, None, None)
        assert report.to_json()["entities"] is None
        assert fails_by_graph(index).exit_code == 3
    assert whole_graph(index) == before
    assert build(index, plant, config=other).generation is not None
    assert whole_graph(index).communities != before.communities


@pytest.mark.parametrize("harm", [cut, garble, lose])
@pytest.mark.parametrize("changed", [False, True])
def test_a_file_that_is_lost_or_damaged_is_made_anew(
    plant_copy: Path, harm: Callable[[Path], None], changed: bool
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    build(index, write_plant(plant, 2, edition=1), config=PLANT)
    harm(index)
    raised = fails_by_graph(index)
    assert (raised.exit_code, "treegraph build SOURCE... makes the graph anew" in str(raised)) == (3, True)
    write_plant(plant, 2, 3, edition=0 if changed else 1)
    if not changed:
        write_plant(plant, 3)
    report = build(index, plant, config=PLANT)
    assert (report.generation, report.degraded, report.embedded == 0) == (3, {}, not changed)
    if changed:
        same_graph(whole_graph(index), before)
    assert build(index, plant, config=PLANT).generation is None
    treegraph.rollback(index)
    assert "graph" not in treegraph.status(index)["structures"], "the lost one is not said to be there"
    assert build(index, plant, config=PLANT).degraded == {}
    whole_graph(index)


def test_rows_that_were_taken_out_by_hand_are_there_again(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    by_hand(index)
    build(index, write_plant(plant, 2, edition=1), config=PLANT)
    build(index, write_plant(plant, 2), config=PLANT)
    same_graph(whole_graph(index), before)


def empty(index: Path) -> None:
    """All rows gone, as from a database that was made anew."""
    import sqlite3

    with closing(sqlite3.connect(index / "graph.db")) as connection:
        for table in ("chunks", "entities", "mentions", "relations", "communities", "tallies"):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()


def double(index: Path) -> None:
    """A row twice, which no generation counts right."""
    import sqlite3

    with closing(sqlite3.connect(index / "graph.db")) as connection:
        columns = "chunk, 0, until, digest, ground, body"
        connection.execute(f"INSERT INTO chunks SELECT {columns} FROM chunks LIMIT 1")
        connection.commit()


@pytest.mark.parametrize("harm", [by_hand, empty, double])
def test_a_graph_that_does_not_hold_its_chunks_is_noticed_where_nothing_else_changed(
    plant_copy: Path, harm: Callable[[Path], None]
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    harm(index)
    report = build(index, plant, config=PLANT)
    assert (report.generation, report.degraded) == (2, {})
    same_graph(whole_graph(index), before)
    assert build(index, plant, config=PLANT).generation is None
    treegraph.rollback(index)
    assert ("graph" in treegraph.status(index)["structures"]) == (harm is by_hand)


@pytest.fixture
def miscounting_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first generation that is sealed does not hold what it should."""
    seal, failed = SqliteGraphWriter.seal, []

    def once(writer: SqliteGraphWriter, expected: Mapping[GraphKind, int]) -> None:
        if not failed:
            failed.append(writer.generation)
            raise treegraph.StoreInconsistent("one too many")
        seal(writer, expected)

    monkeypatch.setattr(SqliteGraphWriter, "seal", once)


@pytest.mark.usefixtures("miscounting_once")
def test_a_generation_that_is_not_what_was_written_takes_no_other_with_it(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    report = build(index, write_plant(plant, 2, edition=1), config=PLANT)
    assert (report.generation, report.degraded) == (2, {})
    assert whole_graph(index).stated != before.stated
    treegraph.rollback(index)
    assert whole_graph(index) == before


@pytest.mark.usefixtures("miscounting_once")
def test_removing_documents_erases_no_graph(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    report = build(index, write_plant(plant, 2, edition=1), config=PLANT, without=("graph",))
    assert [*report.degraded] == ["graph not made: one too many"]
    treegraph.rollback(index)
    assert whole_graph(index) == before


def test_a_reader_of_a_graph_that_was_made_anew_is_told_so(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    with closing(SqliteGraphStore(index / "graph.db").read(1)) as snapshot:
        held = snapshot.counts(Filter())
        lose(index)
        build(index, write_plant(plant, 2, edition=1), config=PLANT)
        with ThreadPoolExecutor(1) as elsewhere, pytest.raises(treegraph.GenerationGone, match="made anew"):
            elsewhere.submit(snapshot.counts, Filter(not_documents=("x",))).result()
    assert min(held.values()) > 0


@pytest.mark.parametrize("harm", [garble, lose])
def test_a_build_without_the_graph_does_not_fail_over_its_file(
    plant_copy: Path, harm: Callable[[Path], None]
) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    harm(index)
    report = build(index, write_plant(plant, 2, edition=1), config=PLANT, without=("graph",))
    assert report.generation == 2
    assert [reason.partition(":")[0] for reason in report.degraded] == ["graph not made"]
    assert build(index, plant, config=PLANT).degraded == {}
    whole_graph(index)


def test_of_a_graph_that_was_lost_nothing_is_kept_of_removed_documents(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    (plant / "secret.md").write_text("# Gudgeon\n\nThe GUDGEON-77 requires CR1.QUIBBLE.\n")
    build(index, plant, config=PLANT)
    kept = (index / "graph.db").rename(plant_copy / "kept.db")
    (index / "graph.db").mkdir()
    build(index, write_plant(plant, 2, edition=1), config=PLANT)
    (index / "graph.db").rmdir()
    kept.rename(index / "graph.db")
    (plant / "secret.md").unlink()
    treegraph.remove(index, ["plant/secret.md"], config=PLANT, embedder=FakeHashEmbedder())
    build(index, write_plant(plant, 2), config=PLANT, without=("graph",))
    assert not (index / "graph.db").exists()
    ledger = b"".join(file.read_bytes() for file in index.glob("ledger.db*"))
    assert b"QUIBBLE" not in ledger


def test_a_server_is_left_alone_by_a_folder_that_never_wrote_to_it(
    plant_copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plant, stay = plant_copy / "plant", "ended rows of the graph stay"
    build(plant_copy / "bare", plant, config=PLANT, without=("graph", "tree"))
    for index, asked in ((plant_copy / "bare", False), (plant_copy / "index", True)):
        caplog.clear()
        with a_server_that_is_gone(index):
            for edition in (1, 2, 3):
                build(index, write_plant(plant, 2, edition=edition), config=PLANT, without=("graph", "tree"))
        assert (stay in caplog.text) is asked


def test_a_first_build_without_its_server_makes_no_index(tmp_path: Path) -> None:
    config = replace(CONFIG, stores=replace(CONFIG.stores, neo4j=NOBODY_LISTENS))
    folder = manual(tmp_path / "m", a="# A\n\nFAN-3 requires PUMP-12.\n")
    with pytest.raises(treegraph.StoreError, match=r"127\.0\.0\.1:9"):
        build(tmp_path / "index", folder, config=config)
    assert not (tmp_path / "index" / "index.toml").exists()


def test_the_command_line_names_it_on_stderr_and_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manual(tmp_path / "m", a="# A\n\nFAN-3 requires PUMP-12.\n", b="# B\n\nPUMP-12 uses VALVE-7.\n")
    here = Here.entered(tmp_path, monkeypatch, capsys)
    assert here("build", "m", "--without", "graph", "-q").code == 0
    (tmp_path / "treegraph.index" / "graph.db").mkdir()
    manual(tmp_path / "m", b="# B\n\nPUMP-12 uses VALVE-8.\n")
    built = here("build", "m", "-q", "--json")
    assert built.code == 0
    (reason,) = built.json("build")["degraded"]
    assert reason.startswith("graph not made: ")
    assert "treegraph: graph not made: " in built.err
    for arguments in (("search", "FAN-3", "--route", "graph"), ("graph", "FAN-3")):
        done = here(*arguments, "--json")
        assert (done.code, "treegraph build SOURCE" in done.err) == (2, True)
        assert json.loads(done.out)["error"]["exit_code"] == 2
    assert here("search", "FAN-3", "--route", "hybrid", "--json").json("search")["hits"]
    assert here("status", "--json").json("status")["structures"].keys() == {"hybrid", "tree"}
    (tmp_path / "treegraph.index" / "graph.db").rmdir()
    assert here("build", "m", "-q", "--json").json("build")["relations"] == 2
