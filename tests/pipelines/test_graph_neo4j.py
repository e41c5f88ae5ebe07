"""Whole builds whose graph is in a Neo4j: shared by indexes, killed, refusing, away."""

from __future__ import annotations

import os
import random
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import treegraph
from graph_rows import manual, publish
from grown_graph import GrownGraph, grown_graph, same_graph, whole_graph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from neo4j_kills import READER, killed_at, patience, statements
from real_neo4j import PASSWORD, Engine, RealNeo4j
from small_index import build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.indexer.errors import StoreFull
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.graph_rows import ChunkPlace
from treegraph.indexer.stores.neo4j import connect
from treegraph.indexer.stores.ports import Filter

pytestmark = pytest.mark.neo4j
TRIALS = int(os.environ.get("TREEGRAPH_TEST_NEO4J_KILLS", "2"))


def on(url: str) -> treegraph.Config:
    """The plant's configuration, its graph on the server at ``url``."""
    return replace(PLANT, stores=replace(PLANT.stores, neo4j=url))


@contextmanager
def reader(index: Path, generation: int, seen: list[GrownGraph | treegraph.TreegraphError]) -> Iterator[None]:
    """Reads a generation again and again, and keeps what it saw or was told."""
    done = threading.Event()

    def read() -> None:
        while not done.wait(0.2):
            try:
                seen.append(grown_graph(index, generation))
            except treegraph.TreegraphError as error:
                seen.append(error)

    thread = threading.Thread(target=read, name=READER)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def answers(index: Path, *routes: str) -> None:
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        for route in routes:
            assert len(opened.search("What does PFC require?", route=route).hits) > 0


def left_behind(report: treegraph.BuildReport, index: Path) -> str:
    """Why the graph of this build was not made, where everything else was."""
    assert report.generation == treegraph.status(index)["generation"]
    answers(index, "hybrid", "tree")
    (why,) = report.degraded
    assert why.startswith("graph not made: ")
    return why


@dataclass
class Twins:
    """Two indexes of one id over the same manuals, one with its graph on a server, one with its own."""

    plant: Path
    index: Path
    calm: Path
    url: str

    @classmethod
    def built(cls, home: Path, url: str) -> Twins:
        twins = cls(write_plant(home / "plant"), home / "index", home / "calm", url)
        build(twins.index, twins.plant, config=on(url), index_id=INDEX_ID)
        build(twins.calm, twins.plant, config=PLANT, index_id=INDEX_ID)
        return twins

    def build(self) -> treegraph.BuildReport:
        """Build the one that has a server."""
        return build(self.index, self.plant, config=on(self.url), yes=True)

    def agree(self) -> None:
        """Once the other is built too, both hold the same."""
        build(self.calm, self.plant, config=PLANT, yes=True)
        same_graph(whole_graph(self.index), whole_graph(self.calm))
        assert published_content(self.index)["rows"] == published_content(self.calm)["rows"]
        answers(self.index, "hybrid", "tree", "graph")


