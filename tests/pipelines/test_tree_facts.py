"""The facts of nodes in an index: never stale, never indexed, and never shown where the node is not."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from grown_tree import GrownTree, everything_kept, grown_tree, true_rows, whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_guide import GUIDE, INDEX_ID, TOPICS, write_guide
from small_index import build


def texts(tree: GrownTree) -> set[str]:
    return {fact["text"] for row in tree.rows.values() for fact in row.payload["facts"]}


def named(tree: GrownTree, title: str) -> str:
    return next(name for name, node in tree.nodes.items() if node.branch.title == title)


def test_a_chapter_counts_its_sections_and_the_root_its_documents(grown_guide: Path) -> None:
    tree = whole_tree(grown_guide / "index")
    assert "3 sections: Pressure; Membrane; Impeller" in texts(tree)
    assert "2 sections: Rotor; Stator" in texts(tree)
    root = tree.rows[str(tree.skeleton.root)].payload["facts"][0]
    assert root["text"] == "5 documents: The boiler; The filter; The pump; The valve; paged.pdf"
    assert set(root["members"]) == tree.documents.keys()


def test_facts_are_no_part_of_what_is_found(tmp_path: Path) -> None:
    guide, embedder = write_guide(tmp_path / "guide", "pump", "valve"), FakeHashEmbedder()
    build(tmp_path / "index", guide, config=GUIDE, embedder=embedder)
    tree = whole_tree(tmp_path / "index")
    assert {"2 documents: The pump; The valve"} < texts(tree)
    assert not [text for text in embedder.embedded if "sections:" in text or "documents:" in text]
    for row in tree.rows.values():
        assert not [fact for fact in row.payload["facts"] if fact["text"] in row.payload["text"]]


def test_a_renamed_section_and_a_new_title_are_told(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before, pump = grown_tree(index), guide / "pump.md"
    pump.write_text(pump.read_text("utf-8").replace("## Membrane", "## Diaphragm"), "utf-8")
    build(index, guide, config=GUIDE)
    tree = whole_tree(index)
    assert "3 sections: Pressure; Diaphragm; Impeller" in texts(tree)
    assert "Membrane" not in " ".join(texts(tree))
    (guide / "valve.md.meta.toml").write_text('title = "All about valves"\n', "utf-8")
    build(index, guide, config=GUIDE)
    tree = whole_tree(index)
    assert "5 documents: All about valves; The boiler; The filter; The pump; paged.pdf" in texts(tree)
    same = named(before, "Pressure")
    assert before.nodes[same].said == tree.nodes[same].said


def test_a_title_that_changes_while_the_tree_is_left_out_ends_what_names_the_old_one(
    guide_copy: Path,
) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    shutil.move(guide / "paged.pdf", guide / "turned.pdf")
    report = build(index, guide, config=GUIDE, without=("tree",))
    assert report.renamed == ["guide/turned.pdf"]
    left = grown_tree(index)
    assert not [text for text in texts(left) if "paged.pdf" in text]
    assert "2 sections: Rotor; Stator" in texts(left), "what names no document stays"
    build(index, guide, config=GUIDE)
    assert [text for text in texts(whole_tree(index)) if "turned.pdf" in text]


def test_a_removed_document_is_in_no_fact(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    gone = next(d.id for d in grown_tree(index).documents.values() if d.source == "guide/boiler.md")
    (guide / "boiler.md").unlink()
    report = build(index, guide, config=GUIDE, yes=True)
    kept = everything_kept(index, report.generation or 0)
    assert gone not in kept
    assert not [word for word in ("The boiler", *TOPICS["boiler"]) if word in kept]
    whole_tree(index)


@pytest.mark.slow
def test_after_each_of_many_edits_every_fact_is_true(tmp_path: Path) -> None:
    rng, guide, index = random.Random(5), write_guide(tmp_path / "guide"), tmp_path / "index"
    build(index, guide, config=GUIDE, index_id=INDEX_ID)
    for number in range(12):
        edit(guide, rng, number)
        build(index, guide, config=GUIDE, yes=True, without=("tree",) if number % 5 == 4 else ())
        true_rows(grown_tree(index))


def edit(guide: Path, rng: random.Random, number: int) -> None:
    """Remove a document, rename a section, add a section or a document, or change a text."""
    topic = rng.choice(list(TOPICS))
    path = guide / f"{topic}.md"
    text = path.read_text("utf-8") if path.exists() else ""
    match rng.randrange(5) if text else 4:
        case 0:
            path.unlink()
        case 1:
            part = rng.choice(TOPICS[topic]).capitalize()
            path.write_text(text.replace(f"## {part}", f"## {part} {number}"), "utf-8")
        case 2:
            path.write_text(f"{text}\n\n## More {number}\n\nIt is number {number}.\n", "utf-8")
        case 3:
            (guide / f"extra{number}.md").write_text(f"# Extra {number}\n\nShort.\n", "utf-8")
        case _:
            write_guide(guide, topic, edited=rng.choice(TOPICS[topic]))


def test_reading_and_searching_show_facts_to_who_sees_the_node(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide")
    (guide / "boiler.md.meta.toml").write_text('labels = ["staff"]\n')
    build(index, guide, config=GUIDE)
    tree = whole_tree(index)
    root, chapter = str(tree.skeleton.root), named(tree, "The pump")
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        node = opened.read(root).node
        assert node is not None
        assert node.facts[0].text == "4 documents: The boiler; The filter; The pump; The valve"
        shown = json.loads(json.dumps(opened.read(chapter, labels=[]).to_json()))
        assert shown["facts"][0]["text"] == "3 sections: Pressure; Membrane; Impeller"
        assert shown["facts"][0]["count"] == len(shown["facts"][0]["members"]) == 3
        for member in shown["facts"][0]["members"]:
            assert opened.read(member, labels=[]).text
        with pytest.raises(treegraph.ConfigurationError, match="nothing to read"):
            opened.read(root, labels=[])
        for labels in (None, [], ["staff"]):
            found = opened.search("How is the part of it inspected?", k=200, route="tree", labels=labels)
            facts = [fact for hit in found for fact in hit.facts]
            assert facts
            assert all(hit.facts == () for hit in found if hit.kind != "node")
            if labels == []:
                assert "boiler" not in " ".join(fact.text for fact in facts)
            data = found.to_json()["hits"]
            assert all(("facts" in hit) == (hit["kind"] == "node") for hit in data)


def test_facts_come_out_the_same_whatever_the_order_of_builds(tmp_path: Path, grown_guide: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    build(index, guide, config=GUIDE, index_id=INDEX_ID)
    write_guide(guide)
    shutil.copy(grown_guide / "guide" / "paged.pdf", guide / "paged.pdf")
    build(index, guide, config=GUIDE)
    assert texts(whole_tree(index)) >= {"3 sections: Mesh; Cartridge; Backwash"}
    fresh = published_content(grown_guide / "index")["nodes"]
    same = published_content(index)["nodes"]
    for name in fresh.keys() & same.keys():
        if fresh[name][0]["document"] == same[name][0]["document"]:
            assert fresh[name][0]["facts"] == same[name][0]["facts"]


def test_the_command_line_shows_facts_with_a_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_guide(tmp_path / "guide", "pump", "valve")
    (tmp_path / "treegraph.toml").write_text('version = 1\n[chunk]\ntokenizer = "words"\nsize = 48\n')
    assert here("build", "guide").code == 0
    node = named(grown_tree(tmp_path / "treegraph.index"), "The pump")
    assert "3 sections: Pressure; Membrane; Impeller" in here("read", node).out
    data = here("read", node, "--json").json("read")
    assert [(fact["kind"], fact["count"]) for fact in data["facts"]] == [("sections", 3)]
    assert "sections" not in data["text"]
    hits = here("search", "the membrane of the pump", "--route", "tree", "--json").json("search")["hits"]
    assert [hit["facts"] for hit in hits if hit["id"] == node] in ([], [data["facts"]])
    assert any(hit["kind"] == "node" for hit in hits)
