"""The contract of graph stores, kept by a real Neo4j."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from real_neo4j import RealNeo4j
from treegraph.indexer.stores.neo4j import Neo4jGraphStore, connect

pytest.register_assert_rewrite("graph_contract", "graph_model")

from graph_contract import GraphStoreContract, Open  # noqa: E402

pytestmark = pytest.mark.neo4j
SPACE = uuid.uuid4()
"""Nobody else has indexes of these ids."""


class Emptied(Neo4jGraphStore):
    """A store whose erasing leaves its full-text index: making it costs the server every plan it has."""

    def erase(self) -> None:
        self.forget([], 0)


class TestNeo4j(GraphStoreContract):
    """Fewer random histories and shorter lists: each step is a transaction on a server."""

    examples = 4
    many = 5000

    @pytest.fixture
    def opened(self, real_neo4j: RealNeo4j) -> Iterator[Open]:
        """Stores of a few indexes, the same for all tests and emptied after each."""
        names = set[str]()

        def open_store(name: str) -> Neo4jGraphStore:
            name, _, history = name.replace("history", "index").partition("-")
            names.add(name)
            index_id = str(uuid.uuid5(SPACE, name))
            store = connect(real_neo4j.url, real_neo4j.user, real_neo4j.password, index_id)
            if history:
                store.__class__ = Emptied
            return store

        yield open_store
        for name in names:
            store = open_store(name)
            store.forget([], 0)
            store.close()