@pytest.mark.slow
def test_kills_of_the_server_under_builds_end_in_the_same_graph(
    neo4j_engine: Callable[..., Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One build after the other changes the sources and loses its server somewhere. Every second time that is
    while rows are written, the server is soon back, and the build goes on; else the next build makes the
    graph."""
    monkeypatch.delenv(PASSWORD, raising=False)
    engine, rng, sent = neo4j_engine(), random.Random(23), list[str]()
    engine.start()
    twins = Twins.built(tmp_path, engine.url)
    with statements(sent.append):
        write_plant(twins.plant, 2, edition=1)
        twins.build()
    twins.agree()
    for trial in range(TRIALS):
        before, published = whole_graph(twins.index), treegraph.status(twins.index)["generation"]
        write_plant(twins.plant, 1 + trial % 3, 3, edition=2 + trial)
        if trial % 4 < 2:
            (twins.plant / "unit4.md").unlink(missing_ok=True)
        else:
            write_plant(twins.plant, 4, edition=trial)
        seen: list[GrownGraph | treegraph.TreegraphError] = []
        back = bool(trial % 2)
        at = rng.choice([n for n, cypher in enumerate(sent) if "$rows" in cypher or not back])
        with patience(120.0 if back else 1.0), reader(twins.index, published, seen):
            with killed_at(engine, at, rng.uniform(0.0, 0.05), back):
                report = twins.build()
            if report.degraded:
                left_behind(report, twins.index)
        if not back:
            engine.start()
        read = [one for one in seen if isinstance(one, GrownGraph)]
        print(f"{trial}: killed at {at} of {len(sent)}, read {len(read)} of {len(seen)},", report.degraded)
        assert all(graph == before for graph in read), "a reader saw half a graph"
        assert all(isinstance(one, treegraph.StoreError) for one in seen if one not in read)
        assert grown_graph(twins.index, published) == before, "what was published before is whole"
        assert not (back and report.degraded), "the server was there in time"
        again = twins.build()
        assert (again.degraded, again.embedded) == ({}, 0)
        twins.agree()
    engine.kill()


def test_a_server_that_takes_no_writes_or_is_away_costs_the_graph_alone(
    neo4j_engine: Callable[..., Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PASSWORD, raising=False)
    engine = neo4j_engine(settings=("db.memory.transaction.max=2m",))
    engine.start()
    with closing(connect(engine.url, "neo4j", None, str(uuid.uuid4()))) as store:
        publish(store, 1, None, manual())
        big = [ChunkPlace(str(n), "d", "s" * 2000, "t", n, (1, 2), "public") for n in range(3000)]
        with closing(store.write(2, 1)) as writer, pytest.raises(StoreFull, match="out of memory"):
            writer.put("chunk", big)
        twins = Twins.built(tmp_path, engine.url)
        before = whole_graph(twins.index)
        engine.stop()
        engine.settings = ("server.databases.default_to_read_only=true",)
        engine.start()
        assert store.read(1).counts(Filter())["chunk"] == 6, (
            "the same store goes on with a server that is back"
        )
    write_plant(twins.plant, 2, edition=1)
    assert "open the database for writing" in left_behind(twins.build(), twins.index)
    assert grown_graph(twins.index, 1) == before
    engine.stop()
    write_plant(twins.plant, 3, edition=1)
    with patience(1.0):
        assert "start the server" in left_behind(twins.build(), twins.index)


def test_a_wrong_password_costs_the_graph_alone(
    real_neo4j: RealNeo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, real_neo4j.password)
    twins = Twins.built(tmp_path, real_neo4j.url)
    write_plant(twins.plant, 2, edition=1)
    monkeypatch.setenv(PASSWORD, "not-the-password")
    why = left_behind(twins.build(), twins.index)
    assert "TREEGRAPH_NEO4J_PASSWORD" in why
    assert "not-the-password" not in why
    monkeypatch.setenv(PASSWORD, real_neo4j.password)
    assert twins.build().degraded == {}
    twins.agree()
    erased(twins.index)


def test_indexes_of_the_same_names_share_a_server_without_a_leak(
    real_neo4j: RealNeo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each says of a name is its own; where one loses all of its documents, or is erased, the other
    stays as it is."""
    monkeypatch.setenv(PASSWORD, real_neo4j.password)
    config = on(real_neo4j.url)
    texts = {
        "one": "# Pump\n\nThe Feed Pump (FPX-7) requires CR1.RUN. FPX-7 uses GUDGEON-77.\n",
        "two": "# Pump\n\nThe Feed Pump (FPX-7) requires CR2.HOLD. FPX-7 uses MULLET-9.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "pump.md").write_text(text, "utf-8")
        build(tmp_path / f"{name}.index", tmp_path / name, config=config)
    one, two = (tmp_path / f"{name}.index" for name in texts)
    first, second = whole_graph(one), whole_graph(two)
    assert "FPX-7" in first.names() & second.names()
    assert {"CR1.RUN", "GUDGEON-77"} <= first.names()
    assert not {"CR2.HOLD", "MULLET-9"} & first.names()
    assert not {"CR1.RUN", "GUDGEON-77"} & second.names()
    with treegraph.open_index(one, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        found = opened.search("What does FPX-7 require, and MULLET-9?", route="graph").hits
        assert found
        assert "MULLET" not in repr([(hit.text, hit.path) for hit in found])
    treegraph.remove(one, ["one/pump.md"], config=config, embedder=FakeHashEmbedder(), yes=True)
    assert whole_graph(two) == second
    (tmp_path / "two" / "pump.md").write_text(texts["two"] + "\nMULLET-9 sets CR2.TRIP.\n", "utf-8")
    assert build(two, tmp_path / "two", config=config).degraded == {}
    assert "CR2.TRIP" in whole_graph(two).names()
    second = whole_graph(two)
    erased(one)
    assert whole_graph(two) == second
    erased(two)


def erased(index: Path) -> None:
    with closing(IndexFolder.open(index)) as folder, closing(folder.graph()) as store:
        store.erase()
