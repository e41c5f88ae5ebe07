"""A Neo4j that dies under a build, at the instant that was chosen for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from real_neo4j import Engine
from treegraph.indexer.stores import neo4j
from treegraph.indexer.stores.neo4j_server import Neo4jServer

READER = "reader"


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Have stores wait so long for a server that is gone."""
    connect = neo4j.connect

    def patient(*given: Any, **options: Any) -> neo4j.Neo4jGraphStore:
        return connect(*given, **options, retry_seconds=seconds)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(neo4j, "connect", patient)
        yield


@contextmanager
def statements(each: Callable[[str], None]) -> Iterator[None]:
    """Have ``each`` called with every statement before it is sent, but for those of the thread ``READER``."""
    run = Neo4jServer._run

    def told(self: Neo4jServer, transaction: Any, cypher: str, given: Any) -> Any:
        if threading.current_thread().name != READER:
            each(cypher)
        return run(self, transaction, cypher, given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Neo4jServer, "_run", told)
        yield


@contextmanager
def killed_at(engine: Engine, statement: int, seconds: float, back: bool) -> Iterator[None]:
    """Kill the engine so long after this many statements were sent, and start it again at once if it is to
    come ``back``. When the block ends it was killed in any case, and is up again if so."""

    def strike() -> None:
        engine.kill()
        if back:
            engine.start()

    timer, sent = threading.Timer(seconds, strike), count()

    def look(_: str) -> None:
        if next(sent) == statement:
            timer.start()

    with statements(look):
        yield
    if timer.ident is None:
        timer.start()
    timer.join()
