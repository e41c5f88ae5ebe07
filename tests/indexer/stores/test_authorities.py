from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from own_authority import Certified, certified
from qdrant_over_http import qdrant_over_http
from real_neo4j import Engine
from treegraph.indexer.errors import StoreError, StoreUnreachable
from treegraph.indexer.stores.folder import graph_store, vector_store


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return certified(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def qdrant(own: Certified) -> Iterator[str]:
    with qdrant_over_http(own) as url:
        yield url


def test_an_authority_of_ones_own_is_trusted_for_qdrant(
    own: Certified, qdrant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGRAPH_QDRANT_CA", str(own.authority))
    with closing(vector_store(qdrant, str(uuid.uuid4()))) as store:
        assert store.forget([], None) == 0


def test_a_certificate_that_nobody_vouches_for_is_named_with_the_variable(
    qdrant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match=r"not trusted.*TREEGRAPH_QDRANT_CA"):
        vector_store(qdrant, str(uuid.uuid4()))
    other = certified(tmp_path / "other")
    monkeypatch.setenv("TREEGRAPH_QDRANT_CA", str(other.authority))
    with pytest.raises(StoreError, match="not trusted"):
        vector_store(qdrant, str(uuid.uuid4()))


@pytest.mark.parametrize("held", [None, "no certificate at all"])
def test_an_authority_that_cannot_be_read_is_named(
    held: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ca.pem"
    if held is not None:
        path.write_text(held)
    monkeypatch.setenv("TREEGRAPH_QDRANT_CA", str(path))
    monkeypatch.setenv("TREEGRAPH_NEO4J_CA", str(path))
    cause = "No such file" if held is None else "no certificate in it"
    with pytest.raises(StoreError, match=f"TREEGRAPH_QDRANT_CA.*{cause}"):
        vector_store("https://127.0.0.1:9", str(uuid.uuid4()))
    with pytest.raises(StoreError, match=f"TREEGRAPH_NEO4J_CA.*{cause}"):
        graph_store("bolt+s://127.0.0.1:9", str(uuid.uuid4()))


@pytest.mark.neo4j
def test_neo4j_over_tls(
    neo4j_engine: Callable[..., Engine], own: Certified, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "server.bolt.tls_level": "REQUIRED",
        "dbms.ssl.policy.bolt.enabled": "true",
        "dbms.ssl.policy.bolt.base_directory": str(own.key.parent),
        "dbms.ssl.policy.bolt.private_key": own.key.name,
        "dbms.ssl.policy.bolt.public_certificate": own.certificate.name,
        "dbms.ssl.policy.bolt.client_auth": "NONE",
    }
    engine = neo4j_engine(settings=tuple(f"{name}={value}" for name, value in settings.items()))
    engine.start()
    secure = engine.url.replace("bolt://", "bolt+s://")
    with pytest.raises(StoreError, match=r"not trusted.*TREEGRAPH_NEO4J_CA"):
        graph_store(secure, str(uuid.uuid4()))
    with pytest.raises(StoreUnreachable):
        graph_store(engine.url, str(uuid.uuid4()))
    monkeypatch.setenv("TREEGRAPH_NEO4J_CA", str(own.authority))
    with closing(graph_store(secure, str(uuid.uuid4()))) as store:
        assert store.read(1).communities is not None
