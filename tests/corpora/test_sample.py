"""The sample manual: that its PDF is what its chapters make, and that it is fit to show things on."""

from __future__ import annotations

import json
import re
import runpy
import sys
import unicodedata
from datetime import date
from pathlib import Path

import pymupdf
import pytest

CORPORA = Path(__file__).parents[2] / "corpora"
SAMPLE = CORPORA / "sample"
CHAPTERS = CORPORA / "field_guide"
PDF = SAMPLE / "heron-field-guide.pdf"


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The PDF as the script makes it now."""
    out = tmp_path_factory.mktemp("guide") / "guide.pdf"
    sys.path.insert(0, str(CHAPTERS))
    try:
        runpy.run_path(str(CHAPTERS / "make.py"))["make"](out)
    finally:
        sys.path.remove(str(CHAPTERS))
    return out


def test_the_pdf_is_what_its_chapters_make(remade: Path) -> None:
    with pymupdf.open(PDF) as kept, pymupdf.open(remade) as made:
        assert [page.get_text() for page in kept] == [page.get_text() for page in made]
        assert kept.get_toc() == made.get_toc()
        assert [page.get_label() for page in kept] == [page.get_label() for page in made]


def test_the_pdf_is_small_and_has_what_manuals_have() -> None:
    assert PDF.stat().st_size < 300_000
    with pymupdf.open(PDF) as document:
        labels = [page.get_label() for page in document]
        titles = [title for _, title, _ in document.get_toc()]
        text = "\n".join(page.get_text() for page in document)
        images = sum(len(page.get_images()) for page in document)
    assert labels[:4] == ["i", "ii", "iii", "1"]
    assert labels[-2:] == ["A-1", "B-1"]
    assert "4.2 SAFE mode" in titles
    assert "セーフモード" in text
    assert images == 1


def test_every_section_stands_on_the_page_that_the_outline_names() -> None:
    with pymupdf.open(PDF) as document:
        for _, title, page in document.get_toc():
            assert squeezed(title) in squeezed(document[page - 1].get_text())


def squeezed(text: str) -> str:
    """Without white space and ligatures."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def test_references_lead_somewhere() -> None:
    """Every "see 4.2" of the guide, and every "guide 4.2" of the other volumes, is a section of the guide."""
    source = "\n".join(path.read_text("utf-8") for path in sorted(CHAPTERS.glob("*.md")))
    sections = set(re.findall(r"^##? (\d(?:\.\d)?) ", source, re.M))
    volumes = "\n".join(path.read_text("utf-8") for path in sorted(SAMPLE.glob("*.md")))
    asked = set(re.findall(r"\bsee (\d\.\d)", source)) | set(re.findall(r"\bguide (\d\.\d)", volumes))
    assert len(asked) > 8
    assert asked <= sections


def test_every_error_code_that_is_mentioned_is_explained() -> None:
    explained = set(re.findall(r"^\| (E-\d{3}) \|", (SAMPLE / "errors.md").read_text("utf-8"), re.M))
    mentioned = {
        code
        for folder in (CHAPTERS, SAMPLE)
        for path in folder.iterdir()
        if path.suffix in (".md", ".html", ".jsonl")
        for code in re.findall(r"E-\d{3}", path.read_text("utf-8"))
    }
    assert mentioned == explained


def test_the_bulletins_are_records() -> None:
    lines = (SAMPLE / "service-bulletins.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len({record["_id"] for record in records}) == len(records)
    assert all(record["title"] and record["text"] for record in records)
    assert all(date.fromisoformat(record["date"]) for record in records)
    assert [record["_id"] for record in records if record.get("labels")] == ["SB-11"]
