"""What the walk takes from a graph store, the same from both; with figures where a size is given.

``TREEGRAPH_TEST_ENTITIES=50000 pytest tests/query/test_graph_at_size.py -s`` prints them.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

import numpy as np
import pytest
from graph_model import arrays
from large_graph import LargeGraph, Start, large_graph
from real_neo4j import RealNeo4j
from treegraph.indexer.stores.graph_ports import GraphStore, Subgraph
from treegraph.indexer.stores.graph_rows import KINDS
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.neo4j import connect
from treegraph.query.access import Access
from treegraph.query.graph_open import ReadableGraph
from treegraph.query.graph_settings import GraphReadSettings

pytestmark = pytest.mark.neo4j
GIVEN = os.environ.get("TREEGRAPH_TEST_ENTITIES")
BATCH, SPREAD = 5000, GraphReadSettings().spread
ASKED = 60
"""Questions that are timed, once as many others have been asked."""
READERS = (Access(), Access(classes=("public",)))


@pytest.fixture(scope="module")
def graph() -> LargeGraph:
    return large_graph(int(GIVEN or 200))


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> RealNeo4j:
    """The one that is shared; where a size is given, one with room for it."""
    if GIVEN is None or "TREEGRAPH_TEST_NEO4J_URL" in os.environ:
        shared: RealNeo4j = request.getfixturevalue("real_neo4j")
        return shared
    engine = request.getfixturevalue("neo4j_engine")(settings=("server.memory.pagecache.size=512m",))
    engine.options = ("-Xmx1g",)
    engine.start()
    return RealNeo4j(engine.url, "")


@pytest.fixture(scope="module")
def stores(server: RealNeo4j, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, GraphStore]]:
    """Both, empty."""
    sqlite = SqliteGraphStore(tmp_path_factory.mktemp("large") / "graph.db")
    neo4j = connect(server.url, server.user, server.password or None, str(uuid.uuid4()))
    with closing(sqlite), closing(neo4j):
        yield {"SQLite": sqlite, "Neo4j": neo4j}
        neo4j.erase()


@contextmanager
def timed(spent: list[float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    spent.append(time.perf_counter() - began)


def write(name: str, store: GraphStore, graph: LargeGraph) -> None:
    """Write it in batches, as a build does."""
    with closing(store.write(1, None)) as writer:
        for kind, rows in graph.rows.items():
            spent: list[float] = []
            with timed(spent):
                for at in range(0, len(rows), BATCH):
                    writer.put(kind, rows[at : at + BATCH])
            print(f"{name:7} {len(rows):8,} {kind:10} written in {spent[0]:7.2f} s")
        writer.seal({kind: len(graph.rows[kind]) for kind in KINDS})


def two_hops(graph: ReadableGraph, start: Start) -> object:
    """The relations at three entities, and those at their other ends."""
    where = graph.access.where(None)
    first = graph.snapshot.relations(start.entities, where)
    ends = {end for relation in first for end in (relation.source, relation.target)}
    return graph.snapshot.relations(sorted(ends), where)


def around_entities(graph: ReadableGraph, start: Start) -> Subgraph:
    """What is around three entities."""
    return graph.snapshot.subgraph(start.entities, [], graph.access.where(None), SPREAD)


def neighbourhood(graph: ReadableGraph, start: Start) -> Subgraph:
    """What is around three entities and twenty chunks, as the walk asks."""
    return graph.snapshot.subgraph(start.entities, start.chunks, graph.access.where(None), SPREAD)


def walked(graph: ReadableGraph, start: Start) -> object:
    """All that a walk needs: that neighbourhood, and what is around it."""
    return graph.around(start.entities, start.chunks)


TIMED = (two_hops, around_entities, neighbourhood, walked)


def show(
    name: str,
    graph: ReadableGraph,
    starts: Sequence[Start],
    take: Callable[[ReadableGraph, Start], object],
) -> None:
    """Print the median and the 95th percentile."""
    for start in starts[ASKED:]:
        take(graph, start)
    spent: list[float] = []
    for start in starts[:ASKED]:
        with timed(spent):
            take(graph, start)
    half, most = (1000 * value for value in np.percentile(spent, [50, 95]))
    print(f"{name:7} {take.__name__:16} p50 {half:7.1f} ms, p95 {most:7.1f} ms")


def test_both_stores_give_the_same_and_this_is_what_it_takes(
    graph: LargeGraph, stores: Mapping[str, GraphStore]
) -> None:
    for name, store in stores.items():
        write(name, store, graph)
    snapshots = {name: store.read(1) for name, store in stores.items()}
    starts = graph.starts(2 * ASKED)
    for access in READERS:
        graphs = {
            name: ReadableGraph(snapshot, access, GraphReadSettings(), len(graph.named), None)
            for name, snapshot in snapshots.items()
        }
        for start in starts[:3]:
            one, other = (neighbourhood(each, start) for each in graphs.values())
            assert arrays(one) == arrays(other)
            stated = [two_hops(each, start) for each in graphs.values()]
            assert stated[0] == stated[1]
        for take in (
            (two_hops, around_entities, neighbourhood, walked) if GIVEN and access == Access() else ()
        ):
            for name, each in graphs.items():
                show(name, each, starts, take)
    for snapshot in snapshots.values():
        snapshot.close()
