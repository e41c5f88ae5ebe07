"""The page of a benchmark: its plots, its tables, nothing else fetched or run."""

from __future__ import annotations

import lxml.html
from page_report import Balance
from treegraph.pipelines.benchmark.page import render
from treegraph.pipelines.benchmark.tables import Table
from treegraph.pipelines.evaluation.page.plots import Curve, Panel

PANEL = Panel(
    "Stage cost",
    "chunks",
    "seconds",
    (Curve("embed", (1_000.0, 10_000.0), (7.0, 71.0), "n^1.01"),),
    log=True,
)
TABLE = Table(
    "Stages", ("stage", "wall s"), (("embed", "71.0"), ("<b>store</b>", "2.4")), "on a quiet machine"
)


def test_plots_and_tables_are_on_the_page() -> None:
    page = render("Growth", [TABLE], [PANEL], ["vectors beyond 2,000 chunks are made up"])
    document = lxml.html.document_fromstring(page)
    assert document.findtext(".//title") == document.findtext(".//h1") == "Growth"
    assert [text for text in document.xpath("//svg/text/text()") if "n^1.01" in text] == ["embed (n^1.01)"]
    rows = [[cell.text_content() for cell in line] for line in document.iter("tr")]
    assert rows == [["stage", "wall s"], ["embed", "71.0"], ["<b>store</b>", "2.4"]]
    assert [cell.get("class") for cell in document.iter("td")] == [None, "n", None, "n"]
    assert "on a quiet machine" in document.text_content()
    assert document.findtext(".//li") == "vectors beyond 2,000 chunks are made up"


def test_the_page_runs_nothing_and_loads_nothing() -> None:
    page = render("<script>", [TABLE])
    assert "<script" not in page
    assert "://" not in page
    assert not {name for _, name, _ in Balance(page).attributes} & {"src", "href", "style"}
    assert "script-src" not in page  # default-src 'none' holds for scripts too
