"""Reading chunks, documents and pages."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest
from hash_embedder import FakeHashEmbedder
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.pipelines.build import build_index
from treegraph.query.index import Index
from treegraph.query.reading import stitched

Opener = Callable[..., Index]
PAGES = 4
METALS = ("copper", "tin", "zinc", "lead", "iron", "nickel", "cobalt", "silver", "gold", "osmium", "brass")


@pytest.fixture(scope="module")
def book_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("book")
    book, rng = pymupdf.open(), random.Random(7)
    for number in range(1, PAGES + 1):
        lines = [f"{' '.join(rng.sample(METALS, 6))} of page {number}." for _ in range(28)]
        book.new_page().insert_text((60, 60), [f"Chapter {number}", *lines], fontsize=11)
    book.set_toc([[1, f"Chapter {number}", number] for number in range(1, PAGES + 1)])
    book.set_metadata({"title": "Of metals"})
    book.save(home / "book.pdf")
    report = build_index([home / "book.pdf"], home / "index", embedder=FakeHashEmbedder())
    assert not report.failed
    return home / "index"


@pytest.fixture
def book(book_path: Path, opener: Opener) -> Iterator[Index]:
    with opener(book_path) as index:
        yield index


def test_a_chunk_comes_whole_with_what_is_around_it(book: Index) -> None:
    chunk = book.search("tin of page 2", k=1)[0].citations[0].chunk
    reading = book.read(chunk)
    assert reading.kind == "chunk"
    assert "page 2" in reading.text
    kinds = [step["kind"] for step in reading.above]
    assert kinds[:2] == ["document", "section"]
    assert set(kinds[2:]) == {"node"}
    assert reading.above[0]["title"] == "Of metals"
    assert reading.beside is not None
    previous = reading.beside["previous"]
    assert previous is not None
    following = book.read(previous).beside
    assert following is not None
    assert following["next"] == chunk
    data = json.loads(json.dumps(reading.to_json()))
    assert data["schema"] == 1
    assert data["below"] == []
    assert data["citations"][0]["pages"] == [2]


def test_pages_are_read_by_their_numbers(book: Index) -> None:
    page = book.read("book.pdf@2")
    assert page.text.count("of page 2") == 28
    assert "of page 1" not in page.text
    assert "of page 3" not in page.text
    assert page.beside == {"previous": "book.pdf@1", "next": "book.pdf@3"}
    several = book.read("book.pdf@3-4")
    assert several.text.count("of page 3") == several.text.count("of page 4") == 28
    assert several.beside == {"previous": "book.pdf@2", "next": None}
    assert set(page.below) <= set(book.read("book.pdf").below)


def test_a_document_is_read_by_source_or_id(book: Index) -> None:
    whole = book.read("book.pdf")
    assert whole.kind == "document"
    assert [whole.text.count(f"of page {number}") for number in range(1, PAGES + 1)] == [28] * PAGES
    assert book.read(whole.id) == whole
    assert whole.text == book.read("book.pdf@1-4").text


@pytest.mark.parametrize("name", ["book.pdf@0", "book.pdf@3-2", "book.pdf@4-5"])
def test_pages_that_are_not_there_are_named(book: Index, name: str) -> None:
    with pytest.raises(ConfigurationError, match="has pages 1-4"):
        book.read(name)


def test_what_is_not_there_or_not_readable_is_refused_alike(library: Index) -> None:
    secret = library.search("service code 4711", k=1)[0].id
    assert library.read(secret).text == library.read(secret, labels=["service"]).text
    for labels in ([], ["staff"]):
        for name in (secret, "notes.jsonl#secret", "nobody"):
            with pytest.raises(ConfigurationError, match="nothing to read"):
                library.read(name, labels=labels)
    with pytest.raises(ConfigurationError, match="no pages"):
        library.read("notes.jsonl#pump@1")


@given(st.text(min_size=1, max_size=80), st.lists(st.integers(0, 80), max_size=6), st.integers(0, 5))
def test_overlapping_chunks_are_not_doubled(text: str, cuts: list[int], overlap: int) -> None:
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)} - {0})
    starts = [max(0, end - overlap) for end in (0, *ends[:-1])]
    rows = [
        {"text": text[start:end], "start": start, "end": end} for start, end in zip(starts, ends, strict=True)
    ]
    assert stitched(rows) == text
