"""Entries of the outline kept from an index, in real PDFs through a real build."""

from pathlib import Path

import pymupdf
from small_index import build, open_small
from treegraph.indexer.pages import Page
from treegraph.indexer.types import Content, Section
from treegraph.pipelines.evaluation.questions import Withheld
from treegraph.pipelines.evaluation.withholding import Withholding

TEXT = """Contents
2 Relay wiring ........ 7
Pumps 9

2 Relay wiring
See Relay wiring first.
**Pumps**
The pump."""


def _content() -> Content:
    wiring, pumps = TEXT.index("2 Relay wiring\n"), TEXT.index("**Pumps")
    pages = (Page(1, 0, wiring), Page(2, wiring, len(TEXT)))
    sections = (Section("2 Relay wiring", 1, wiring), Section("Pumps", 1, pumps))
    return Content(TEXT, "application/pdf", pages=pages, sections=sections)


def test_an_entry_is_gone_from_the_outline_and_wherever_it_is_a_line() -> None:
    kept = Withholding({"a.pdf": (Withheld("2 Relay wiring", 2),)})("a.pdf", _content())

    assert [section.title for section in kept.sections] == ["Pumps"]
    assert len(kept.text) == len(TEXT)
    lines = [line.strip() for line in kept.text.split("\n")]
    assert lines == ["Contents", "", "Pumps 9", "", "", "See Relay wiring first.", "**Pumps**", "The pump."]


def test_an_entry_of_that_title_on_another_page_stays_in_the_outline() -> None:
    kept = Withholding({"a.pdf": (Withheld("Pumps", 1),)})("a.pdf", _content())

    assert [section.title for section in kept.sections] == ["2 Relay wiring", "Pumps"]


def test_other_documents_are_left_as_they_are() -> None:
    content = _content()

    assert Withholding({"b.pdf": (Withheld("Pumps", 2),)})("a.pdf", content) is content


def test_what_is_withheld_is_not_in_the_index_and_another_choice_reads_the_file_again(tmp_path: Path) -> None:
    pdf = tmp_path / "manual.pdf"
    with pymupdf.open() as made:
        for title in ("Relay wiring", "Pump priming"):
            page = made.new_page()
            page.insert_text((72, 72), title, fontsize=18)
            page.insert_text((72, 110), "Open the cover and turn the screw to the left.")
        made.set_toc([[1, "Relay wiring", 1], [1, "Pump priming", 2]])
        made.save(pdf)

    def indexed() -> str:
        with open_small(tmp_path / "index") as index:
            hits = index.search("screw relay pump", k=10).hits
            return "\n".join(f"{hit.context}\n{hit.text}" for hit in hits)

    build(tmp_path / "index", pdf, edit=Withholding({"manual.pdf": (Withheld("Relay wiring", 1),)}))
    assert "Relay wiring" not in indexed()
    assert "Pump priming" in indexed()
    build(tmp_path / "index", pdf, edit=Withholding({"manual.pdf": (Withheld("Pump priming", 2),)}))
    assert "Relay wiring" in indexed()
    assert "Pump priming" not in indexed()
    build(tmp_path / "index", pdf)
    assert "Pump priming" in indexed()
