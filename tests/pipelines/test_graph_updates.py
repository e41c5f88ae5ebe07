"""The graph follows its documents: after any changes it is the one that a fresh build makes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from grown_graph import grown_graph, same_graph, whole_graph
from hash_embedder import FakeHashEmbedder
from small_index import build
from small_plant import INDEX_ID, PLANT, UNITS, write_plant
from treegraph.indexer.graph.extraction import Extraction
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.graph.settings import GraphSettings

CANARY = "ZQ-777.CANARY"
SECRET = (
    f"# The Wobbling Gudgeon Extractor\n\n## Quibble\n\n"
    f"The Wobbling Gudgeon Extractor (WGE) requires {CANARY}. "
    f"WGE sets {CANARY} only if GUDGEON_LOCK = 1. {UNITS[0][1]} uses {CANARY}.\n"
)
WORDS = ("ZQ-777", "Gudgeon", "gudgeon", "WGE", "GUDGEON_LOCK", "Quibble")


def fresh(index: Path, plant: Path, tmp_path: Path) -> Path:
    """The same index, built at once."""
    name = f"fresh{len(list(tmp_path.glob('fresh*')))}"
    build(tmp_path / name, plant, config=PLANT, index_id=INDEX_ID, without=("tree",))
    return tmp_path / name


def kept_anywhere(index: Path) -> list[str]:
    """The words of the secret document that stand in a file of the graph, the ledger or the leaves."""
    files = [file for name in ("graph.db*", "ledger.db*", "leaves*") for file in index.glob(name)]
    kept = b"".join(file.read_bytes() for file in files)
    return [word for word in WORDS if word.encode() in kept]


def settle(index: Path, plant: Path) -> None:
    """Two more generations, so that none that is kept knows of what came before."""
    for edition in (8, 9):
        build(index, write_plant(plant, 1, edition=edition), config=PLANT, without=("tree",))


def test_a_graph_that_an_earlier_version_read_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, plant = tmp_path / "index", write_plant(tmp_path / "plant")
    options = {"config": PLANT, "without": ("tree",)}
    extract = PatternExtractor.extract
    with monkeypatch.context() as earlier:
        earlier.setattr(PatternExtractor, "name", "patterns-0")
        earlier.setattr(
            PatternExtractor, "extract", lambda self, passage: named_alone(extract(self, passage))
        )
        build(index, plant, index_id=INDEX_ID, **options)
        assert whole_graph(index).relations == {}
        assert build(index, plant, **options).generation is None
    assert build(index, plant, **options).generation == 2
    now, anew = whole_graph(index), whole_graph(fresh(index, plant, tmp_path))
    assert now == anew, "nor do its communities come from the earlier ones"
    assert build(index, plant, **options).generation is None


def named_alone(found: Extraction) -> Extraction:
    return replace(found, statements=())


@pytest.mark.parametrize("seed", [3, 14])
def test_after_random_changes_the_graph_is_that_of_a_fresh_build(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    index, plant = tmp_path / "index", write_plant(tmp_path / "plant", *range(1, 7))
    build(index, plant, config=PLANT, index_id=INDEX_ID, without=("tree",))
    for step in range(3):
        for number in rng.sample(range(1, 9), 3):
            file = plant / f"unit{number}.md"
            if file.exists() and rng.random() < 0.4:
                file.unlink()
            else:
                write_plant(plant, number, edition=rng.randrange(3))
        (plant / "unit0.md").write_text(f"# Unit U0\n\nU0 requires CR{step}.RUN.\n")
        build(index, plant, config=PLANT, yes=True, without=("tree",))
        same_graph(whole_graph(index), whole_graph(fresh(index, plant, tmp_path)), 0.03)


def test_a_change_of_one_file_leaves_the_rows_of_others_alone(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    report = build(index, write_plant(plant, 3, edition=1), config=PLANT)
    after = whole_graph(index)
    assert report.changed == ["plant/unit3.md"]
    gone, came = before.chunks - after.chunks, after.chunks - before.chunks
    assert 0 < len(gone) < len(before.chunks) / 2
    others = [mention for mention in before.mentions if mention.chunk not in gone]
    assert [mention for mention in after.mentions if mention.chunk not in came] == others
    assert any("U3" in name for name in after.names())


def test_a_state_that_comes_back_has_the_graph_that_it_had(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    build(index, write_plant(plant, 2, edition=1), config=PLANT)
    assert whole_graph(index).stated != before.stated
    build(index, write_plant(plant, 2), config=PLANT)
    same_graph(whole_graph(index), before)


def test_a_renamed_or_retitled_file_keeps_its_statements(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    (plant / "unit1.md").rename(plant / "aaa.md")
    assert build(index, plant, config=PLANT).renamed == ["plant/aaa.md"]
    assert whole_graph(index).stated == before.stated
    (plant / "aaa.md.meta.toml").write_text('title = "The Grand Overture Console"\n')
    build(index, plant, config=PLANT)
    assert "Grand Overture Console" in " ".join(whole_graph(index).names())


def test_changed_labels_are_in_the_graph(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    (plant / "unit1.md.meta.toml").write_text('labels = ["staff"]\n')
    build(index, plant, config=PLANT)
    after = whole_graph(index)
    assert after.mentions == before.mentions
    classes = {one.access for relation in after.relations.values() for one in relation.evidence}
    assert len(classes) == 2
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        own = next(name for name in sorted(after.names()) if name.startswith("U1_"))
        assert opened.entity(own, labels=["staff"]).entity.name == own
        with pytest.raises(treegraph.ConfigurationError, match="no entity is called"):
            opened.entity(own, labels=[])


@pytest.mark.parametrize("how", ["build", "remove", "remove otherwise", "without"])
def test_of_a_removed_document_nothing_is_left(how: str, plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    (plant / "secret.md").write_text(SECRET)
    build(index, plant, config=PLANT)
    assert kept_anywhere(index) == list(WORDS)
    grown = whole_graph(index)
    assert grown.entity("WGE") == grown.entity("The Wobbling Gudgeon Extractor")
    (plant / "secret.md").unlink()
    if how == "build":
        report = build(index, plant, config=PLANT, yes=True)
    elif how == "without":
        report = build(index, plant, config=PLANT, yes=True, without=("graph",))
    else:
        config = PLANT if how == "remove" else replace(PLANT, graph=GraphSettings(community=4))
        report = treegraph.remove(index, ["plant/secret.md"], config=config, embedder=FakeHashEmbedder())
    left_behind = how in ("remove otherwise", "without")
    assert report.removed == ["plant/secret.md"]
    assert report.behind == ({"graph": 2} if left_behind else {})
    reasons = ["graph left behind: it was made with other settings of [graph]"]
    assert list(report.degraded) == (reasons if how == "remove otherwise" else [])
    same_graph(whole_graph(index), before)
    settle(index, plant)
    assert kept_anywhere(index) == []
    assert treegraph.status(index)["structures"]["graph"]["behind"] is False


def test_removing_everything_leaves_nothing(plant_copy: Path) -> None:
    index = plant_copy / "index"
    report = treegraph.remove(index, ["plant"], config=PLANT, yes=True)
    assert (report.entities, report.relations, report.communities) == (0, 0, 0)
    assert (report.degraded, report.behind) == ({}, {})
    assert set(whole_graph(index).counts.values()) == {0}
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        assert list(opened.search("PFC", route="graph").hits) == []
        with pytest.raises(treegraph.ConfigurationError, match=r"no entity is called 'PFC'$"):
            opened.entity("PFC")
    build(index, plant_copy / "plant", config=PLANT)
    assert whole_graph(index).entity("PFC")


def test_documents_handed_over_join_the_graph_and_leave_it(plant_copy: Path) -> None:
    index = plant_copy / "index"
    before = whole_graph(index)
    content = treegraph.Content(SECRET, "text/markdown")
    note = treegraph.Document(id="note", source="note", title="A note", content=content)
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        report = opened.upsert([note])
        assert (report.behind, report.degraded) == ({}, {})
        assert CANARY in {stated.other.name for stated in opened.entity("WGE").relations}
        assert opened.delete(["note"]).degraded == {}
        with pytest.raises(treegraph.ConfigurationError):
            opened.entity("WGE")
    same_graph(whole_graph(index), before)


def test_a_build_without_the_graph_ends_what_rests_on_changed_chunks(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    report = build(index, write_plant(plant, 2, edition=1), config=PLANT, without=("graph",))
    assert report.behind == {"graph": 1}
    assert treegraph.status(index)["structures"]["graph"] == {"generation": 1, "behind": True}
    after = whole_graph(index)
    assert after.chunks < before.chunks
    assert set(after.mentions) < set(before.mentions)
    assert (report.entities, report.relations) == (len(after.entities), len(after.relations))
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        found = opened.search("What does PFC require?", route="graph")
        assert (found.degraded, len(found.hits) > 0) == (("graph",), True)
    report = build(index, plant, config=PLANT)
    assert (report.generation, report.embedded, report.behind) == (3, 0, {})
    assert whole_graph(index).chunks > after.chunks


def test_the_generation_before_comes_back_with_its_graph(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    before = whole_graph(index)
    build(index, write_plant(plant, 2, edition=1), config=PLANT)
    edited = whole_graph(index)
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        held = opened.entity("PFC").to_json()
        treegraph.rollback(index)
        assert opened.entity("PFC").to_json() == held, "an open index stays with its generation"
    assert grown_graph(index) == before
    assert build(index, plant, config=PLANT).generation == 3
    same_graph(whole_graph(index), edited)


def test_an_open_index_reads_the_graph_of_its_generation(plant_copy: Path) -> None:
    index, plant = plant_copy / "index", plant_copy / "plant"
    with treegraph.open_index(index, config=PLANT, embedder=FakeHashEmbedder()) as opened:
        held = opened.entity("PFC").to_json()
        for edition in (1, 2, 3):
            build(index, write_plant(plant, edition=edition), config=PLANT)
            assert opened.entity("PFC").to_json() == held
        opened.refresh()
        assert opened.entity("PFC").to_json() != held
