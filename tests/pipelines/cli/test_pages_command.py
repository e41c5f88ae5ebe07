"""What the command line says of pages that were read in other ways than by their text layers."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from command_line import Here
from page_pictures import scanned_pdf, text_page, text_pdf
from scripted_reader import ScriptedReader
from treegraph.indexer.models import ocr

RESET = ("Reset the unit by holding the blue button", "for seven seconds until the lamp blinks.")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """A folder with a scan and a page of text, where OCR is a script."""
    folder = tmp_path / "manuals"
    folder.mkdir()
    scanned_pdf(folder / "scan.pdf", [RESET, ("-",)], dpi=60)
    text_pdf(folder / "plain.pdf", [("A plain page of text that needs nothing else.",)])
    reader = ScriptedReader(lambda number: " ".join(RESET) if number == 1 else "")
    monkeypatch.setattr(ocr, "load_ocr", lambda settings: reader)
    return Here.entered(tmp_path, monkeypatch, capsys)


def test_how_pages_were_read_is_told_by_build_search_and_status(here: Here) -> None:
    built = here("build", "manuals", "--without", "tree,graph")
    assert "pages      1 by ocr, 1 by text" in built.out
    shown = here("search", "how to reset the unit", "-k", "1")
    assert "manuals/scan.pdf  p. 1  ocr .90" in shown.out
    citation = here("search", "blue button", "-k", "1", "--json").json("search")["hits"][0]["citations"][0]
    assert (citation["origin"], citation["confidence"]) == ("ocr", 0.9)
    sure = here("search", "how to reset the unit", "--min-confidence", ".95", "--json").json("search")
    assert {hit["citations"][0]["origin"] for hit in sure["hits"]} == {"text"}
    assert here("search", "reset", "--min-confidence", "2").code == 2
    scan = here("status", "--json").json("status")["documents"]
    assert {document["source"]: document["why"] for document in scan} == {
        "manuals/scan.pdf": {"an image without text": 2},
        "manuals/plain.pdf": {},
    }
    told = here("status").out
    assert "pages read by" in told
    assert "ocr 1, text 1" in told or "text 1, ocr 1" in told
    assert "2 an image without text" in told


def test_pages_that_nothing_could_read_are_named(here: Here) -> None:
    document = pymupdf.open(here.path / "manuals" / "scan.pdf")
    text_page(document, ("A page of text stands behind two scans.",))
    document.save(here.path / "manuals" / "both.pdf")
    built = here("build", "manuals", "--without", "tree,graph", "--pdf", "text")
    assert built.code == 1  # nothing is left of the scan in text mode
    assert "failed: manuals/scan.pdf: no text" in built.err
    assert "--pdf auto" in built.err
    assert "unreadable manuals/both.pdf p. 1-2" in built.out
    report = here("build", "manuals", "--without", "tree,graph", "--pdf", "text", "--json").json("build")
    assert report["unreadable"] == {"manuals/both.pdf": [1, 2]}
    told = here("status").out
    assert "nothing 2" in told
    assert "p. 1-2" in told


def test_a_way_that_failed_once_is_no_failure_of_what_is_held(here: Here) -> None:
    made = here("build", "manuals", "--without", "tree,graph")
    assert made.code == 0
    failed = here("build", "manuals", "--without", "tree,graph", "--pdf", "text")
    assert failed.code == 1
    again = here("build", "manuals", "--without", "tree,graph")
    assert again.code == 0
    assert "failed:" not in again.err
    assert "nothing failed" in here("status").out
