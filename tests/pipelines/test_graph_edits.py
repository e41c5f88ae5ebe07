"""Merges and splits by hand, and ``treegraph graph``: what is shown, what is remembered, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here, treegraph
from folder_copies import copy_folder
from grown_graph import GrownGraph, whole_graph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build, manual, moved
from treegraph.indexer.errors import ConfigurationError, RouteUnavailable, StoreError
from treegraph.indexer.graph.edits import Edits
from treegraph.pipelines.config import Config
from treegraph.pipelines.graph_edits import edit_graph, graph_edits

WATER = "# Water\n\n## Intake\n\nThe Kestrel Intake Valve requires KIV-40. KIV-40 uses PUMP-12.\n"
STEAM = "# Steam\n\n## Outlet\n\nBLUEBIRD uses PUMP-12 only if LOCK_STATE = 1. BLUEBIRD requires FAN-3.\n"
AIR = "# Air\n\n## Fan\n\nFAN-3 requires PUMP-12.\n"


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small manuals, built by the command line."""
    folder = tmp_path_factory.mktemp("station")
    manual(folder / "manuals", water=WATER, steam=STEAM, air=AIR)
    (folder / "manuals" / "air.md.meta.toml").write_text('labels = ["staff"]\n')
    built = treegraph(folder, "build", "manuals", "-q", "--json")
    assert built.code == 0, built.err
    counts = [built.json("build")[name] for name in ("entities", "relations", "communities")]
    assert min(counts) > 0
    return folder


