"""``auto`` over a real index with a tree and a graph: what it chooses, and what it does without."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from folder_copies import copy_folder
from small_index import build, open_small
from small_plant import PLANT, write_plant
from treegraph.indexer.errors import ConfigurationError, StoreError, StoreUnreachable
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.manifest import read_manifest
from treegraph.query.graph import GraphRetriever
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.index import Index
from treegraph.query.result import SearchResult
from treegraph.query.tree import TreeRetriever

WHOLE = "overview of Unit U2"
FACT = "At how many bar was CR1.RUN lost?"


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("plant")
    report = build(home / "index", write_plant(home / "plant"), config=PLANT)
    assert report.nodes
    assert report.entities
    return home / "index"


@pytest.fixture
def index(plant: Path) -> Iterator[Index]:
    with open_small(plant) as opened:
        yield opened


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result]


def test_a_whole_is_answered_by_the_tree_as_that_route_answers_it(index: Index) -> None:
    found = index.search(WHOLE)
    assert found.route.asked == "auto"
    assert found.route.used == ("tree",)
    assert "it asks for a whole" in found.route.why
    assert found.route.scores["tree"] == max(found.route.scores.values())
    assert ids(found) == ids(index.search(WHOLE, route="tree"))
    assert not found.degraded


def test_a_fact_is_answered_by_hybrid(index: Index) -> None:
    found = index.search(FACT)
    assert found.route.used == ("hybrid",)
    assert ids(found) == ids(index.search(FACT, route="hybrid"))


def test_the_same_question_is_answered_the_same_way(index: Index) -> None:
    first, second = index.search(WHOLE, explain=True).to_json(), index.search(WHOLE, explain=True).to_json()
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_it_says_by_what_it_chose(index: Index) -> None:
    seen: Any = index.search(WHOLE, explain=True).explanation
    assert seen["routing"]["whole"] is True
    assert 0 <= seen["routing"]["gathered"] <= 1
    assert index.search(WHOLE).explanation is None
    assert json.dumps(index.search(WHOLE, explain=True).to_json())


def test_several_questions_are_asked_apart_and_their_evidence_takes_turns(index: Index) -> None:
    one, two = "What does the Primary Feed Controller require?", "What is done when CR1.RUN was lost?"
    found = index.search(f"{one} {two}", explain=True)
    told: Any = found.explanation
    assert [part["question"] for part in told["routing"]["parts"]] == [one, two]
    assert found.route.why.startswith("it asks 2 things")
    first, second = index.search(one), index.search(two)
    assert found[0].id == first[0].id
    assert found[1].id in (second[0].id, first[1].id)
    assert len(set(ids(found))) == len(found) == 10


def test_hybrid_is_asked_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = HybridRetriever.__call__

    def counted(self: HybridRetriever, *arguments: Any) -> Any:
        asked.append(1)
        return whole(self, *arguments)

    monkeypatch.setattr(HybridRetriever, "__call__", counted)
    for question in (WHOLE, FACT, "What does the unit that the Primary Feed Controller requires set?"):
        asked.clear()
        index.search(question)
        assert len(asked) == 1, question


def test_a_structure_that_is_behind_is_not_asked(plant: Path, tmp_path: Path) -> None:
    copy_folder(plant, tmp_path / "index")
    manifest = tmp_path / "index" / "index.toml"
    held = read_manifest(tmp_path / "index").published
    manifest.write_text(manifest.read_text("utf-8").replace(f"tree = {held}", "tree = 0"), "utf-8")
    with open_small(tmp_path / "index") as index:
        found = index.search(WHOLE)
    assert "tree" not in found.route.used
    assert "tree" not in found.route.scores
    assert not found.degraded, "nothing was asked for that is not there"


def test_without_its_graph_auto_answers_from_what_is_left(plant: Path, tmp_path: Path) -> None:
    copy_folder(plant, tmp_path / "index")
    for name in ("graph.db", "graph.db-wal", "graph.db-shm"):
        (tmp_path / "index" / name).unlink(missing_ok=True)
    with open_small(tmp_path / "index") as index:
        for question in (WHOLE, FACT):
            found = index.search(question)
            assert found.degraded == ("graph",)
            assert len(found) > 0
            assert "graph" not in found.route.used
        assert index.search(WHOLE).route.used == ("tree",)
        with pytest.raises(StoreError):
            index.search(WHOLE, route="graph")


def test_a_store_that_failed_is_left_alone_for_a_while(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def gone(self: IndexFolder) -> Any:
        tried.append(1)
        raise StoreUnreachable("the server does not answer")

    monkeypatch.setattr(IndexFolder, "graph", gone)
    with open_small(plant) as index:
        assert [index.search(FACT).degraded for _ in range(3)] == [("graph",)] * 3
    assert len(tried) == 1


def test_a_tree_that_cannot_be_read_is_done_without(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: TreeRetriever, *arguments: Any) -> Any:
        raise StoreError("the store failed")

    with open_small(plant) as index:
        monkeypatch.setattr(TreeRetriever, "__call__", broken)
        found = index.search(WHOLE)
    assert found.degraded == ("tree",)
    assert found.route.used == ("hybrid",)
    assert "tree did not answer" in found.route.why


def slow(seconds: float) -> Any:
    def answer(self: Any, *arguments: Any) -> Any:
        time.sleep(seconds)
        raise AssertionError("nobody waits for this")

    return answer


def test_a_deadline_gives_what_is_there(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ids(index.search(WHOLE, route="hybrid"))
    monkeypatch.setattr(TreeRetriever, "__call__", slow(3))
    for route in ("auto", "tree"):
        began = time.monotonic()
        found = index.search(WHOLE, route=route, deadline=1.0)
        assert time.monotonic() - began < 2.5
        assert found.degraded == ("tree",)
        assert found.route.used == ("hybrid",)
        assert ids(found)[:3] == plain[:3]


def test_a_deadline_that_is_over_gives_nothing_and_says_so(index: Index) -> None:
    for route in ("auto", "hybrid", "tree", "graph"):
        found = index.search(WHOLE, route=route, deadline=0)
        assert len(found) == 0
        assert found.degraded == ("hybrid",)
    with pytest.raises(ConfigurationError, match="deadline"):
        index.search(WHOLE, deadline=-1)


def test_a_deadline_that_is_far_changes_nothing(index: Index) -> None:
    for question in (WHOLE, FACT):
        with_one = index.search(question, deadline=60)
        assert ids(with_one) == ids(index.search(question))
        assert not with_one.degraded


def test_a_late_search_leaves_the_index_closable(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def late(self: GraphRetriever, *arguments: Any) -> Any:
        time.sleep(0.3)
        done.append("done")
        return []

    monkeypatch.setattr(GraphRetriever, "links", late)
    with open_small(plant) as index:
        assert index.search(FACT, deadline=0.15).degraded == ("graph", "enumeration")
    assert not done
    time.sleep(0.4)
    assert done == ["done"]
    with open_small(plant) as index:
        assert len(index.search(FACT)) > 0


def test_an_index_of_one_structure_is_hybrid_and_says_so(tmp_path: Path) -> None:
    build(tmp_path / "index", write_plant(tmp_path / "plant", 1), config=PLANT, without=["tree", "graph"])
    with open_small(tmp_path / "index") as index:
        found = index.search(WHOLE)
    assert found.route.used == ("hybrid",)
    assert found.route.why == "no other structure is built"
    assert found.route.scores == {"hybrid": 1.0}


SECRET = (
    "# Quince Annex\n\n## Pears of the annex\n\nThe QNC-9 requires QNC-1 for pears. QNC-1 sets the pear.\n"
)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An index without, and one with a document that is not for everybody."""
    home = tmp_path_factory.mktemp("guarded")
    folder = write_plant(home / "plant", 1)
    build(home / "open", folder, config=PLANT)
    copy_folder(home / "open", home / "closed")
    (folder / "secret.md").write_text(SECRET * 3, "utf-8")
    (folder / "secret.md.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    build(home / "closed", folder, config=PLANT)
    return home / "open", home / "closed"


@pytest.mark.parametrize(
    "question", ["overview of the Quince Annex", "What does QNC-9 require?", "Pears of the annex"]
)
def test_a_reader_is_routed_by_what_they_may_read(guarded: tuple[Path, Path], question: str) -> None:
    def seen(path: Path, labels: list[str] | None) -> Mapping[str, Any]:
        with open_small(path) as index:
            found = index.search(question, labels=labels, explain=True)
        told: Any = found.explanation
        shown = json.dumps(found.to_json()["hits"])
        same = {key: told["routing"][key] for key in ("names", "phrases", "related", "titled", "said")}
        return {"used": found.route.used, "shown": "QNC" in shown, **same}

    without, hidden, staff = (
        seen(*how) for how in ((guarded[0], []), (guarded[1], []), (guarded[1], ["staff"]))
    )
    assert hidden == without
    assert not hidden["shown"]
    assert staff["shown"]
