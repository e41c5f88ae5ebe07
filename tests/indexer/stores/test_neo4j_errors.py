"""What a Neo4j that is away, old, full, read-only or closed to us gets: an error that says what to do."""

from __future__ import annotations

import socket
import sys
import uuid

import pytest
from fake_bolt import fake_bolt
from real_neo4j import RealNeo4j
from treegraph.indexer.errors import StoreError, StoreFull, StoreUnreachable
from treegraph.indexer.stores.neo4j import Neo4jGraphStore, connect
from treegraph.indexer.stores.neo4j_errors import server_errors
from treegraph.indexer.stores.ports import Filter

INDEX = "7b1c4a52-6f0e-4c3e-9d0f-2f8f6f1b8f11"
EVERY = Filter()


def quick(url: str, password: str | None = None, **given: object) -> Neo4jGraphStore:
    """A store that does not try for long."""
    return connect(url, "neo4j", password, str(uuid.uuid4()), retry_seconds=1.0, **given)  # type: ignore[arg-type]


def test_nobody_there_is_unreachable_and_no_secret_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pytest.importorskip("neo4j")
    with pytest.raises(StoreUnreachable, match="docker compose") as caught:
        quick(f"bolt://127.0.0.1:{port}", "a-secret-password")
    assert f"bolt://127.0.0.1:{port}" in str(caught.value)
    assert "a-secret-password" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:7474", "127.0.0.1:7687", "bolt:///", "bolt://u:hush@h:x", "bolt://[hush"]
)
def test_an_address_that_is_none_says_what_one_is_like(url: str) -> None:
    pytest.importorskip("neo4j")
    with pytest.raises(StoreError, match=r"it is like neo4j://host:7687") as caught:
        quick(url)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "agent", ["Neo4j/4.4.38", "Neo4j/5.25.1", "Neo4j/2025.01.0", "Memgraph/2.0", "Neo4j/dev"]
)
def test_another_version_is_refused(agent: str) -> None:
    pytest.importorskip("neo4j")
    with fake_bolt(agent) as url, pytest.raises(StoreError, match=r"needs Neo4j 5, from 5\.26 on") as caught:
        quick(url)
    assert agent in str(caught.value)


def test_a_server_that_speaks_an_older_bolt_is_refused() -> None:
    pytest.importorskip("neo4j")
    with fake_bolt("Neo4j/4.1.0", version=b"\0\0\0\0") as url, pytest.raises(StoreError, match=url):
        quick(url)


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "neo4j"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(StoreError, match=r"pip install 'treegraph\[neo4j\]'"):
        connect("bolt://127.0.0.1:1", "neo4j", None, INDEX)


@pytest.mark.parametrize(
    ("code", "told", "error", "remedy"),
    [
        ("Neo.DatabaseError.General.UnknownError", "No space left on device", StoreFull, "free some"),
        ("Neo.TransientError.General.OutOfMemoryError", "heap", StoreFull, "heap.max_size"),
        ("Neo.TransientError.General.DatabaseUnavailable", "starting", StoreUnreachable, "in a while"),
        ("Neo.ClientError.Cluster.NotALeader", "follower", StoreError, "neo4j://"),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "read only", StoreError, "for writing"),
        ("Neo.ClientError.Security.Forbidden", "no right", StoreError, "who may write"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", "too many", StoreError, "wait a minute"),
        ("Neo.DatabaseError.General.UnknownError", "odd", StoreError, "log says more"),
    ],
)  # fmt: skip
def test_every_failure_says_what_to_do(code: str, told: str, error: type[StoreError], remedy: str) -> None:
    exceptions = pytest.importorskip("neo4j.exceptions")
    raised = exceptions.Neo4jError._hydrate_neo4j(code=code, message=told)
    with pytest.raises(StoreError, match=remedy) as caught, server_errors("bolt://there:7687"):
        raise raised
    assert type(caught.value) is error
    assert "bolt://there:7687" in str(caught.value)
    assert caught.value.__cause__ is raised


@pytest.mark.neo4j
def test_a_wrong_password_names_its_variable(real_neo4j: RealNeo4j) -> None:
    with pytest.raises(StoreError, match="TREEGRAPH_NEO4J_PASSWORD") as caught:
        quick(real_neo4j.url, "not-the-password")
    assert "not-the-password" not in str(caught.value)
    assert not isinstance(caught.value, StoreUnreachable)
    quick(real_neo4j.url, real_neo4j.password).close()


@pytest.mark.neo4j
def test_a_database_that_is_not_there_is_named(real_neo4j: RealNeo4j) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        quick(real_neo4j.url, real_neo4j.password, database="nowhere")
    quick(real_neo4j.url, real_neo4j.password, database="neo4j").close()
