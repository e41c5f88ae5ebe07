"""The graph in a build: when it is made, that it is whole, and when there is nothing to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import treegraph
from command_line import validate
from grown_graph import grown_graph, whole_graph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_index import build, manual
from small_plant import INDEX_ID, PLANT, UNITS, write_plant
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.pipelines.loading_models import Models

KINDS = ("entities", "relations", "communities")


def counted(report: treegraph.BuildReport) -> tuple[int, ...]:
    return report.entities, report.relations, report.communities


def held(index: Path) -> tuple[int, ...]:
    graph = whole_graph(index)
    return len(graph.entities), len(graph.relations), len(graph.communities)


def without_graph(content: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in content.items() if name != "graph"}


def open_plant(index: Path) -> treegraph.Index:
    return treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder())


def test_a_first_build_has_the_graph_whole(grown_plant: Path) -> None:
    graph = whole_graph(grown_plant / "index")
    assert graph.chunks == published_content(grown_plant / "index")["rows"].keys()
    assert {short for _, short in UNITS} <= graph.names()
    assert any(one.condition for relation in graph.relations.values() for one in relation.evidence)
    long, short = next(pair for pair in UNITS if pair[0] in graph.names())
    assert graph.entity(long) == graph.entity(short), "an abbreviation is an alias"


def test_report_status_and_an_open_index_count_the_same(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    unchanged = build(index, plant, config=PLANT)
    status = treegraph.status(index)
    assert tuple(status[kind] for kind in KINDS) == held(index)
    assert counted(unchanged) == held(index), "also where nothing was published"
    write_plant(plant, 2, edition=1)
    report = build(index, plant, config=PLANT)
    assert counted(report) == held(index)
    validate("build", report.to_json())
    validate("build", unchanged.to_json())
    validate("status", treegraph.status(index))
    assert "graph" in report.seconds


def test_an_unchanged_build_publishes_nothing_and_loads_no_model(
    grown_plant: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    for name in ("embedder", "extractor", "reporter"):
        monkeypatch.setattr(Models, name, refuse)
    report = build(grown_plant / "index", grown_plant / "plant", config=PLANT)
    assert (report.generation, report.degraded) == (None, {})


def test_without_the_graph_there_is_none_and_a_later_build_adds_it(grown_plant: Path, tmp_path: Path) -> None:
    index, plant = tmp_path / "index", grown_plant / "plant"
    report = build(index, plant, config=PLANT, index_id=INDEX_ID, without=("graph",))
    assert (counted(report), report.behind) == ((0, 0, 0), {})
    status = treegraph.status(index)
    assert "graph" not in status["structures"]
    assert tuple(status[kind] for kind in KINDS) == (0, 0, 0)
    assert not (index / "graph.db").exists()
    with open_plant(index) as opened:
        for ask in (lambda: opened.search("PFC", route="graph"), lambda: opened.entity("PFC")):
            with pytest.raises(treegraph.TreegraphError, match="holds no graph: treegraph build SOURCE"):
                ask()
    assert build(index, plant, config=PLANT, without=("graph",)).generation is None
    embedder = FakeHashEmbedder()
    report = build(index, plant, config=PLANT, embedder=embedder)
    assert (report.generation, embedder.embedded) == (2, [])
    assert counted(report) == held(index)
    assert grown_graph(index) == grown_graph(grown_plant / "index")


def test_without_the_tree_the_graph_is_the_same(grown_plant: Path, tmp_path: Path) -> None:
    build(tmp_path / "index", grown_plant / "plant", config=PLANT, index_id=INDEX_ID, without=("tree",))
    assert whole_graph(tmp_path / "index") == grown_graph(grown_plant / "index")


def test_changed_settings_make_the_graph_anew_and_nothing_else(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before, content = whole_graph(index), published_content(index)
    narrow = replace(PLANT, graph=GraphSettings(community=4))
    embedder = FakeHashEmbedder()
    report = build(index, plant, config=narrow, embedder=embedder)
    assert (report.generation, report.changed, embedder.embedded) == (2, [], [])
    after = whole_graph(index)
    assert after.stated == before.stated
    assert after.communities != before.communities
    finest = [one for one in after.communities.values() if one.level == 0]
    assert max(len(one.members) for one in finest) <= 4
    assert without_graph(published_content(index)) == without_graph(content)
    assert build(index, plant, config=narrow).generation is None
    assert build(index, plant, config=PLANT).generation == 3
    assert whole_graph(index) == before


def test_any_order_of_files_gives_the_same_graph(grown_plant: Path, tmp_path: Path) -> None:
    plant = tmp_path / "plant"
    for number in (4, 2, 1, 3):
        write_plant(plant, number)
    build(tmp_path / "index", plant, config=PLANT, index_id=INDEX_ID)
    assert grown_graph(tmp_path / "index") == grown_graph(grown_plant / "index")


def test_of_documents_that_name_nothing_there_is_an_empty_graph(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "notes.txt").write_text("- - - ... ***\n")
    (folder / "more.txt").write_text("and so on, as it was before.\n")
    report = build(tmp_path / "index", folder)
    assert (report.generation, report.failed, report.degraded) == (1, [], {})
    assert treegraph.status(tmp_path / "index")["structures"]["graph"] == {"generation": 1, "behind": False}
    assert counted(report) == held(tmp_path / "index")
    with treegraph.open_index(tmp_path / "index", embedder=FakeHashEmbedder()) as opened:
        assert len(opened.search("how it was before", route="graph").hits) > 0
    assert build(tmp_path / "index", folder).generation is None


def test_two_hops_lead_from_an_instruction_to_the_bit_that_must_be_set(tmp_path: Path) -> None:
    folder = manual(
        tmp_path / "m",
        addps="# Instructions\n\n## ADDPS\n\nADDPS requires SSE. It adds four values.\n",
        sse="# Extensions\n\n## SSE\n\nSSE requires CR4.OSFXSR. The system sets it at start.\n",
        fpu="# Numeric unit\n\n## Emulation\n\nWAIT requires CR0.EM. Set it before the unit is used.\n",
    )
    build(tmp_path / "index", folder)
    with treegraph.open_index(tmp_path / "index", embedder=FakeHashEmbedder()) as opened:
        path = opened.entity_path("ADDPS", "CR4.OSFXSR")
        assert [step.entity.name for step in path.steps] == ["SSE", "CR4.OSFXSR"]
        assert {step.direction for step in path.steps} == {"out"}
        found = opened.search(
            "which control register bit must the operating system set before ADDPS can run",
            k=2,
            route="graph",
        )
        assert any("CR4.OSFXSR" in hit.text for hit in found.hits)
        assert not any("CR0.EM" in hit.text for hit in found.hits)
