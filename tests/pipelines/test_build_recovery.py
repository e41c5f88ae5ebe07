"""What can go wrong in the middle of a build, and what the next one makes of it."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_index import CONFIG, build, manual, open_small, sources, texts
from treegraph.indexer.errors import StoreUnreachable
from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.metadata import MetadataRule
from treegraph.indexer.models.settings import EmbedSettings
from treegraph.indexer.stores.edge_writer import EdgeWriter
from treegraph.indexer.stores.folder import IndexFolder

LONG = "\n\n".join(f"Paragraph {n} tells of valve {n} and of its {n} settings. " * 12 for n in range(12))


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


def records(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows))


def unfinished_rows(index: Path) -> int:
    folder = IndexFolder.open(index)
    try:
        return int(folder.ledger.rows("SELECT count(*) FROM chunks WHERE until > 100")[0][0])
    finally:
        folder.close()


def interrupted(index: Path, folder: Path, **options: Any) -> None:
    """A first build that stops when half of its texts are embedded."""
    embedder = options.pop("embedder", FakeHashEmbedder())
    config = replace(CONFIG, embed=EmbedSettings(batch=1))
    embedder.fails = lambda text: len(embedder.embedded) >= 4
    with pytest.raises(treegraph.ModelUnavailable):
        build(index, folder, embedder=embedder, config=config, **options)


def test_a_store_that_goes_away_costs_no_embedding_twice(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = manual(tmp_path / "m", a="# A\n\n" + LONG, b="# B\n\nshort\n")
    upsert = EdgeWriter.upsert
    calls = []

    def once_away(self: EdgeWriter, rows: Any) -> None:
        calls.append(len(rows))
        if len(calls) == 2:
            raise StoreUnreachable("gone for a moment")
        upsert(self, rows)

    monkeypatch.setattr("treegraph.pipelines.generation._COMMIT_ROWS", 4)
    monkeypatch.setattr(EdgeWriter, "upsert", once_away)
    config = replace(CONFIG, embed=EmbedSettings(batch=1))
    with pytest.raises(StoreUnreachable):
        build(index, folder, config=config)
    again = FakeHashEmbedder()
    report = build(index, folder, embedder=again, config=config, without=("tree",))
    assert report.generation == 1
    assert report.added == ["m/a.md", "m/b.md"]
    assert len(again.embedded) == report.chunks - calls[0]
    calm = tmp_path / "calm"
    build(calm, folder)
    assert texts(index) == texts(calm)


def test_work_of_another_model_is_not_gone_on_with(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", **{f"p{n}": f"# P{n}\n\nText {n}.\n" for n in range(9)})
    interrupted(index, folder, embedder=FakeHashEmbedder(name="one"))
    other = FakeHashEmbedder(name="two")
    report = build(index, folder, embedder=other, without=("tree",))
    assert report.reused == 0
    assert len(other.embedded) == 9


def test_a_dry_run_and_a_refusal_leave_unfinished_work_alone(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", **{f"p{n}": f"# P{n}\n\nText {n}.\n" for n in range(9)})
    interrupted(index, folder)
    kept = unfinished_rows(index)
    assert kept > 0
    other = manual(tmp_path / "other", x="# X\n\nx\n")
    build(index, other, dry_run=True)
    with pytest.raises(treegraph.ConfigurationError):
        treegraph.remove(index, ["no-such-source"])
    assert unfinished_rows(index) == kept
    again = FakeHashEmbedder()
    assert build(index, folder, embedder=again, without=("tree",)).reused == kept
    assert len(again.embedded) == 9 - kept


def test_a_document_that_fails_halfway_leaves_no_chunk_behind(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\n" + LONG, b="# B\n\nfine\n")
    report = build(index, folder, embedder=FakeHashEmbedder(fails=lambda text: "valve 7" in text))
    assert [f.source for f in report.failed] == ["m/a.md"]
    assert sources(index) == {"m/b.md"}
    assert len(published_content(index)["rows"]) == 1
    again = build(index, folder, embedder=FakeHashEmbedder(fails=lambda text: "valve 7" in text))
    assert again.generation is None, "the same failure was published once more"


def test_a_changed_document_that_fails_halfway_keeps_its_old_chunks(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\n" + LONG)
    build(index, folder)
    before = texts(index)
    manual(folder, a="# A\n\nNew beginning.\n\n" + LONG.replace("settings", "positions"))
    report = build(index, folder, embedder=FakeHashEmbedder(fails=lambda text: "valve 7" in text))
    assert [(f.source, f.stale) for f in report.failed] == [("m/a.md", True)]
    assert texts(index) == before


def test_a_file_that_changes_while_it_is_read_keeps_its_last_good_version(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = manual(tmp_path / "m", a="# A\n\nfirst\n")
    build(index, folder)
    manual(folder, a="# A\n\nsecond\n")
    parse = ParserPool.parse

    def parse_while_written(self: ParserPool, path: Path, *rest: Any) -> Any:
        content = parse(self, path, *rest)
        path.write_text("# A\n\nthird, half writ")
        return content

    monkeypatch.setattr(ParserPool, "parse", parse_while_written)
    report = build(index, folder)
    assert [(f.reason, f.stale) for f in report.failed] == [("file changed", True)]
    assert "first" in texts(index)[0]
    monkeypatch.undo()
    assert build(index, folder).failed == []
    assert "third" in texts(index)[0]


def test_records_that_become_another_kind_of_file_are_removals(index: Path, tmp_path: Path) -> None:
    file = tmp_path / "r" / "c.jsonl"
    records(file, *({"_id": f"r{n}", "text": f"record {n}"} for n in range(9)))
    build(index, file.parent)
    file.write_text("404 page not found\n")
    with pytest.raises(treegraph.RemovalRefused, match="r8"):
        build(index, file.parent)
    assert len(sources(index)) == 9


def test_a_removed_record_comes_back_with_a_build_and_goes_with_its_file(index: Path, tmp_path: Path) -> None:
    file = tmp_path / "r" / "c.jsonl"
    records(file, *({"_id": f"r{n}", "text": f"record {n}"} for n in range(3)))
    manual(file.parent, other="# Other\n\nstays\n")
    build(index, file.parent)
    treegraph.remove(index, ["r/c.jsonl#r1"])
    assert "r/c.jsonl#r1" not in sources(index)
    build(index, file.parent)
    assert "r/c.jsonl#r1" in sources(index)
    treegraph.remove(index, ["r/c.jsonl#r1"])
    file.unlink()
    build(index, file.parent)
    assert sources(index) == {"r/other.md"}


def test_a_raised_limit_is_a_reason_to_read_again(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\n" + LONG)
    small = replace(CONFIG, load=replace(CONFIG.load, max_characters=100))
    assert [f.reason for f in build(index, folder, config=small).failed] == ["limit exceeded"]
    assert [f.reason for f in build(index, folder, config=small).failed] == ["limit exceeded"]
    report = build(index, folder)
    assert report.added == ["m/a.md"]
    assert report.failed == []


def test_a_file_that_is_back_to_what_the_index_holds_has_not_failed(index: Path, tmp_path: Path) -> None:
    import pymupdf

    folder = tmp_path / "m"
    folder.mkdir()
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The governor limits the speed.")
        pdf.save(folder / "g.pdf")
    good = (folder / "g.pdf").read_bytes()
    build(index, folder)
    (folder / "g.pdf").write_bytes(b"%PDF-1.7 broken")
    assert len(build(index, folder).failed) == 1
    (folder / "g.pdf").write_bytes(good)
    assert build(index, folder).failed == []
    assert treegraph.status(index)["failed"] == []


def test_a_handed_over_document_and_a_file_of_the_same_name_stay_apart(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\nfrom the file\n")
    build(index, folder)
    with open_small(index) as opened:
        content = treegraph.Content("handed over", "text/plain")
        opened.upsert([treegraph.Document(id="m/a.md", source="m/a.md", title="A", content=content)])
        manual(folder, a="# A\n\nfrom the file, changed\n")
        build(index, folder)
        assert [text.strip().rpartition("\n")[2] for text in texts(index)] == [
            "from the file, changed",
            "handed over",
        ]
        opened.delete(["m/a.md"])
    assert len(texts(index)) == 1
    assert build(index, folder).generation is None


def test_a_build_killed_right_after_publishing_is_published(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\none\n")
    build(index, folder)
    ledger = IndexFolder.open(index)
    ledger.ledger.write("UPDATE builds SET state = 'running', finished = NULL WHERE generation = ?", [(1,)])
    ledger.close()
    manual(folder, a="# A\n\ntwo\n")
    assert build(index, folder).generation == 2
    assert treegraph.status(index)["unfinished"] is None


def test_another_ending_is_read_anew(index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "a.txt").write_text("# Title of it\n\nbody text\n")
    build(index, folder)
    (folder / "a.txt").rename(folder / "a.md")
    build(index, folder)
    (document,) = published_content(index)["documents"].values()
    assert (document.source, document.title, document.media_type) == (
        "m/a.md",
        "Title of it",
        "text/markdown",
    )


def test_another_configured_model_is_refused_where_nothing_changed(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\none\n")
    build(index, folder)
    with pytest.raises(treegraph.IndexIncompatible):
        build(index, folder, embedder=FakeHashEmbedder(name="other"))


def test_cancelling_does_not_wait_for_a_long_read(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = manual(tmp_path / "m", a="# A\n\none\n")
    cancel, closed = threading.Event(), threading.Event()
    close = ParserPool.close

    def endless(self: ParserPool, *rest: Any) -> Any:
        cancel.set()
        assert closed.wait(30), "nobody stopped the read"
        raise treegraph.LoadError("stopped")

    def close_and_tell(self: ParserPool) -> None:
        closed.set()
        close(self)

    monkeypatch.setattr(ParserPool, "parse", endless)
    monkeypatch.setattr(ParserPool, "close", close_and_tell)
    began = time.monotonic()
    with pytest.raises(treegraph.Cancelled):
        build(index, folder, cancel=cancel)
    assert time.monotonic() - began < 10


def test_cut_records_of_one_document_with_different_labels_are_refused(index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    records(folder / "documents.jsonl", {"_id": "d", "text": "alpha public. beta secret salary."})
    records(
        folder / "corpus.jsonl",
        {"_id": "d#0", "text": "alpha public."},
        {"_id": "d#1", "text": "beta secret salary.", "labels": ["hr"]},
    )
    report = build(index, folder)
    assert [f.reason for f in report.failed] == ["bad record"]
    with open_small(index) as opened:
        assert list(opened.search("secret salary", labels=[]).hits) == []


def test_a_configuration_that_is_missing_does_not_make_documents_public(index: Path, tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", a="# A\n\nfor the staff\n")
    rule = MetadataRule("m/*", {"labels": ["staff"]})
    build(index, folder, config=replace(CONFIG, documents=(rule,)))
    with pytest.raises(treegraph.ConfigurationError, match="--config"):
        build(index, folder)
    with open_small(index) as opened:
        assert list(opened.search("staff", labels=[]).hits) == []
    assert build(index, folder, yes=True).changed == ["m/a.md"]


def test_of_two_handed_over_documents_with_one_id_the_last_is_meant(index: Path, tmp_path: Path) -> None:
    build(index, manual(tmp_path / "m", a="# A\n\nany\n"))
    with open_small(index) as opened:
        given = [
            treegraph.Document(
                id="d",
                source="d",
                title="D",
                labels=("staff",),
                content=treegraph.Content(text, "text/plain"),
            )
            for text in ("first wording", "second wording \udcff")
        ]
        assert opened.upsert(given).added == ["d"]
        found = [hit.text for hit in opened.search("wording", labels=["staff"]).hits]
        assert any("second wording" in text for text in found)
        assert not any("first wording" in text for text in found)
        assert not any("wording" in hit.text for hit in opened.search("wording", labels=[]).hits)


def test_an_index_that_was_never_published_says_so(index: Path, tmp_path: Path) -> None:
    interrupted(index, manual(tmp_path / "m", **{f"p{n}": f"# P{n}\n\nText {n}.\n" for n in range(9)}))
    with open_small(index) as opened, pytest.raises(treegraph.GenerationGone, match="nothing is published"):
        opened.search("text")
