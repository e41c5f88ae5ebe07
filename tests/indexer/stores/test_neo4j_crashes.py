"""A Neo4j that is killed while a generation is written: that goes on, or the next run does, to one graph."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import closing

import pytest
from real_neo4j import Engine
from treegraph.indexer.errors import StoreUnreachable
from treegraph.indexer.stores.neo4j import connect
from treegraph.indexer.stores.ports import Filter

pytest.register_assert_rewrite("graph_model")

from graph_contract import agree, read  # noqa: E402
from graph_rows import Graph, manual, publish, write  # noqa: E402

pytestmark = pytest.mark.neo4j


def grown(size: int) -> Graph:
    """The manual without a chunk, and many new ones."""
    graph = manual().without("c1")
    for at in range(size):
        graph.chunk(f"n{at}", f"d{at % 7}", ordinal=at).says(f"n{at}", f"e{at % 97}").says(f"n{at}", "SSE")
        graph.relates(f"e{at % 97}", "uses", "SSE", f"n{at}")
    return graph


def killed_while(engine: Engine, seconds: float, work: Callable[[], None]) -> None:
    """Do ``work``, and kill the engine that much later."""
    timer = threading.Timer(seconds, engine.kill)
    timer.start()
    try:
        work()
    finally:
        timer.join()


def test_a_killed_engine_loses_nothing_and_shows_nothing_by_halves(
    neo4j_engine: Callable[..., Engine],
) -> None:
    engine, index, second = neo4j_engine(), str(uuid.uuid4()), grown(400)
    engine.start()
    with closing(connect(engine.url, "neo4j", None, index, retry_seconds=1.0)) as store:
        publish(store, 1, None, manual())
        with pytest.raises(StoreUnreachable):
            killed_while(engine, 1.5, lambda: write(store, 2, 1, second, batch=5))
    engine.start()
    with closing(connect(engine.url, "neo4j", None, index)) as store:
        with read(store, 1) as snapshot:
            agree(snapshot, manual(), Filter())
        restart = threading.Timer(2.0, lambda: (engine.kill(), engine.start()))
        restart.start()
        write(store, 2, 1, second, batch=20)
        restart.join()
        publish(store, 2, 1, second)
        with closing(store.write(2, 1)) as writer:
            assert writer.live("mention") == second.digests("mention")
            assert writer.live("relation") == second.digests("relation")
        for generation, graph in ((1, manual()), (2, second)):
            with read(store, generation) as snapshot:
                agree(snapshot, graph, Filter(classes=["public"]), limits=(3,))
    engine.stop()
