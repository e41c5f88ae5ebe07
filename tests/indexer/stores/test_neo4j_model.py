"""The graph as a person finds it in Neo4j: the documentation's queries, and what a build leaves there."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from graph_rows import Graph, manual, publish, uid, write
from real_neo4j import RealNeo4j
from treegraph.indexer.stores.graph_rows import ChunkPlace, EntityRow
from treegraph.indexer.stores.neo4j import Neo4jGraphStore, connect

pytestmark = pytest.mark.neo4j

PAGE = (Path(__file__).parents[3] / "docs" / "neo4j.md").read_text("utf-8")
QUERIES = {
    question.strip().splitlines()[0].partition("?")[0]: query
    for question, query in re.findall(r"([^\n]+\?[^\n]*)\n\n```cypher\n(.*?)```", PAGE, re.S)
}
Ask = Callable[..., list[dict[str, Any]]]


class Shelf:
    """One index, its store, and the driver beside it."""

    def __init__(self, server: RealNeo4j, index_id: str) -> None:
        from neo4j import GraphDatabase

        self.store: Neo4jGraphStore = connect(server.url, server.user, server.password, index_id)
        self.index = uuid.UUID(index_id).hex
        self._driver = GraphDatabase.driver(server.url, auth=(server.user, server.password))

    def ask(self, query: str, **given: Any) -> list[dict[str, Any]]:
        """The records that a person would see."""
        found = self._driver.execute_query(query, {"index": self.index, **given})
        return [record.data() for record in found.records]

    def names(self, pattern: str) -> list[list[Any]]:
        """Rows of a query that begins with MATCH."""
        return sorted(list(row.values()) for row in self.ask(f"MATCH {pattern}"))

    def close(self) -> None:
        self.store.erase()
        self.store.close()
        self._driver.close()


@pytest.fixture(scope="module")
def shelf(real_neo4j: RealNeo4j) -> Iterator[Shelf]:
    with closing(Shelf(real_neo4j, str(uuid.uuid4()))) as shelf:
        yield shelf


@pytest.fixture
def index(shelf: Shelf) -> Iterator[Shelf]:
    """The small manual, published as generation 1."""
    publish(shelf.store, 1, None, manual())
    yield shelf
    shelf.store.forget([], 0)


def test_the_page_shows_six_queries() -> None:
    assert len(QUERIES) == 6 == PAGE.count("```cypher")


@pytest.mark.parametrize("question", QUERIES)
def test_every_query_of_the_page_finds_something(index: Shelf, question: str) -> None:
    assert index.ask(QUERIES[question], name="SSE", other="CR4.OSFXSR")


def test_the_relations_of_a_thing_come_with_condition_and_pages(index: Shelf) -> None:
    query = next(query for question, query in QUERIES.items() if "conditions" in question)
    found = [row for row in index.ask(query, name="SSE") if row["target"] == "CR4.OSFXSR"]
    (row,) = found
    assert (row["source"], row["does"]) == ("SSE", "requires")
    assert row["condition"] == "only if CR4.OSFXSR = 1"
    assert row["sentence"].startswith("SSE requires CR4.OSFXSR")
    assert (row["document"], sorted(row["pages"])) == ("manuals/d1.pdf", [1, 2])


def test_communities_lie_within_communities(index: Shelf) -> None:
    query = next(query for question, query in QUERIES.items() if "communities" in question)
    rows = index.ask(query)
    assert {row["community"]: row["within"] for row in rows} == {
        "All": None, "Vectors": "All", "Emulation": "All", "Hidden": "All",
    }  # fmt: skip
    assert {row["community"]: set(row["members"]) for row in rows}["Vectors"] == {
        "ADDPS",
        "SSE",
        "CR4.OSFXSR",
    }


def test_a_query_of_the_page_leaves_the_past_out(index: Shelf) -> None:
    publish(index.store, 2, 1, manual().without("c2"))
    query = next(query for question, query in QUERIES.items() if "conditions" in question)
    assert {row["does"] for row in index.ask(query, name="SSE")} == {"requires", "enables", "disables"}
    assert "CR4.OSFXSR" not in [r["target"] for r in index.ask(query, name="SSE")]


def test_a_chunk_that_moves_keeps_its_mentions_in_both_generations(index: Shelf) -> None:
    moved = manual()
    old = moved.place("c1")
    moved.rows["chunk"][old.key] = ChunkPlace(old.chunk, "d9", "manuals/d9.pdf", "Nine", 4, (7, 7), "public")
    publish(index.store, 2, 1, moved)
    on = "(c:Chunk {index: $index, id: '%s'})-[r:ON]->(p) WHERE %s RETURN p.number"
    assert index.names(on % (old.chunk, "r.until IS NULL")) == [[7]]
    assert index.names(on % (old.chunk, "r.until = 2")) == [[1], [2]]
    mentions = f"(:Chunk {{index: $index, id: '{old.chunk}'}})-[m:MENTIONS]->(e) RETURN e.name, m.until"
    assert index.names(mentions) == [["ADDPS", None], ["SSE", None]]
    assert index.names("(n:Past {index: $index}) RETURN n.kind, n.id, n.until") == [["Chunk", old.chunk, 2]]
    index.store.forget([1], 1)
    assert index.names(on % (old.chunk, "r.until IS NULL")) == [[1], [2]]
    assert index.names("(n:Past {index: $index}) RETURN n.kind") == []
    assert index.names("(d:Document {index: $index, id: 'd9'}) RETURN d.title") == [], "no trace of it"


def test_an_entity_that_is_called_otherwise_keeps_its_relations(index: Shelf) -> None:
    renamed = manual()
    renamed.rows["entity"][uid("SSE")] = EntityRow(uid("SSE"), "Streaming SIMD", "feature")
    publish(index.store, 2, 1, renamed)
    with closing(index.store.write(2, 1)) as writer:
        assert writer.live("entity") == renamed.digests("entity")
    relates = (
        "(s:Entity {index: $index})-[r:RELATES]->(t) WHERE r.until IS NULL AND s.name = 'ADDPS' RETURN t.name"
    )
    assert index.names(relates) == [["Streaming SIMD"]]
    index.store.forget([1], 1)
    assert index.names(relates) == [["SSE"]]


def test_a_removed_document_leaves_nothing(index: Shelf) -> None:
    left = manual().without("s2", "silent")
    publish(index.store, 2, 1, left)
    index.store.forget([2], None)
    assert index.names("(d:Document {index: $index}) RETURN d.title") == [["d1"], ["d2"]]
    assert index.names("(n:Name {index: $index}) WHERE n.form = 'katmai-2' RETURN n.form") == []
    gone = "(n:Entity|Chunk {index: $index}) WHERE n.since IS NULL OR n.until IS NOT NULL RETURN n.id"
    assert index.names(gone) == []


def test_a_removal_of_many_chunks_is_a_few_transactions(
    index: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Graph()
    for at in range(1200):
        graph.chunk(f"c{at}", ordinal=at).says(f"c{at}", "hub").says(f"c{at}", f"e{at % 300}")
    publish(index.store, 2, None, graph)
    calls: list[str] = []
    import neo4j

    for name in ("execute_read", "execute_write"):
        method = getattr(neo4j.Session, name)
        counted = lambda self, work, method=method: (calls.append(""), method(self, work))[1]  # noqa: E731
        monkeypatch.setattr(neo4j.Session, name, counted)
    write(index.store, 3, 2, graph.without(*[f"c{at}" for at in range(1000)]))
    assert len(calls) < 40


def test_nothing_of_an_index_is_left_when_it_is_erased(index: Shelf) -> None:
    index.store.erase()
    assert index.names("(n {index: $index}) RETURN labels(n)") == []
    names = f"treegraph_names_{index.index}"
    assert index.ask("SHOW INDEXES YIELD name WHERE name = $name RETURN name", name=names) == []
