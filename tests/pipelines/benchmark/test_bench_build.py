"""What a build takes, measured on copies of the sources."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG
from treegraph.pipelines.benchmark.build import bench_build
from treegraph.pipelines.benchmark.build_report import BuildBench
from treegraph.pipelines.benchmark.one_page import SENTENCE

PAGES = 6


def _manuals(folder: Path) -> Path:
    folder.mkdir()
    with pymupdf.open() as pdf:
        for page in range(PAGES):
            sentences = " ".join(f"Step {n} of part {page} takes {n} minutes." for n in range(12))
            pdf.new_page().insert_textbox((50, 50, 500, 700), sentences)
        pdf.save(folder / "pump.pdf")
    (folder / "valve.md").write_text("# Valve\n\nOpen the valve VX-12 before transport.\n", "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that follows is a PDF\n")
    return folder


@pytest.fixture
def manuals(tmp_path: Path) -> Path:
    return _manuals(tmp_path / "manuals")


@dataclass(frozen=True)
class Benched:
    """A benchmark of two builds, and what its encoder was given."""

    found: BuildBench
    embedded: list[str]
    untouched: bool


@pytest.fixture(scope="module")
def benched(tmp_path_factory: pytest.TempPathFactory) -> Benched:
    home = tmp_path_factory.mktemp("bench")
    source = _manuals(home / "manuals")
    before = (source / "pump.pdf").read_bytes()
    embedder = FakeHashEmbedder(delay=0.02)
    found = bench_build(
        [str(source)], CONFIG, work=home / "work", change="pump.pdf", rounds=2, embedder=embedder
    )
    return Benched(found, embedder.embedded, (source / "pump.pdf").read_bytes() == before)


def test_stages_rates_memory_and_room(benched: Benched) -> None:
    found = benched.found
    assert (found.documents, found.pages) == (2, PAGES)
    assert [stage.stage for stage in found.stages][-1] == "other"
    assert sum(stage.cpu for stage in found.stages) == pytest.approx(found.cpu, abs=0.15)
    assert found.pages_per_second == pytest.approx(PAGES / found.wall)
    assert found.disk.whole >= found.disk.vectors + found.disk.ledger > 0
    assert found.peak_memory >= found.memory_before > 0


def test_the_texts_of_the_builds_are_embedded_alone_in_slices_around_them(benched: Benched) -> None:
    found, alone = benched.found, benched.found.alone
    assert alone is not None
    assert (len(found.builds), alone.texts, alone.slices) == (2, found.chunks, 3)
    assert found.ratio == pytest.approx(sum(found.builds) / 2 / alone.wall)
    texts = benched.embedded[1 : 1 + 3 * found.chunks]  # the first text warms the encoder up
    assert all(texts.count(text) == 3 for text in set(texts)), "once alone, once in each build"


def test_later_builds_embed_nothing_or_little(benched: Benched) -> None:
    tree, same, changed = benched.found.again
    assert tree.what == "the tree added"
    assert (same.what, same.embedded) == ("the same build again", 0)
    assert changed.what == f"page {PAGES // 2 + 1} of {PAGES} of manuals/pump.pdf changed"
    assert 1 <= changed.embedded < benched.found.chunks
    assert any(SENTENCE in text for text in benched.embedded)
    assert benched.untouched, "only a copy is changed"


def test_a_file_that_fails_is_named(benched: Benched) -> None:
    assert any("manuals/broken.pdf" in failure for failure in benched.found.failed)


def test_the_report_as_json_as_tables_and_as_a_plot(benched: Benched) -> None:
    found = benched.found
    data = json.loads(json.dumps(found.to_json()))
    assert (data["schema"], data["kind"]) == (1, "build")
    assert data["again"][0]["share"] == found.again[0].share
    build, stages = found.tables()
    assert ("pages", str(PAGES)) in build.rows
    assert [row[0] for row in stages.rows] == [*(stage.stage for stage in found.stages), "all"]
    (panel,) = found.panels()
    assert max(panel.curves[0].y) <= found.peak_memory / 2**20
    assert len(panel.curves[0].x) == len(found.memory) > 1


def test_a_text_is_changed_where_there_is_no_pdf_or_it_is_named(manuals: Path, tmp_path: Path) -> None:
    found = bench_build(
        [str(manuals)],
        CONFIG,
        work=tmp_path / "work",
        embedding_alone=False,
        change="valve.md",
        embedder=FakeHashEmbedder(),
    )
    assert found.again[2].what == "before line 2 of 3 of manuals/valve.md changed"
    with pytest.raises(treegraph.ConfigurationError, match="nowhere"):
        bench_build(
            [str(manuals)], CONFIG, work=tmp_path / "work", change="nowhere.pdf", embedder=FakeHashEmbedder()
        )


def test_sources_keep_their_names_and_companions(tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"_id": "a", "text": "The relief valve opens at 8 bar."}\n', "utf-8")
    (tmp_path / "notes.jsonl.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    found = bench_build(
        [f"records={notes}"],
        CONFIG,
        work=tmp_path / "work",
        embedding_alone=False,
        embedder=FakeHashEmbedder(),
    )
    assert found.documents == 1
    assert "no page was changed" in found.notes[0]
    with treegraph.open_index(tmp_path / "work/bench-build/index-0", embedder=FakeHashEmbedder()) as index:
        (document,) = index.documents.values()
    assert (document.source, document.labels) == ("records#a", ("staff",))


def test_a_folder_of_somebody_else_s_is_not_touched(manuals: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "work" / "bench-build" / "thesis.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("years of work")
    with pytest.raises(treegraph.WorkError, match="another folder"):
        bench_build([str(manuals)], CONFIG, work=tmp_path / "work", embedder=FakeHashEmbedder())
    assert theirs.read_text() == "years of work"


def test_it_stops_when_told_to(manuals: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        bench_build(
            [str(manuals)], CONFIG, work=tmp_path / "work", embedder=FakeHashEmbedder(), cancel=cancel
        )
