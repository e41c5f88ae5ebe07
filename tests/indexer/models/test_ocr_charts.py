"""The real engine on charts that are drawn here: what stands in the picture alone is found."""

import pymupdf
import pytest
from ocr_pages import picture, typeset
from page_pictures import bars_page, pie_page
from treegraph.indexer.models.ocr import load_ocr
from treegraph.indexer.models.ports import PageReader
from treegraph.indexer.models.settings import OcrSettings
from treegraph.indexer.pages import PageReading

QUARTERS = (("Q1", "$120M"), ("Q2", "$135M"), ("Q3", "$150M"), ("Q4", "$180M"))
MONTHS = (("January", "41"), ("February", "17"), ("March", "33"), ("April", "29"))
SITES = (("A", "12"), ("B", "7"), ("C", "31"), ("D", "5"), ("E", "18"), ("F", "44"))
PARTS = (("Pumps", 45), ("Valves", 30), ("Seals", 18), ("Other", 7))


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return load_ocr(OcrSettings())


def words(reading: PageReading) -> list[str]:
    return sorted(line.text for line in reading.lines)


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (bars_page(QUARTERS), QUARTERS),
        (bars_page(QUARTERS, inside=True), QUARTERS),
        (bars_page(SITES), SITES),
        (bars_page(MONTHS, upright=True), MONTHS),
        (pie_page(PARTS), [(name, f"{percent}%") for name, percent in PARTS]),
    ],
    ids=["over dark bars", "on dark bars", "one letter, one digit", "labels that run upwards", "pie"],
)
def test_labels_and_values_of_a_chart_are_read(
    reader: PageReader, page: pymupdf.Page, shown: list[tuple[str, str]]
) -> None:
    reading = reader.read(picture(page))
    assert words(reading) == sorted(word for pair in shown for word in pair)
    assert (reading.turned, reading.why) == (0.0, "")
    assert reading.confidence is not None
    assert reading.confidence > 0.95


def test_a_page_of_bars_alone_holds_no_text(reader: PageReader) -> None:
    page = pymupdf.open().new_page(width=420, height=300)
    for index in range(5):
        page.draw_rect((40 + 70 * index, 60, 80 + 70 * index, 260), color=None, fill=(0.1, 0.1, 0.1))
    reading = reader.read(picture(page))
    assert (reading.lines, reading.why) == ((), "no text in its picture")


def test_among_lines_in_an_unknown_script_numbers_are_kept(reader: PageReader) -> None:
    page = typeset(("덮개를 열기 전에 밸브를 닫으십시오.", "펌프는 사십 바에서 멈춥니다."), "korea")
    page.insert_text((60, 150), "17")
    page.insert_text((60, 180), "Ok")
    reading = reader.read(picture(page))
    assert words(reading) == ["17"]
    assert reading.why == "unsupported script in 2 of 4 lines; 1 more left out, as not sure"
