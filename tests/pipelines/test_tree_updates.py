"""The tree follows its documents: only the paths above what changed are made anew."""

from __future__ import annotations

from pathlib import Path

import pytest
import treegraph
from grown_tree import GrownTree, everything_kept, grown_tree, whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import NO_GRAPH, published_content
from small_guide import GUIDE, TOPICS, write_guide
from small_index import build
from treegraph.indexer.types import access_class


def open_guide(index: Path) -> treegraph.Index:
    return treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder())


def new_nodes(before: GrownTree, after: GrownTree) -> set[str]:
    """The nodes that have a row of this generation."""
    return {name for name, key in after.keys.items() if before.keys.get(name) != key}


def note(text: str, name: str = "note") -> treegraph.Document:
    return treegraph.Document(
        id=name, source=name, title="A note", content=treegraph.Content(text, "text/plain")
    )


def test_an_edit_touches_the_paths_above_it_alone(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    write_guide(guide, "pump", edited="membrane")
    report = build(index, guide, config=GUIDE)
    assert report.changed == ["guide/pump.md"]
    after = whole_tree(index)
    came, went = after.chunks.keys() - before.chunks.keys(), before.chunks.keys() - after.chunks.keys()
    assert 0 < len(came) <= 6
    touched = new_nodes(before, after)
    assert touched <= after.above(set(came)) | before.above(set(went))
    assert len(touched) <= 5 < len(after.nodes), "the root, the document, its section and what split it"
    said = {row.payload["title"]: row.payload["text"] for row in after.rows.values()}
    assert "replaced" in said["Membrane"]


def test_a_state_that_comes_back_has_the_tree_that_it_had(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = published_content(index)
    write_guide(guide, "pump", edited="membrane")
    build(index, guide, config=GUIDE)
    write_guide(guide, "pump")
    build(index, guide, config=GUIDE)
    after = whole_tree(index)
    assert published_content(index)["rows"] == before["rows"]
    said = {name: row.payload["text"] for name, row in after.rows.items() if row.payload["title"]}
    assert said == {name: row[0]["text"] for name, row in before["nodes"].items() if row[0]["title"]}


def test_a_renamed_file_keeps_its_nodes_and_no_summary_is_made_again(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    (guide / "pump.md").rename(guide / "zpump.md")
    embedder = FakeHashEmbedder()
    assert build(index, guide, config=GUIDE, embedder=embedder).renamed == ["guide/zpump.md"]
    assert embedder.embedded == []
    assert whole_tree(index).keys == before.keys


def test_changed_labels_change_what_nodes_say_of_their_readers(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    (guide / "pump.md.meta.toml").write_text('labels = ["staff"]\n')
    embedder = FakeHashEmbedder()
    build(index, guide, config=GUIDE, embedder=embedder)
    assert embedder.embedded == []
    tree = whole_tree(index)
    staff = access_class(("staff",))
    pump = next(d.id for d in tree.documents.values() if d.source == "guide/pump.md")
    closed = {name for name, row in tree.rows.items() if staff in row.payload["class"]}
    assert closed == {name for name, node in tree.nodes.items() if pump in node.documents} != set()


def test_a_changed_title_is_in_the_context_of_its_nodes(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    (guide / "pump.md.meta.toml").write_text('title = "The feed pump"\n')
    build(index, guide, config=GUIDE)
    tree = whole_tree(index)
    membrane = next(row for row in tree.rows.values() if row.payload["title"] == "Membrane")
    assert membrane.payload["context"].startswith("The feed pump")


@pytest.mark.parametrize("how", ["build", "remove"])
def test_of_a_removed_document_nothing_is_left(guide_copy: Path, how: str) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    words = (*TOPICS["boiler"], "Burner", "boiler")
    assert all(word in everything_kept(index, 1) for word in words)
    if how == "build":
        (guide / "boiler.md").unlink()
        report = build(index, guide, config=GUIDE, yes=True)
    else:
        report = treegraph.remove(index, ["guide/boiler.md"], config=GUIDE, embedder=FakeHashEmbedder())
    assert (report.removed, report.degraded, report.behind) == (["guide/boiler.md"], {}, {})
    whole_tree(index)
    kept = everything_kept(index, 2)
    assert [word for word in words if word in kept] == []
    assert b"Burner" not in (index / "leaves.npz").read_bytes()


def test_removing_everything_leaves_no_node(guide_copy: Path) -> None:
    index = guide_copy / "index"
    report = treegraph.remove(index, ["guide"], config=GUIDE, yes=True)
    assert (report.nodes, report.behind, report.degraded) == (0, {}, {})
    assert published_content(index) == {
        "documents": {},
        "rows": {},
        "nodes": {},
        "branches": {},
        "graph": NO_GRAPH,
    }
    with open_guide(index) as opened:
        assert list(opened.search("the membrane", route="tree").hits) == []
    assert b"Burner" not in (index / "leaves.npz").read_bytes()
    build(index, guide_copy / "guide", config=GUIDE)
    whole_tree(index)


def test_documents_handed_over_join_the_tree_and_leave_it(guide_copy: Path) -> None:
    index = guide_copy / "index"
    before = grown_tree(index)
    with open_guide(index) as opened:
        report = opened.upsert([note("The manometer of the pump is calibrated every March.")])
        assert (report.behind, report.degraded) == ({}, {})
        joined = whole_tree(index)
        assert len(joined.chunks) == len(before.chunks) + 1
        assert len(new_nodes(before, joined)) <= 3
        opened.upsert([note("The manometer of the pump is sealed.")])
        whole_tree(index)
        assert "every March" not in everything_kept(index, 3)
        report = opened.delete(["note"])
        assert (report.removed, report.behind, report.degraded) == (["note"], {}, {})
    assert "manometer" not in everything_kept(index, 4)
    assert whole_tree(index).chunks.keys() == before.chunks.keys()


def test_documents_handed_over_to_an_index_without_a_tree_grow_none(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    build(index, guide, config=GUIDE, without=("tree",))
    with open_guide(index) as opened:
        report = opened.upsert([note("The manometer of the pump is calibrated every March.")])
    assert (report.nodes, report.behind, report.degraded) == (0, {}, {})
    assert "tree" not in treegraph.status(index)["structures"]


def test_an_open_index_reads_the_tree_of_its_generation(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    question = "Which membrane of the pump is inspected?"
    with open_guide(index) as opened:
        first = [(hit.id, hit.text) for hit in opened.search(question, k=30, route="tree").hits]
        for edited in ("membrane", "impeller", "pressure"):
            write_guide(guide, "pump", edited=edited)
            build(index, guide, config=GUIDE)
            again = [(hit.id, hit.text) for hit in opened.search(question, k=30, route="tree").hits]
            assert again == first
        assert set(treegraph.status(index)["generations"]) == {"1", "3", "4"}
        opened.refresh()
        now = {hit.text for hit in opened.search(question, k=30, route="tree").hits}
        assert now != {text for _, text in first}
    treegraph.gc(index)
    whole_tree(index)
    assert grown_tree(index, 3).nodes


def test_rolling_back_brings_the_tree_back_and_the_next_build_goes_on_from_there(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = published_content(index)
    write_guide(guide, "pump", edited="membrane")
    build(index, guide, config=GUIDE)
    edited = published_content(index)
    treegraph.rollback(index)
    assert published_content(index) == before
    whole_tree(index)
    assert build(index, guide, config=GUIDE).generation == 3
    assert published_content(index) == edited