@pytest.fixture
def shown(station: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here.entered(station, monkeypatch, capsys)


@pytest.fixture
def edited(
    station: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    copy = copy_folder(station, tmp_path / "copy")
    moved(copy / "treegraph.index", copy / "manuals")
    return Here.entered(tmp_path / "copy", monkeypatch, capsys)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    folder = manual(tmp_path / "manuals", water=WATER, steam=STEAM)
    build(tmp_path / "index", folder)
    return tmp_path / "index"


def merged(graph: GrownGraph, first: str = "KIV-40", second: str = "BLUEBIRD") -> bool:
    return graph.entity(first) == graph.entity(second)


def edit(index: Path, first: str = "BLUEBIRD", second: str = "KIV-40") -> int | None:
    return edit_graph(
        index, lambda edits: edits.merge(first, second), config=CONFIG, embedder=FakeHashEmbedder()
    ).generation


def test_an_entity_is_shown_with_evidence_conditions_and_passages(shown: Here) -> None:
    found = shown("graph", "BLUEBIRD", "--json").json("graph")
    (uses,) = [stated for stated in found["relations"] if stated["type"] == "uses"]
    assert (uses["direction"], uses["other"]["name"]) == ("out", "PUMP-12")
    assert uses["evidence"][0]["condition"] == "only if LOCK_STATE = 1"
    assert uses["evidence"][0]["citation"]["source"] == "manuals/steam.md"
    assert found["relation_count"] == len(found["relations"]) == 2
    assert found["communities"][0]["members"] > 1
    assert shown("graph", "bluebird", "--json").json("graph") == found
    assert shown("graph", "show", found["id"], "--json").json("graph") == found
    lines = shown("graph", "BLUEBIRD").out
    assert "BLUEBIRD -[uses]-> PUMP-12" in lines
    assert "condition: only if LOCK_STATE = 1" in lines


def test_a_path_is_shown_with_its_direction(shown: Here) -> None:
    found = shown("graph", "BLUEBIRD", "--to", "PUMP-12", "--json").json("graph-path")
    assert [step["kind"] for step in found["path"]] == ["entity", "relation", "entity"]
    assert (found["path"][1]["direction"], found["path"][1]["type"]) == ("out", "uses")
    back = shown("graph", "PUMP-12", "--to", "BLUEBIRD", "--json").json("graph-path")
    assert back["path"][1]["direction"] == "in"
    assert "-[uses]-> PUMP-12" in shown("graph", "BLUEBIRD", "--to", "PUMP-12").out
    same = shown("graph", "BLUEBIRD", "--to", "bluebird", "--json")
    assert (same.code, same.json("error")["error"]["exit_code"]) == (2, 2)


def test_readers_are_shown_what_is_open_to_them(shown: Here) -> None:
    owner = shown("graph", "FAN-3", "--json").json("graph")
    public = shown("graph", "FAN-3", "--labels", "", "--json").json("graph")
    assert {stated["other"]["name"] for stated in owner["relations"]} == {"BLUEBIRD", "PUMP-12"}
    assert [stated["other"]["name"] for stated in public["relations"]] == ["BLUEBIRD"]
    assert public["mentions"] == owner["mentions"] - 1
    assert shown("graph", "FAN-3", "--labels", "staff", "--json").json("graph") == owner


@pytest.mark.parametrize("name", ["", "BLUEBRID", "\x00", "NONE WHATSOEVER", "' OR 1=1 --"])
def test_an_unknown_name_is_exit_2_and_offers_the_nearest(shown: Here, name: str) -> None:
    done = shown("graph", "show", name, "--json")
    assert done.code == 2
    assert "no entity is called" in done.json("error")["error"]["message"]
    assert ("BLUEBIRD" in done.err) == (name == "BLUEBRID")


def test_merge_split_and_undo_by_the_command_line(edited: Here) -> None:
    index = edited.path / "treegraph.index"
    before = whole_graph(index)
    assert not merged(before)
    report = edited("graph", "merge", "KIV-40", "BLUEBIRD", "--json").json("build")
    assert (report["generation"], report["embedded"], report["entities"]) == (2, 0, len(before.entities) - 1)
    assert merged(whole_graph(index))
    shown = edited("graph", "BLUEBIRD", "--json").json("graph")
    assert {"KIV-40", "BLUEBIRD"} <= {shown["name"], *shown["aliases"]}
    again = edited("graph", "merge", "BLUEBIRD", "KIV-40")
    assert (again.code, "changes nothing" in again.err) == (0, True)
    report = edited("graph", "split", "PUMP-12", "--by-document", "--json").json("build")
    assert report["generation"] == 3
    assert len(edited("graph", "PUMP-12", "--json").json("graph")["others"]) == 2
    listed = edited("graph", "edits", "--json").json("graph-edits")
    assert listed["merges"] == [["BLUEBIRD", "KIV-40"]]
    assert listed["splits"] == [["PUMP-12", "document"]]
    assert edited("graph", "edits").out.splitlines() == [
        "  1  merge  BLUEBIRD  KIV-40",
        "  2  split  PUMP-12  (by document)",
    ]
    built = edited("build", "manuals", "-q", "--json").json("build")
    assert built["generation"] is None, "an edit is part of what the graph was asked to be"
    assert edited("graph", "edits", "--undo", "2", "-q").code == 0
    assert edited("graph", "edits", "--undo", "1").out.startswith("generation 5: ")
    assert whole_graph(index) == before
    assert edited("graph", "edits").out == "no edits by hand\n"
    misspelt = edited("graph", "split", "BLUEBRID")
    assert (misspelt.code, "no entity is called 'BLUEBRID'; there is BLUEBIRD" in misspelt.err) == (0, True)
    assert "edits --undo" in misspelt.err
    assert "no entity" not in edited("graph", "edits", "--undo", "1").err
    refused = edited("graph", "edits", "--undo", "1", "--json")
    assert (refused.code, refused.json("error")["error"]["exit_code"]) == (2, 2)


@pytest.mark.parametrize("names", [("", "BLUEBIRD"), ("  ", "x"), ("", "")])
def test_a_merge_that_means_nothing_is_refused_and_not_remembered(
    edited: Here, names: tuple[str, str]
) -> None:
    done = edited("graph", "merge", *names, "--json")
    assert (done.code, done.json("error")["error"]["exit_code"]) == (2, 2)
    assert edited("graph", "split", "").code == 2
    assert edited("graph", "edits", "--json").json("graph-edits") == {"schema": 1, "merges": [], "splits": []}
    assert edited("build", "manuals", "-q", "--json").json("build")["generation"] is None


def test_an_index_without_a_graph_has_nothing_to_show_or_edit(edited: Here) -> None:
    built = edited("build", "manuals", "-i", "bare", "--without", "graph,tree", "-q", "--json").json("build")
    assert (built["entities"], built["relations"], built["communities"]) == (0, 0, 0)
    commands = (("show", "FAN-3"), ("merge", "FAN-3", "PUMP-12"), ("split", "FAN-3"))
    for command in commands:
        done = edited("graph", *command, "-i", "bare", "--json")
        assert (done.code, "treegraph build SOURCE" in done.err) == (2, True)
        done.json("error")
    searched = edited("search", "FAN-3", "--route", "graph", "-i", "bare")
    assert (searched.code, "treegraph build SOURCE" in searched.err) == (2, True)
    assert edited("graph", "edits", "-i", "none").code == 3


def test_things_of_one_name_are_joined_by_hand_and_taken_apart_again(edited: Here) -> None:
    folder = edited.path / "manuals"
    manual(
        folder,
        west="# West\n\nThe pump P-40 feeds TANK-2.\n",
        east="# East\n\nThe relay P-40 opens LOCK-7.\n",
    )
    assert edited("build", "manuals", "-q").code == 0

    def shown() -> tuple[int, int]:
        found = edited("graph", "P-40", "--json").json("graph")
        return len(found["others"]), found["mentions"]

    assert shown() == (1, 1)
    done = edited("graph", "merge", "P-40", "P-40")
    assert (done.code, "already" in done.err) == (0, False)
    assert shown() == (0, 2)
    again = edited("graph", "merge", "p-40", "P-40")
    assert (again.code, "p-40 is one entity already" in again.err) == (0, True)
    for _ in range(2):
        assert edited("graph", "edits", "--undo", "1", "-q").code == 0
    assert shown() == (1, 1)


def test_an_edit_that_was_never_made_is_made_when_it_is_repeated_and_can_be_taken_back(index: Path) -> None:
    before = whole_graph(index)

    def fails() -> None:
        kept = (index / "graph.db").rename(index.parent / "kept.db")
        (index / "graph.db").mkdir()
        with pytest.raises(StoreError):
            edit(index)
        (index / "graph.db").rmdir()
        kept.rename(index / "graph.db")

    fails()
    back = edit_graph(index, lambda edits: Edits(), config=CONFIG, embedder=FakeHashEmbedder())
    assert (back.generation, graph_edits(index), whole_graph(index)) == (None, Edits(), before)
    fails()
    assert edit(index) is not None
    assert merged(whole_graph(index))
    assert edit(index) is None


def test_an_edit_survives_updates_and_a_build_anew(index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    assert edit(index) == 2
    manual(folder, water=WATER.replace("PUMP-12", "PUMP-13"), late="# Late\n\nBLUEBIRD sets TIMER-9.\n")
    assert build(index, folder).generation == 3
    graph = whole_graph(index)
    assert merged(graph)
    assert {"PUMP-12", "PUMP-13", "TIMER-9"} <= graph.names()
    manual(folder, water="# Water\n\nNothing of it is left here.\n")
    build(index, folder)
    assert "KIV-40" not in whole_graph(index).names()
    manual(folder, water=WATER)
    build(index, folder)
    assert merged(whole_graph(index)), "a name that comes back is what it was taken for"


def test_a_split_takes_a_merge_of_that_name_back(index: Path) -> None:
    edit(index)
    edit_graph(index, lambda edits: edits.split("KIV-40"), config=CONFIG, embedder=FakeHashEmbedder())
    assert not merged(whole_graph(index))
    assert graph_edits(index).merges == ()


def test_an_edit_of_unknown_names_waits_for_them(index: Path, tmp_path: Path) -> None:
    before = whole_graph(index)
    edit(index, "ALPHA-1", "OMEGA-2")
    assert whole_graph(index) == before
    both = "# More\n\n## One\n\nALPHA-1 requires FAN-3.\n\n## Two\n\nOMEGA-2 uses PUMP-12.\n"
    build(index, manual(tmp_path / "manuals", more=both))
    assert merged(whole_graph(index), "ALPHA-1", "OMEGA-2")


def test_an_edit_under_other_settings_is_refused_and_not_remembered(index: Path) -> None:
    from dataclasses import replace

    from treegraph.indexer.graph.settings import GraphSettings

    other: Config = replace(CONFIG, graph=GraphSettings(community=5))
    with pytest.raises(ConfigurationError, match=r"other settings of \[graph\]"):
        edit_graph(index, lambda edits: edits.merge("BLUEBIRD", "KIV-40"), config=other)
    assert graph_edits(index).merges == ()


def test_an_edit_that_its_store_refuses_is_remembered_for_the_next_build(index: Path, tmp_path: Path) -> None:
    before = whole_graph(index)
    kept = (index / "graph.db").rename(tmp_path / "kept.db")
    (index / "graph.db").mkdir()
    with pytest.raises(
        StoreError, match="the edit is remembered, and the next build makes it: graph not made"
    ):
        edit(index)
    (index / "graph.db").rmdir()
    kept.rename(index / "graph.db")
    assert whole_graph(index) == before
    assert build(index, tmp_path / "manuals").generation is not None
    assert merged(whole_graph(index))


def test_there_is_nothing_to_edit_where_there_is_no_graph(tmp_path: Path) -> None:
    build(tmp_path / "index", manual(tmp_path / "manuals", air=AIR), without=("graph",))
    with pytest.raises(RouteUnavailable, match="holds no graph to edit: treegraph build SOURCE"):
        edit(tmp_path / "index")
