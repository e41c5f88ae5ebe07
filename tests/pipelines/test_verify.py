"""An index is held against what its rows were made of: what is damaged is found, and mended if derived."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from corruptions import CORRUPTIONS, STORES, damaged, seeded
from corruptions_vectors import points, shard
from damaged_index import YARD, Corruption, answers, look, make_yard, published, reports
from folder_copies import copy_folder
from hash_embedder import FakeHashEmbedder
from small_index import build, manual, moved, open_small
from small_plant import write_plant
from treegraph.pipelines.verification.verify import verify

EVERY = "TREEGRAPH_CORRUPTIONS"
"""How many corruptions are tried one by one; without it a few, all at once."""
TOGETHER = (
    "a letter of a chunk's text", "two chunks' vectors exchanged", "a node's row dropped", "a file's version",
    "a chunk's digest in the ledger", "a mention dropped", "evidence in another chunk", "a picture dropped",
    "a community's report",
)  # fmt: skip
"""Derived ones of every store that do not undo each other."""
Yard = tuple[Path, list[object]]


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    """The folder of an intact index and its sources, and what that answers."""
    folder = make_yard(tmp_path_factory.mktemp("verify") / "home")
    return folder, answers(folder / "index")


@pytest.fixture
def copy(yard: Yard, tmp_path: Path) -> Path:
    """A copy of the folder, for what changes it."""
    copied = copy_folder(yard[0], tmp_path / "copy")
    moved(copied / "index", copied / "yard")
    return copied


def named(*names: str) -> list[tuple[Corruption, int]]:
    chosen = [(one, at) for at, one in enumerate(CORRUPTIONS) if one.name in names]
    assert len(chosen) == len(names)
    return chosen


def test_an_intact_index_is_sound(yard: Yard) -> None:
    index = yard[0] / "index"
    for deep in (False, True):
        result = look(index, deep=deep)
        assert (result.sound, result.findings, result.generations) == (True, [], [2, 1])
        assert result.checked["chunks"] == result.checked["graph chunk"] > 100
        assert result.checked["pages"] == 8
        assert bool(result.unchecked) != deep, "without the encoder something is not compared"
    assert published(index) == 2


@pytest.mark.parametrize("store", STORES)
def test_what_is_damaged_in_a_store_is_found(yard: Yard, tmp_path: Path, store: str) -> None:
    (corruption, seed), *_ = [one for one in seeded(len(CORRUPTIONS), 7) if one[0] in STORES[store]]
    index = damaged(yard[0], tmp_path / "index", (corruption, seed))
    result = look(index, deep=corruption.deep)
    assert not result.sound, corruption.name
    assert all(finding.derived for finding in result.findings), result.findings


def test_damage_in_every_store_is_mended_at_once(yard: Yard, tmp_path: Path) -> None:
    home, intact = yard
    index = damaged(home, tmp_path / "index", *named(*TOGETHER))
    found = look(index)
    assert {finding.store for finding in found.findings} >= {"vectors", "ledger", "graph", "images"}
    with treegraph.open_index(index, config=YARD, embedder=FakeHashEmbedder()) as reader:
        before = [hit.id for hit in reader.search("the valve", k=20, route="hybrid").hits]
        result = look(index, repair=True)
        assert (result.findings, result.generation) == ([], 3)
        assert {one.id for one in result.mended} == {one.id for one in found.findings}
        assert [hit.id for hit in reader.search("the valve", k=20, route="hybrid").hits] == before
    assert answers(index) == intact
    assert not any("All is well." in report for _, _, _, report, _ in reports(index))
    with pytest.raises(treegraph.GenerationGone):
        treegraph.rollback(index)
    assert look(index, deep=True).sound


@pytest.mark.skipif(EVERY not in os.environ, reason=f"${EVERY} says how many are tried one by one")
@pytest.mark.parametrize("at", range(int(os.environ.get(EVERY, "0"))))
def test_each_corruption(yard: Yard, tmp_path: Path, at: int) -> None:
    home, intact = yard
    corruption, seed = seeded(at + 1, 1)[at]
    index = damaged(home, tmp_path / "index", (corruption, seed))
    assert not look(index, deep=corruption.deep).sound, corruption.name
    result = look(index, deep=corruption.deep, repair=True)
    if corruption.derived:
        assert (result.findings, answers(index)) == ([], intact), corruption.name


def test_a_chunk_open_to_others_than_its_document_is_said_to_be(yard: Yard, tmp_path: Path) -> None:
    index = copy_folder(yard[0] / "index", tmp_path / "index")
    with shard(index) as opened:
        import qdrant_edge as engine

        hidden = next(point for point in points(opened, "chunk") if point.payload["class"] != "public")
        payload = {**hidden.payload, "class": "public"}
        opened.update(
            engine.UpdateOperation.upsert_points([engine.Point(str(hidden.id), hidden.vector, payload)])
        )
    (finding,) = look(index).findings
    assert (finding.kind, finding.id, finding.source) == ("row altered", str(hidden.id), "yard/unit3.md")
    assert "others may read it" in finding.what


def test_what_cannot_be_read_again_goes_and_the_next_build_brings_it_back(yard: Yard, copy: Path) -> None:
    index, sources = copy / "index", copy / "yard"
    for back in (0, 1):  # from both generations, so that none proves it
        with shard(index, back) as opened:
            import qdrant_edge as engine

            gone = next(p for p in points(opened, "chunk") if "gasket" in p.payload["text"])
            opened.update(engine.UpdateOperation.delete_points([str(gone.id)]))
    sources.rename(copy / "elsewhere")
    result = look(index, repair=True)
    assert [finding.kind for finding in result.findings] == ["coverage"]
    assert result.findings[0].source == "yard/valve.md"
    (copy / "elsewhere").rename(sources)
    assert build(index, sources, config=YARD).generation == 4
    left = {(finding.kind, *finding.generations) for finding in look(index).findings}
    assert left == {("coverage", 3)}, "the generation before has the gap until it goes"
    assert answers(index) == yard[1]


def test_what_a_stopped_build_left_is_no_damage(copy: Path) -> None:
    index, stop = copy / "index", threading.Event()

    def listen(event: object) -> None:
        if getattr(event, "stage", "") == "tree":
            stop.set()

    write_plant(copy / "yard", 1, edition=4)
    with pytest.raises(treegraph.Cancelled):
        build(index, copy / "yard", config=YARD, on_event=listen, cancel=stop)
    assert look(index).findings == []
    build(index, copy / "yard", config=YARD)
    assert look(index).findings == []
    treegraph.rollback(index)
    assert look(index).findings == []


def test_a_build_beside_it_is_no_damage(copy: Path) -> None:
    index, built = copy / "index", threading.Event()
    write_plant(copy / "yard", 1, edition=4)

    def listen(event: object) -> None:
        if not built.is_set():
            built.set()
            assert build(index, copy / "yard", config=YARD).generation == 3

    result = look(index, on_event=listen)
    assert result.findings == []
    assert "a run wrote meanwhile" in result.unchecked[-1]
    assert look(index).findings == []


def test_documents_that_were_all_renamed_are_no_damage(tmp_path: Path) -> None:
    source, index = manual(tmp_path / "g", pump="# Pump\n\nThe pump runs.\n"), tmp_path / "index"
    build(index, source)
    (source / "pump.md").rename(source / "renamed.md")
    assert build(index, source).renamed == ["g/renamed.md"]
    assert verify(index).findings == []


def test_rows_that_go_with_a_generation_that_was_read_are_no_damage(tmp_path: Path) -> None:
    source, index = manual(tmp_path / "g", pump="The pump runs."), tmp_path / "index"
    build(index, source)
    with open_small(index):
        for number in range(3):
            manual(source, pump=f"The pump runs {number}.", valve=f"The valve {number}.")
            build(index, source)
        assert verify(index).findings == []
    assert verify(index).findings == []


def test_a_build_that_publishes_nothing_leaves_no_work_behind(tmp_path: Path) -> None:
    source, index = manual(tmp_path / "g", pump="The pump runs."), tmp_path / "index"
    build(index, source)
    manual(source, pump="The pump is POISON now.")
    report = build(index, source, embedder=FakeHashEmbedder(fails=lambda text: "POISON" in text))
    assert (report.generation, len(report.failed)) == (None, 1)
    assert verify(index).findings == []


def test_a_tree_and_a_graph_that_are_behind_are_no_damage(copy: Path) -> None:
    index = copy / "index"
    write_plant(copy / "yard", 1, edition=4)
    assert build(index, copy / "yard", config=YARD, without=["tree", "graph"]).behind
    assert look(index).findings == []


def test_the_command_says_what_is_wrong_and_mends_it(
    yard: Yard, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(copy, monkeypatch, capsys)
    assert (here("verify", "-i", "index").code, here("verify", "-i", "nowhere").code) == (0, 3)
    (copy / "index" / "vectors" / "gone-1").mkdir()
    found = here("verify", "-i", "index", "--json")
    (finding,) = found.json("verify")["findings"]
    assert (found.code, finding["kind"], finding["derived"]) == (1, "left over", True)
    shown = here("verify", "-i", "index")
    assert "treegraph verify --repair mends 1 of them" in shown.out
    mended = here("verify", "-i", "index", "--repair")
    assert (mended.code, "the index is sound" in mended.out) == (0, True)
    assert not (copy / "index" / "vectors" / "gone-1").exists()
    shutil.rmtree(copy / "index" / "vectors")
    assert here("verify", "-i", "index").code == 1
