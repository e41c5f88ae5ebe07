"""``treegraph search`` over routes: side by side, explained, and within a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here
from folder_copies import copy_folder

QUESTION = "overview of the pump controller"


@pytest.fixture
def without_graph(workplace: Path, tmp_path: Path) -> Path:
    """The workplace's index, its graph's file lost."""
    index = copy_folder(workplace / "treegraph.index", tmp_path / "lost")
    for path in index.glob("graph.db*"):
        path.unlink()
    return index


def test_all_routes_stand_side_by_side(here: Here) -> None:
    found = here("search", QUESTION, "--route", "all", "-k", "3", "--json").json("search")
    assert found["route"]["asked"] == "auto"
    assert set(found["routes"]) | set(found["left_out"]) == {"hybrid", "tree", "graph"}
    for route, result in found["routes"].items():
        assert result["route"]["used"] == [route]
        assert 0 < len(result["hits"]) <= 3
    shown = here("search", QUESTION, "--route", "all", "-k", "3")
    assert (shown.code, shown.err) == (0, "")
    first = shown.out.splitlines()[0]
    assert [name for name in ("auto", "hybrid", "tree", "graph") if name in first][:3] == [
        "auto",
        "hybrid",
        "tree",
    ]
    assert "manuals/pump.pdf" in shown.out
    assert "scores: " in shown.out


def test_it_is_explained_why(here: Here) -> None:
    done = here("search", QUESTION, "-k", "1", "--explain")
    assert "it asks for a whole" in done.out
    explained = here("search", QUESTION, "-k", "1", "--explain", "--json").json("search")
    assert explained["explanation"]["routing"]["whole"] is True


def test_a_lost_graph_is_named(here: Here, without_graph: Path) -> None:
    done = here("search", QUESTION, "--json", "-i", str(without_graph))
    assert done.code == 0
    assert done.json("search")["degraded"] == ["graph"]
    assert "done without graph" in done.err


def test_a_deadline_is_given_in_seconds(here: Here) -> None:
    done = here("search", QUESTION, "--deadline", "0", "--json")
    assert done.code == 0
    assert done.json("search")["hits"] == []
    assert here("search", QUESTION, "--deadline", "soon").code == 2
