"""Builds that leave the tree out, or cannot make it: what rests on what is gone ends, and it is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from grown_tree import everything_kept, grown_tree, true_rows, whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_guide import GUIDE, TOPICS, write_guide
from small_index import build
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.tree.settings import TreeSettings


def the_tree_lags(index: Path, generation: int) -> None:
    tree = treegraph.status(index)["structures"]["tree"]
    assert tree == {"generation": generation, "behind": True}
    true_rows(grown_tree(index))


def answers_by_tree(index: Path) -> set[str]:
    """The kinds of the hits that the route gives for what is still there."""
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        found = opened.search("How is the gasket of the valve inspected?", k=20, route="tree")
        assert any("gasket" in hit.text for hit in found.hits)
        assert found.degraded == ("tree",)
        return {hit.kind for hit in found.hits}


def test_a_build_without_the_tree_ends_what_rests_on_changed_chunks(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    write_guide(guide, "pump", edited="membrane")
    report = build(index, guide, config=GUIDE, without=("tree",))
    assert report.behind == {"tree": 1}
    the_tree_lags(index, 1)
    after = grown_tree(index)
    same = {row.key for row in after.chunks.values()}
    went = {name for name, row in before.chunks.items() if row.key not in same}
    assert after.nodes.keys() == before.nodes.keys() - before.above(went) != set()
    assert all(before.keys[name] == key for name, key in after.keys.items())
    assert answers_by_tree(index) == {"node", "chunk"}
    report = build(index, guide, config=GUIDE)
    assert (report.generation, report.embedded, report.behind) == (3, 0, {})
    whole_tree(index)
    assert build(index, guide, config=GUIDE).generation is None


def test_a_removal_without_the_tree_leaves_no_word_of_the_document(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    (guide / "boiler.md").unlink()
    build(index, guide, config=GUIDE, yes=True, without=("tree",))
    the_tree_lags(index, 1)
    kept = everything_kept(index, 2)
    assert [word for word in (*TOPICS["boiler"], "Burner") if word in kept] == []
    assert b"Burner" not in (index / "leaves.npz").read_bytes()


def test_labels_that_change_without_the_tree_end_what_said_otherwise(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    (guide / "pump.md.meta.toml").write_text('labels = ["staff"]\n')
    build(index, guide, config=GUIDE, without=("tree",))
    the_tree_lags(index, 1)
    assert not any(row.payload["title"] == "Membrane" for row in grown_tree(index).rows.values())
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        found = opened.search("the membrane of the pump", k=30, route="tree", labels=[])
        assert not any("membrane" in hit.text for hit in found.hits)
        assert found.degraded == ("tree",)


def test_taking_documents_out_does_not_hang_on_a_model(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    report = treegraph.remove(
        index, ["guide/boiler.md"], config=GUIDE, embedder=FakeHashEmbedder(name="another")
    )
    assert report.removed == ["guide/boiler.md"]
    assert report.behind == {"tree": 1}
    assert [reason for reason in report.degraded if reason.startswith("tree left behind: ")] != []
    the_tree_lags(index, 1)
    assert "burner" not in everything_kept(index, 2)
    assert answers_by_tree(index) == {"node", "chunk"}
    (guide / "boiler.md").unlink()
    assert build(index, guide, config=GUIDE).behind == {}
    whole_tree(index)


def test_a_removal_with_an_embedder_that_is_gone_leaves_the_tree_behind(guide_copy: Path) -> None:
    index = guide_copy / "index"
    gone = FakeHashEmbedder(fails=lambda text: True)
    report = treegraph.remove(index, ["guide/boiler.md"], config=GUIDE, embedder=gone)
    assert report.removed == ["guide/boiler.md"]
    assert "burner" not in everything_kept(index, 2)
    true_vectors = [row for row in grown_tree(index).rows.values() if row.dense is not None]
    assert len(true_vectors) >= 6, "the nodes above the others stay as they were"


def test_a_removal_with_other_settings_does_not_make_the_tree_anew(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    other = replace(GUIDE, tree=TreeSettings(members=4))
    report = treegraph.remove(index, ["guide/boiler.md"], config=other, embedder=FakeHashEmbedder())
    assert report.degraded == {"tree left behind: it was made with other settings of [tree]": 1}
    the_tree_lags(index, 1)
    assert grown_tree(index).keys.items() <= before.keys.items()
    (guide / "boiler.md").unlink()
    build(index, guide, config=other)
    whole_tree(index, other.tree.limits)


def test_a_tree_by_a_model_without_a_model_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    config = replace(GUIDE, tree=TreeSettings(summary="model"), llm=LLMSettings())
    embedder = FakeHashEmbedder()
    with pytest.raises(treegraph.ConfigurationError, match=r"needs a model: set \[llm\] model"):
        build(index, guide, config=config, embedder=embedder)
    assert embedder.embedded == []


def test_growth_that_was_cut_short_is_undone_where_the_tree_is_left_out(guide_copy: Path) -> None:
    """Half of the new tree and half of the old one are no tree."""
    index, guide = guide_copy / "index", guide_copy / "guide"
    before = grown_tree(index)
    write_guide(guide, "pump", edited="membrane")
    write_guide(guide, "valve", edited="gasket")

    class Stop(Exception):
        pass

    def stop_above_the_sections(event: treegraph.Event) -> None:
        if event.stage == "tree" and event.done > 8:
            raise Stop

    with pytest.raises(Stop):
        build(index, guide, config=GUIDE, on_event=stop_above_the_sections)
    build(index, guide, config=GUIDE, without=("tree",))
    the_tree_lags(index, 1)
    after = grown_tree(index)
    assert after.keys.items() <= before.keys.items()
    build(index, guide, config=GUIDE)
    whole_tree(index)
    calm = guide_copy / "calm"
    build(calm, guide, config=GUIDE, index_id=treegraph.status(index)["index_id"])
    assert published_content(index)["rows"] == published_content(calm)["rows"]
