"""The graph in a build: whole, the same after edits as from a fresh build, closed to who may not read it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_index import CONFIG, build, manual
from treegraph.pipelines.loading_models import Models

INDEX_ID = "6f1e6c52-6f2a-4f0e-9d3c-0c8d6a3f7b11"
PARTS = ("VALVE-7", "PUMP-12", "CTRL.RESET", "MotorGuard", "FAN-3", "LOCK_STATE")


def _text(rng: random.Random) -> str:
    said = []
    for _ in range(rng.randint(1, 4)):
        one, other = rng.sample(PARTS, 2)
        said.append(f"## {one}\n\n{one} requires {other} only if {rng.choice(PARTS)} is closed.\n")
    return "# Station\n\n" + "\n".join(said)


def _graph(path: Path) -> dict[str, Any]:
    """The published graph; every entity but local ones is in one community of the finest level."""
    graph = published_content(path)["graph"]
    grouped = [member for members in graph.pop("grouped") for member in members]
    assert len(grouped) == len(set(grouped))
    return {**graph, "grouped": sorted(grouped)}


def test_a_first_build_holds_the_graph_and_an_unchanged_one_loads_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = manual(tmp_path / "manuals", a="# A\n\nVALVE-7 requires PUMP-12 only if FAN-3 runs.\n")
    report = build(tmp_path / "index", folder)
    assert report.entities >= 3
    assert report.relations == 1
    status = treegraph.status(tmp_path / "index")
    assert status["structures"]["graph"] == {"generation": 1, "behind": False}
    assert (status["entities"], status["relations"]) == (report.entities, report.relations)
    (relation,) = _graph(tmp_path / "index")["relations"]
    assert relation.type == "requires"
    assert relation.evidence[0].condition == "only if FAN-3 runs"

    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(Models, "extractor", refuse)
    monkeypatch.setattr(Models, "embedder", refuse)
    assert build(tmp_path / "index", folder).generation is None


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_edits_the_graph_is_that_of_a_fresh_build(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    folder = manual(tmp_path / "manuals", **{f"part{n}": _text(rng) for n in range(5)})
    index = tmp_path / "index"
    build(index, folder, index_id=INDEX_ID, without=("tree",))
    for step in range(5):
        name = folder / f"part{rng.randrange(7)}.md"
        if name.exists() and step % 2:
            name.unlink()
        else:
            name.write_text(_text(rng), "utf-8")
        build(index, folder, without=("tree",), yes=True)
    build(tmp_path / "fresh", folder, index_id=INDEX_ID, without=("tree",))
    assert _graph(index) == _graph(tmp_path / "fresh")


def test_a_removed_document_leaves_nothing_and_rolling_back_brings_it_back(tmp_path: Path) -> None:
    folder = manual(
        tmp_path / "manuals",
        kept="# Kept\n\nVALVE-7 requires PUMP-12.\n",
        gone="# Gone\n\nSECRET-99 requires PUMP-12.\n",
    )
    index = tmp_path / "index"
    build(index, folder)
    before = _graph(index)
    treegraph.remove(index, ["manuals/gone.md"], config=CONFIG, embedder=FakeHashEmbedder())
    after = _graph(index)
    assert "SECRET-99" in str(before)
    assert "SECRET-99" not in str(after)
    assert len(after["relations"]) == 1
    treegraph.rollback(index)
    assert _graph(index) == before


def test_without_the_graph_it_stays_behind_less_what_is_gone(tmp_path: Path) -> None:
    folder = manual(
        tmp_path / "manuals",
        a="# A\n\nVALVE-7 requires PUMP-12.\n",
        b="# B\n\nSECRET-99 requires PUMP-12.\n",
    )
    index = tmp_path / "index"
    build(index, folder)
    (folder / "b.md").unlink()
    (folder / "c.md").write_text("# C\n\nFAN-3 requires PUMP-12.\n", "utf-8")
    report = build(index, folder, without=("graph",), yes=True)
    assert report.behind == {"graph": 1}
    held = str(_graph(index))
    assert "SECRET-99" not in held
    assert "FAN-3" not in held
    assert "VALVE-7" in held
    assert build(index, folder).behind == {}
    assert "FAN-3" in str(_graph(index))


def test_a_graph_that_fails_leaves_the_rest_published_and_the_next_build_makes_it(tmp_path: Path) -> None:
    folder = manual(tmp_path / "manuals", a="# A\n\nVALVE-7 requires PUMP-12.\n")
    index = tmp_path / "index"
    build(index, folder, without=("graph",))
    (index / "graph.db").mkdir()
    report = build(index, folder)
    assert any(reason.startswith("graph not made") for reason in report.degraded)
    with treegraph.open_index(index, config=CONFIG, embedder=FakeHashEmbedder()) as opened:
        assert opened.search("VALVE-7", route="hybrid").hits
        with pytest.raises(treegraph.TreegraphError, match="holds no graph"):
            opened.search("VALVE-7", route="graph")
    (index / "graph.db").rmdir()
    assert build(index, folder).relations == 1


def test_nothing_of_an_unreadable_document_comes_out_of_the_graph(tmp_path: Path) -> None:
    folder = manual(
        tmp_path / "manuals",
        open="# Open\n\nVALVE-7 requires PUMP-12. VALVE-7 uses FAN-3.\n",
        closed="# CANARY-1 title\n\nPUMP-12 requires CANARY-2. "
        "VALVE-7 requires PUMP-12 unless CANARY-3 holds.\n",
    )
    (folder / "closed.md.meta.toml").write_text('labels = ["staff"]\nedition = "CANARY-4"\n', "utf-8")
    index = tmp_path / "index"
    build(index, folder)
    with treegraph.open_index(index, config=CONFIG, embedder=FakeHashEmbedder()) as opened:
        assert "CANARY-2" in str(opened.entity("PUMP-12").to_json())
        shown = [opened.entity(name, labels=[]).to_json() for name in ("PUMP-12", "VALVE-7", "FAN-3")]
        for question in ("What does PUMP-12 require?", "CANARY-2", "an overview of VALVE-7, PUMP-12, FAN-3"):
            found = opened.search(question, route="graph", labels=[], explain=True)
            shown.append([hit.to_json() if hasattr(hit, "to_json") else str(hit) for hit in found.hits])
        assert "CANARY" not in str(shown)
        assert shown[0]["mentions"] == 1
        for name in ("CANARY-2", "CANARY-2x", "PUMP-1"):
            with pytest.raises(treegraph.ConfigurationError) as caught:
                opened.entity(name, labels=[])
            assert "CANARY" not in str(caught.value).replace(repr(name), "")
