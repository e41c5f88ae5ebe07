"""The tree in a build: when it is grown, that it is whole, and when there is nothing to do."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from grown_tree import grown_tree, whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_guide import GUIDE, INDEX_ID, TOPICS, write_guide
from small_index import build, manual
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.tree.settings import TreeSettings
from treegraph.pipelines.loading_models import Models


def test_a_first_build_grows_a_sound_tree_over_every_chunk(grown_guide: Path) -> None:
    tree = whole_tree(grown_guide / "index")
    top = tree.nodes[str(tree.skeleton.root)]
    assert tree.beneath(top.branch.id) == tree.chunks.keys()
    assert len(top.documents) == len(TOPICS) + 1
    titles = {node.branch.title for node in tree.nodes.values()}
    assert {part.capitalize() for parts in TOPICS.values() for part in parts} <= titles
    ids = {document.source: document.id for document in tree.documents.values()}
    rotor = [node for node in tree.rows.values() if node.payload["document"] == [ids["guide/paged.pdf"]]]
    assert {(row.payload["first_page"], row.payload["last_page"]) for row in rotor} == {
        (1, 1),
        (2, 2),
        (1, 2),
    }
    assert treegraph.status(grown_guide / "index")["nodes"] == len(tree.nodes)


def test_an_unchanged_build_publishes_nothing_and_loads_no_model(
    grown_guide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(Models, "embedder", refuse)
    monkeypatch.setattr(Models, "summarizer", refuse)
    report = build(grown_guide / "index", grown_guide / "guide", config=GUIDE)
    assert (report.generation, report.degraded) == (None, {})


def test_without_the_tree_there_is_none_and_a_later_build_adds_it(grown_guide: Path, tmp_path: Path) -> None:
    index, guide = tmp_path / "index", grown_guide / "guide"
    report = build(index, guide, config=GUIDE, index_id=INDEX_ID, without=("tree",))
    assert (report.nodes, report.behind) == (0, {})
    assert "tree" not in treegraph.status(index)["structures"]
    with (
        treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened,
        pytest.raises(treegraph.TreegraphError, match="holds no tree"),
    ):
        opened.search("the membrane", route="tree")
    assert build(index, guide, config=GUIDE, without=("tree",)).generation is None
    embedder = FakeHashEmbedder()
    report = build(index, guide, config=GUIDE, embedder=embedder)
    tree = whole_tree(index)
    assert (report.generation, report.embedded, report.nodes) == (2, 0, len(tree.nodes))
    assert len(embedder.embedded) == len(tree.nodes), "only summaries were embedded"
    assert published_content(index) == published_content(grown_guide / "index")


def test_changed_settings_make_the_tree_anew_and_nothing_else(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    narrow = replace(GUIDE, tree=TreeSettings(members=4))
    report = build(index, guide, config=narrow)
    assert (report.generation, report.embedded, report.changed) == (2, 0, [])
    tree = whole_tree(index, narrow.tree.limits)
    assert tree.skeleton != before.skeleton
    assert {name: row.key for name, row in tree.chunks.items()} == {
        name: row.key for name, row in before.chunks.items()
    }
    assert build(index, guide, config=narrow).generation is None
    shaped = replace(GUIDE, tree=TreeSettings(shape="leiden"))
    assert build(index, guide, config=shaped).generation == 3
    assert {node.branch.title for node in whole_tree(index).nodes.values()} == {""}


def test_settings_under_which_the_tree_is_the_same_are_published_once(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    wider = replace(GUIDE, tree=TreeSettings(members=14))
    before = grown_tree(index)
    assert max(len(node.branch.children) for node in before.nodes.values()) <= 14
    assert build(index, guide, config=wider).generation == 2
    assert grown_tree(index).keys == before.keys
    assert build(index, guide, config=wider).generation is None


def test_an_index_of_one_chunk_has_a_whole_tree_without_nodes(tmp_path: Path) -> None:
    index, folder = tmp_path / "index", manual(tmp_path / "m", a="# A\n\none\n")
    build(index, folder, without=("tree",))
    assert build(index, folder).nodes == 0
    assert treegraph.status(index)["structures"]["tree"] == {"generation": 2, "behind": False}
    assert build(index, folder).generation is None
    build(index, manual(folder, b="# B\n\ntwo\n"))
    assert len(whole_tree(index).nodes) == 1


def test_any_order_of_files_gives_the_same_tree(grown_guide: Path, tmp_path: Path) -> None:
    index, guide = tmp_path / "index", grown_guide / "guide"
    files = sorted(guide.iterdir(), reverse=True)
    for name in (file.name for file in files):
        (tmp_path / "guide").mkdir(exist_ok=True)
        shutil.copy(guide / name, tmp_path / "guide" / name)
    build(index, tmp_path / "guide", config=GUIDE, index_id=INDEX_ID)
    assert published_content(index) == published_content(grown_guide / "index")


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 cut short", None])
def test_what_is_kept_of_the_leaves_may_be_lost_or_cut_short(guide_copy: Path, damage: bytes | None) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    kept = index / "leaves.npz"
    kept.write_bytes(kept.read_bytes()[:-200] if damage is None else damage)
    write_guide(guide, "pump", edited="membrane")
    build(index, guide, config=GUIDE)
    whole_tree(index)


def test_blank_passages_do_not_stop_the_build(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    rows = [f'{{"_id": "d#{n}", "text": "{text}"}}' for n, text in enumerate(("- - -", "...", "***"))]
    (folder / "documents.jsonl").write_text('{"_id": "d", "text": "- - - ... ***"}')
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    report = build(tmp_path / "index", folder)
    assert (report.generation, report.chunks, report.failed) == (1, 3, [])
    tree = grown_tree(tmp_path / "index")
    assert tree.rows.keys() == tree.nodes.keys() != set()


def test_an_older_ledger_gets_a_tree(grown_guide: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(index, grown_guide / "guide", config=GUIDE, index_id=INDEX_ID, without=("tree",))
    folder = IndexFolder.open(index)
    columns = "key, id, document, digest, embedded, since, until"
    folder.ledger.script(
        f"""CREATE TABLE plain AS SELECT {columns} FROM chunks; DROP TABLE chunks; DROP TABLE nodes;
        CREATE TABLE chunks (key TEXT PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL,
          digest TEXT NOT NULL, embedded TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE INDEX chunks_document ON chunks (document, until);
        CREATE INDEX chunks_embedded ON chunks (embedded);
        INSERT INTO chunks SELECT {columns} FROM plain; DROP TABLE plain;"""
    )
    folder.close()
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        assert opened.search("the membrane").hits
    assert treegraph.status(index)["nodes"] == 0
    build(index, grown_guide / "guide", config=GUIDE)
    assert published_content(index) == published_content(grown_guide / "index")
    order = []
    for path in (index, grown_guide / "index"):
        folder = IndexFolder.open(path)
        order.append(folder.ledger.reading_order(folder.manifest().published or 0))
        folder.close()
    assert order[0] == order[1]
