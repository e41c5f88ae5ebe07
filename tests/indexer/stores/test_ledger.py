"""The ledger's ordinary life: what each generation holds of documents, files and chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import GenerationGone
from treegraph.indexer.pages import Figure, Page, PageBox
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_rows import ChunkRow, DocumentRow, FileRow, document_row
from treegraph.indexer.types import Document

FIGURE = Figure(PageBox(2, 72.5, 90.1, 300.0, 210.4), 95, "Figure 1: A gate", "a" * 64, 417, 250)
PAGES = (
    Page(1, 0, 90, "i", images=0.25, dropped=7),
    Page(2, 90, 200, None, "ocr"),
    Page(3, 200, 300, None, "native", confidence=0.5, why="a chart"),
    Page(4, 300, 400, figures=(replace(FIGURE, box=PageBox(4, 0.0, 0.0, 9.5, 9.5)),)),
)
FILE = FileRow("m/a.pdf", "m", "/m/a.pdf", "v1", "r1", 10, 20, 30, 40)


def document(name: str = "a", title: str = "A", file: str = "m/a.pdf") -> DocumentRow:
    return document_row(
        Document(
            f"id-{name}", f"m/{name}.pdf", title, "application/pdf", "v1", "en", ("ops", "hr"), "2nd",
            date(2024, 2, 29), None, {"year": 2024, "tags": ["x"]}, 2,
        ),
        PAGES,
        file,
        "m",
    )  # fmt: skip


def chunk(key: str, name: str = "a", embedded: str = "e") -> ChunkRow:
    return ChunkRow(key, f"chunk-{key}", f"id-{name}", f"digest-{key}", embedded)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger(tmp_path, create=True)
    yield opened
    opened.close()


def test_what_is_written_is_there_for_the_next_process(tmp_path: Path) -> None:
    first = Ledger(tmp_path, create=True)
    first.put_document(document(), PAGES, 1)
    first.put_file(FILE, 1)
    first.add_chunks([chunk("k1"), chunk("k2")], 1)
    first.close()
    second = Ledger(tmp_path)
    assert second.documents(1) == [document()]
    assert second.pages("id-a", 1) == PAGES
    assert second.files(1) == {"m/a.pdf": FILE}
    assert second.chunks("id-a", 1) == [chunk("k1"), chunk("k2")]
    assert second.chunk_counts(1) == {"id-a": 2}
    second.close()


def test_a_new_version_leaves_the_old_generation_as_it_was(ledger: Ledger) -> None:
    ledger.put_document(document(), PAGES, 1)
    ledger.put_document(document("b", file="m/b.pdf"), PAGES, 1)
    ledger.put_document(document(title="A, revised"), PAGES[:1], 2)
    assert ledger.document("id-a", 1) == document()
    assert ledger.document("id-a", 2) == document(title="A, revised")
    assert ledger.pages("id-a", 1) == PAGES
    assert ledger.all_pages(2) == {"id-a": PAGES[:1], "id-b": PAGES}
    assert [ledger.count("documents", g) for g in (0, 1, 2)] == [0, 2, 2]
    assert ledger.documents_of("m/a.pdf", "m", 2) == [document(title="A, revised")]
    assert ledger.documents_of("m/a.pdf", "other", 2) == []


def test_a_version_written_twice_in_one_build_is_there_once(ledger: Ledger) -> None:
    ledger.put_document(document(), PAGES, 1)
    for title in ("first try", "second try"):
        ledger.put_document(document(title=title), PAGES, 2)
    assert ledger.documents(2) == [document(title="second try")]
    assert ledger.documents(1) == [document()]


def test_an_ended_document_is_gone_from_its_generation_on(ledger: Ledger) -> None:
    ledger.put_document(document(), PAGES, 1)
    ledger.put_document(document("b"), PAGES, 2)
    ledger.end_documents(["id-a", "id-b", "id-nobody"], 2)
    assert ledger.documents(1) == [document()]
    assert ledger.documents(2) == []
    assert ledger.document("id-a", 2) is None
    with pytest.raises(GenerationGone, match="id-a is not in generation 2"):
        ledger.pages("id-a", 2)


def test_files_are_versioned_and_touching_one_makes_no_version(ledger: Ledger) -> None:
    ledger.put_file(FILE, 1)
    ledger.put_file(replace(FILE, version="v2"), 2)
    ledger.touch_file(replace(FILE, version="ignored", path="/elsewhere/a.pdf", mtime_ns=99, seen_ns=100))
    assert ledger.files(1) == {"m/a.pdf": FILE}
    touched = replace(FILE, version="v2", path="/elsewhere/a.pdf", mtime_ns=99, seen_ns=100)
    assert ledger.files(2) == {"m/a.pdf": touched}
    ledger.end_files(["m/a.pdf"], 3)
    assert ledger.files(3) == {}
    assert ledger.files(2) == {"m/a.pdf": touched}


def test_chunks_end_and_are_revived(ledger: Ledger) -> None:
    ledger.add_chunks([chunk("old1"), chunk("old2"), chunk("other", "b")], 1)
    ledger.add_chunks([chunk("new")], 2)
    ledger.end_chunks(["old1", "old2", "other", "new"], 2)
    assert ledger.live_keys(1) == {"old1", "old2", "other"}
    assert ledger.live_keys(2) == set()
    assert ledger.ended_chunks("id-a", 2) == [chunk("old1"), chunk("old2")]
    assert {row.key for row in ledger.ended_chunks(None, 2)} == {"old1", "old2", "other"}
    ledger.revive_chunks(["old2", "new"])
    assert ledger.live_keys(2) == {"old2"}, "what was first written in the build itself is forgotten"
    assert ledger.ended_chunks("id-a", 2) == [chunk("old1")]


def test_chunks_of_a_document_that_failed_are_orphans(ledger: Ledger) -> None:
    ledger.put_document(document("kept"), PAGES, 1)
    ledger.put_document(document("ended"), PAGES, 1)
    ledger.add_chunks([chunk("kept1", "kept"), chunk("ended1", "ended")], 1)
    assert ledger.orphan_chunks(1) == []
    ledger.end_documents(["id-ended"], 2)
    ledger.add_chunks([chunk("unfinished", "kept"), chunk("never", "unknown"), chunk("whole", "new")], 2)
    ledger.put_document(document("new"), PAGES, 2)
    assert sorted(ledger.orphan_chunks(2)) == ["ended1", "never", "unfinished"]
    assert ledger.orphan_chunks(1) == []


def test_a_rollback_erases_what_came_after(ledger: Ledger) -> None:
    ledger.put_document(document(), PAGES, 1)
    ledger.put_file(FILE, 1)
    ledger.add_chunks([chunk("k1"), chunk("k2")], 1)
    ledger.end_chunks(["k1"], 2)
    ledger.put_document(document(title="new"), PAGES, 3)
    ledger.put_file(replace(FILE, version="v3"), 3)
    ledger.add_chunks([chunk("k3")], 3)
    ledger.end_chunks(["k2"], 3)
    ledger.erase_after(2)
    for generation in (2, 3, 9):
        assert ledger.documents(generation) == [document()]
        assert ledger.files(generation) == {"m/a.pdf": FILE}
        assert ledger.live_keys(generation) == {"k2"}
    assert ledger.live_keys(1) == {"k1", "k2"}


def test_only_rows_that_no_kept_generation_holds_are_forgotten(ledger: Ledger) -> None:
    ledger.put_document(document(), PAGES, 1)
    ledger.put_document(document(title="new"), PAGES, 2)
    ledger.add_chunks([chunk("k1"), chunk("k2"), chunk("k3")], 1)
    ledger.end_chunks(["k1"], 2)
    ledger.end_chunks(["k2"], 3)
    assert ledger.forget_ended(2) == 2
    assert ledger.documents(1) == []
    assert ledger.documents(2) == [document(title="new")]
    assert ledger.live_keys(2) == {"k2", "k3"}
    assert ledger.forget_ended(2) == 0


def test_rows_of_equal_embedding_are_found_in_any_number(ledger: Ledger) -> None:
    ledger.add_chunks([chunk(f"k{i:04}", embedded=f"e{i // 2}") for i in range(1400)], 1)
    found = ledger.embedded_rows([f"e{i}" for i in range(700)] + ["unknown"])
    assert found == {f"e{i}": f"k{2 * i:04}" for i in range(700)}


@given(steps=st.lists(st.tuples(st.sampled_from("pe"), st.sampled_from("abc"), st.booleans()), max_size=12))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_generation_holds_what_was_live_in_it(
    tmp_path: Path, steps: list[tuple[str, str, bool]]
) -> None:
    """Against a dictionary a generation: put or end a document, in the running build or a new one."""
    (tmp_path / "ledger.db").unlink(missing_ok=True)
    ledger = Ledger(tmp_path, create=True)
    live: dict[str, str] = {}
    states: dict[int, dict[str, str]] = {}
    generation = 1
    for number, (step, name, advance) in enumerate(steps):
        generation += advance
        if step == "p":
            ledger.put_document(document(name, title=str(number)), PAGES, generation)
            live[f"id-{name}"] = str(number)
        else:
            ledger.end_documents([f"id-{name}"], generation)
            live.pop(f"id-{name}", None)
        states[generation] = dict(live)
    for g, state in states.items():
        assert {row.document.id: row.document.title for row in ledger.documents(g)} == state
    ledger.close()
