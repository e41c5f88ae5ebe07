"""Verifying and mending an index whose vectors are on a Qdrant server and whose graph is on a Neo4j one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from damaged_index import YARD, answers, look
from qdrant_client import QdrantClient, models
from qdrant_over_http import qdrant_over_http
from real_neo4j import PASSWORD, RealNeo4j
from small_guide import write_guide
from small_index import build
from small_plant import write_plant
from treegraph.indexer.stores.manifest import read_manifest


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, QdrantClient, str]]:
    """An index of two generations with its vectors on a server, and a client of that."""
    with qdrant_over_http() as url:
        config = replace(YARD, stores=replace(YARD.stores, qdrant=url))
        sources = write_guide(tmp_path / "yard", "valve")
        write_plant(sources, 1)
        build(tmp_path / "index", sources, config=config)
        write_plant(sources, 1, edition=2)
        build(tmp_path / "index", sources, config=config)
        client = QdrantClient(url=url, check_compatibility=False)
        yield tmp_path / "index", client, f"treegraph_{read_manifest(tmp_path / 'index').index_id}"
        client.close()


def test_rows_on_a_qdrant_server(served: tuple[Path, QdrantClient, str]) -> None:
    index, client, collection = served
    intact = answers(index)
    assert look(index, deep=True).findings == []
    records = client.scroll(collection, limit=1000, with_payload=True, with_vectors=True)[0]
    live = sorted((one for one in records if one.payload["until"] > 2), key=lambda one: str(one.id))
    chunks = [one for one in live if one.payload["kind"] == "chunk"]
    client.delete(collection, models.FilterSelector(filter=_key(chunks[0].id)))
    client.set_payload(collection, {"first_page": 9}, models.FilterSelector(filter=_key(chunks[1].id)))
    stray = models.PointStruct(
        id="00000000-0000-4000-8000-00000000000a", payload=chunks[2].payload, vector=chunks[2].vector
    )
    client.upsert(collection, [stray])
    found = look(index)
    kinds = {finding.id: finding.kind for finding in found.findings}
    assert kinds == {
        str(chunks[0].id): "row lost",
        str(chunks[1].id): "row altered",
        str(stray.id): "stray row",
    }
    result = look(index, repair=True)
    assert (result.findings, result.generation) == ([], 3)
    assert answers(index) == intact
    assert look(index, deep=True).sound


def test_what_lies_on_a_qdrant_server_beside_the_index(served: tuple[Path, QdrantClient, str]) -> None:
    index, client, own = served
    other = f"treegraph_{uuid.uuid4()}"
    records = client.scroll(own, limit=3, with_payload=True, with_vectors=True)[0]
    shape = client.get_collection(own).config.params
    for name in (f"{own}_48", f"{own}_64plain", other, "somebody_elses"):
        client.create_collection(
            name, shape.vectors, sparse_vectors_config=shape.sparse_vectors, metadata={"sealed": [1]}
        )
    for name in (f"{own}_48", other):
        points = [models.PointStruct(id=one.id, payload=one.payload, vector=one.vector) for one in records]
        client.upsert(name, points)
    client.update_collection(f"{own}_48", metadata={"sealed": [7]})
    client.update_collection(f"{own}_64plain", metadata={"sealed": []})
    found = look(index)
    assert {one.id: (one.kind, one.mend) for one in found.findings} == dict.fromkeys(
        (f"{own}_48", f"{own}_64plain"), ("left over", "sweep")
    )
    (told,) = (each for each in found.unchecked if "other indexes" in each)
    assert other.removeprefix("treegraph_") in told
    assert client.count(f"{own}_48").count == 3, "looking changes nothing"
    repaired = look(index, repair=True)
    assert (repaired.findings, repaired.generation) == ([], None)
    assert {each.name for each in client.get_collections().collections} == {own, other, "somebody_elses"}
    assert client.count(other).count == 3


def _run(server: RealNeo4j, statement: str, own: dict[str, str]) -> None:
    from neo4j import GraphDatabase

    with GraphDatabase.driver(server.url, auth=(server.user, server.password)) as driver:
        driver.execute_query(statement, own)


def _key(key: object) -> models.Filter:
    return models.Filter(must=[models.HasIdCondition(has_id=[str(key)])])


@pytest.mark.neo4j
def test_rows_on_a_neo4j_server(
    real_neo4j: RealNeo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, real_neo4j.password)
    config = replace(YARD, stores=replace(YARD.stores, neo4j=real_neo4j.url))
    build(tmp_path / "index", write_plant(tmp_path / "plant", 1, 2), config=config)
    index = tmp_path / "index"
    intact = answers(index)
    assert look(index, deep=True).findings == []
    own = {"index": str(uuid.UUID(read_manifest(index).index_id).hex)}
    for statement in (
        "MATCH ()-[r:RELATES {index: $index}]->() WITH r ORDER BY r.id LIMIT 1 SET r.sentences = ['Never.']",
        "MATCH ()-[m:MENTIONS {index: $index}]->() WITH m ORDER BY m.id LIMIT 1 SET m.access = 'other'",
        "MATCH (e:Entity {index: $index}) WITH e ORDER BY e.id LIMIT 1 SET e.name = 'Nemo'",
        "MATCH (c:Community {index: $index}) WITH c ORDER BY c.id LIMIT 1 SET c.report = 'All is well.'",
    ):
        _run(real_neo4j, statement, own)
    found = look(index)
    altered = {one.id.partition(" ")[0] for one in found.findings if one.kind == "row altered"}
    assert altered == {"relation", "mention", "entity", "community"}
    assert {one.kind for one in found.findings} >= {"access", "evidence"}
    result = look(index, repair=True)
    assert (result.findings, result.generation) == ([], 2)
    assert answers(index) == intact
