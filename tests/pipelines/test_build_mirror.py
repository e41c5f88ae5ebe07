"""A build mirrors the roots that it names, and nothing else."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import NO_GRAPH, published_content
from small_index import CONFIG, build, manual, sources


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def pumps(tmp_path: Path) -> Path:
    texts = {f"pump{n}": f"# Pump {n}\n\nThe pump {n} turns at {n}00 rpm.\n" for n in range(6)}
    return manual(tmp_path / "pumps", **texts)


def test_a_build_tells_what_it_did_and_publishes(index: Path, pumps: Path) -> None:
    report = build(index, pumps)
    assert report.generation == 1
    assert report.added == [f"pumps/pump{n}.md" for n in range(6)]
    assert (report.changed, report.removed, report.failed) == ([], [], [])
    assert report.chunks == 6
    assert report.embedded == 6
    assert report.peak_memory > 1_000_000
    assert json.loads(json.dumps(report.to_json()))["schema"] == 1


def test_an_unchanged_build_publishes_nothing_and_embeds_nothing(index: Path, pumps: Path) -> None:
    build(index, pumps)
    embedder = FakeHashEmbedder()
    report = build(index, pumps, embedder=embedder)
    assert report.generation is None
    assert sorted(report.unchanged) == [f"pumps/pump{n}.md" for n in range(6)]
    assert embedder.embedded == []


def test_a_touched_file_with_the_same_bytes_is_unchanged(index: Path, pumps: Path) -> None:
    build(index, pumps)
    os.utime(pumps / "pump1.md", (1, 1))
    assert build(index, pumps).generation is None


def test_only_the_changed_chunk_is_embedded_again(index: Path, pumps: Path) -> None:
    build(index, pumps, without=("tree",))
    before = published_content(index)["rows"]
    (pumps / "pump3.md").write_text("# Pump 3\n\nThe pump 3 turns at 333 rpm.\n")
    embedder = FakeHashEmbedder()
    report = build(index, pumps, embedder=embedder, without=("tree",))
    assert report.changed == ["pumps/pump3.md"]
    assert len(embedder.embedded) == 1
    after = published_content(index)["rows"]
    assert len(after) == 6
    assert len(set(before) - set(after)) == 1
    assert not any("300 rpm" in payload["text"] for payload, _, _ in after.values())


def test_a_removed_file_leaves_no_trace(index: Path, pumps: Path) -> None:
    build(index, pumps)
    (pumps / "pump5.md").unlink()
    report = build(index, pumps)
    assert report.removed == ["pumps/pump5.md"]
    content = published_content(index)
    assert "pumps/pump5.md" not in sources(index)
    assert not any("Pump 5" in payload["text"] for payload, _, _ in content["rows"].values())


def test_building_one_root_never_touches_another(index: Path, pumps: Path, tmp_path: Path) -> None:
    valves = manual(tmp_path / "valves", v="# Valve\n\nA valve opens.\n")
    build(index, pumps)
    report = build(index, valves)
    assert report.removed == []
    assert sources(index) == {"valves/v.md", *(f"pumps/pump{n}.md" for n in range(6))}


def test_a_renamed_file_keeps_its_id_and_costs_nothing(index: Path, pumps: Path) -> None:
    build(index, pumps)
    before = {d.source: d.id for d in published_content(index)["documents"].values()}
    (pumps / "pump2.md").rename(pumps / "second.md")
    embedder = FakeHashEmbedder()
    report = build(index, pumps, embedder=embedder)
    assert (report.renamed, report.added, report.removed) == (["pumps/second.md"], [], [])
    assert embedder.embedded == []
    after = {d.source: d.id for d in published_content(index)["documents"].values()}
    assert after["pumps/second.md"] == before["pumps/pump2.md"]


def test_a_new_file_under_the_old_name_gets_an_id_of_its_own(index: Path, pumps: Path) -> None:
    build(index, pumps)
    (pumps / "pump2.md").rename(pumps / "second.md")
    build(index, pumps)
    (pumps / "pump2.md").write_text("# Another\n\nNot the pump that it was.\n")
    build(index, pumps)
    assert len(published_content(index)["documents"]) == 7


def test_removing_too_much_changes_nothing_and_names_the_documents(index: Path, pumps: Path) -> None:
    build(index, pumps)
    for n in range(4):
        (pumps / f"pump{n}.md").unlink()
    with pytest.raises(treegraph.RemovalRefused, match=r"pumps/pump0\.md"):
        build(index, pumps)
    assert len(sources(index)) == 6
    assert len(build(index, pumps, yes=True).removed) == 4


def test_an_emptied_root_is_an_error_and_never_a_removal(index: Path, pumps: Path) -> None:
    build(index, pumps)
    for file in pumps.iterdir():
        file.unlink()
    with pytest.raises(treegraph.SourceUnreadable, match="shows no documents"):
        build(index, pumps, yes=True)
    assert len(sources(index)) == 6


def test_a_missing_root_is_an_error(index: Path, tmp_path: Path) -> None:
    with pytest.raises(treegraph.SourceUnreadable):
        build(index, tmp_path / "nowhere")


def test_two_roots_of_one_name_are_told_apart(index: Path, tmp_path: Path) -> None:
    one = manual((tmp_path / "a").resolve(), x="# X\n\none\n")
    (tmp_path / "b").mkdir()
    other = manual(tmp_path / "b" / "a", y="# Y\n\ntwo\n")
    build(index, one)
    with pytest.raises(treegraph.ConfigurationError, match="NAME="):
        build(index, other)
    build(index, f"second={other}")
    assert sources(index) == {"a/x.md", "second/y.md"}


def test_a_file_that_fails_now_keeps_its_last_good_version(index: Path, tmp_path: Path) -> None:
    import pymupdf

    folder = tmp_path / "m"
    folder.mkdir()
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The governor limits the speed to 900 rpm.")
        pdf.save(folder / "g.pdf")
    build(index, folder)
    (folder / "g.pdf").write_bytes(b"%PDF-1.7 broken")
    report = build(index, folder)
    assert [(f.source, f.stale) for f in report.failed] == [("m/g.pdf", True)]
    rows = published_content(index)["rows"].values()
    assert any("900 rpm" in payload["text"] for payload, _, _ in rows)
    again = build(index, folder)
    assert [f.source for f in again.failed] == ["m/g.pdf"]
    assert treegraph.status(index)["failed"][0]["stale"] is True


def test_records_are_documents_and_lost_records_count_as_removals(index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    lines = [json.dumps({"_id": f"r{n}", "title": f"T{n}", "text": f"record {n} says {n}"}) for n in range(8)]
    (folder / "c.jsonl").write_text("\n".join([*lines, "{broken"]))
    report = build(index, folder)
    assert len(report.added) == 8
    assert [f.reason for f in report.failed] == ["bad record"]
    (folder / "c.jsonl").write_text("\n".join(lines[:3]))
    with pytest.raises(treegraph.RemovalRefused, match="#r7"):
        build(index, folder)
    report = build(index, folder, yes=True)
    assert len(report.removed) == 5
    assert report.changed == []
    assert report.failed == []


def test_changing_labels_embeds_nothing(index: Path, pumps: Path) -> None:
    build(index, pumps)
    (pumps / "pump1.meta.toml").write_text('labels = ["staff"]\nsite = "north"\n')
    embedder = FakeHashEmbedder()
    report = build(index, pumps, embedder=embedder)
    assert report.changed == ["pumps/pump1.md"]
    assert embedder.embedded == []
    with treegraph.open_index(index, config=CONFIG, embedder=FakeHashEmbedder()) as opened:
        public = opened.search("pump 1 turns", labels=[])
        staff = opened.search("pump 1 turns", labels=["staff"])
        north = opened.search("pump 1 turns", filters=["site=north"])
    assert "pumps/pump1.md" not in {hit.citations[0].source for hit in public.hits}
    assert "pumps/pump1.md" in {hit.citations[0].source for hit in staff.hits}
    assert {hit.citations[0].source for hit in north.hits} == {"pumps/pump1.md"}


def test_changing_a_title_embeds_only_what_shows_it(index: Path, pumps: Path) -> None:
    build(index, pumps)
    (pumps / "pump1.meta.toml").write_text('title = "The feed pump"\n')
    embedder = FakeHashEmbedder()
    build(index, pumps, embedder=embedder)
    assert len(embedder.embedded) == 1
    assert "The feed pump" in embedder.embedded[0]


def test_a_text_that_cannot_be_embedded_fails_its_document_alone(index: Path, pumps: Path) -> None:
    report = build(index, pumps, embedder=FakeHashEmbedder(fails=lambda text: "Pump 4" in text))
    assert [f.source for f in report.failed] == ["pumps/pump4.md"]
    assert len(report.added) == 5
    assert build(index, pumps).added == ["pumps/pump4.md"]


def test_an_embedder_that_is_gone_stops_the_build_and_keeps_what_is_done(index: Path, pumps: Path) -> None:
    config = treegraph.Config(chunk=CONFIG.chunk, embed=treegraph.Config().embed.__class__(batch=1))
    with pytest.raises(treegraph.ModelUnavailable):
        build(index, pumps, config=config, embedder=FakeHashEmbedder(fails=lambda text: "Pump 0" not in text))
    report = build(index, pumps, config=config)
    assert report.generation == 1
    assert len(sources(index)) == 6


def test_another_model_is_refused(index: Path, pumps: Path) -> None:
    build(index, pumps)
    (pumps / "new.md").write_text("# New\n\nnew\n")
    with pytest.raises(treegraph.IndexIncompatible, match="other"):
        build(index, pumps, embedder=FakeHashEmbedder(name="other"))


def test_a_dry_run_changes_nothing(index: Path, pumps: Path) -> None:
    report = build(index, pumps, dry_run=True)
    assert len(report.added) == 6
    assert not index.exists()


def test_removing_everything_leaves_an_empty_index_that_answers(index: Path, pumps: Path) -> None:
    build(index, pumps)
    report = treegraph.remove(index, ["pumps"], yes=True)
    assert len(report.removed) == 6
    content = published_content(index)
    assert content == {"documents": {}, "rows": {}, "nodes": {}, "branches": {}, "graph": NO_GRAPH}
    with treegraph.open_index(index, config=CONFIG, embedder=FakeHashEmbedder()) as opened:
        assert list(opened.search("pump").hits) == []


def test_a_first_build_over_nothing_is_an_error_and_publishes_nothing(index: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    (empty / ".hidden").mkdir(parents=True)
    for options in ({}, {"dry_run": True}):
        with pytest.raises(treegraph.SourceUnreadable, match=r"nothing to index in .*1 hidden.*PDF, images"):
            build(index, empty, **options)
        assert not index.exists()
    manual(empty, a="# A\n\nOne.\n")
    assert build(index, empty).generation == 1
    assert build(index, empty, manual(tmp_path / "other")).generation is None, "one of several may be empty"


def test_a_first_build_over_nothing_where_one_had_begun_is_an_error_too(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\nOne.\n")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        build(index, folder, cancel=cancel)
    (folder / "a.md").unlink()
    with pytest.raises(treegraph.SourceUnreadable, match="nothing to index"):
        build(index, folder)
    assert treegraph.status(index)["generation"] is None
