"""What was read of a page in another way takes the place of its text layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from page_pictures import HEIGHT, WIDTH, scanned_pdf, text_page, text_pdf
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.errors import NoText
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.pages import PageReading, ReadLine
from treegraph.indexer.types import Content, Document

SETTINGS = LoadSettings(ocr=True, native=True)


def lines(number: int, *texts: str, left: float = 24, top: float = 40, sure: float = 0.9) -> PageReading:
    """A reading of lines below one another, in boxes of 16 points."""
    read = tuple(
        ReadLine(text, (left, top + 16 * row, left + 6 * len(text), top + 16 * row + 16), sure)
        for row, text in enumerate(texts)
    )
    return PageReading(number, "ocr", read, confidence=sure)


def read(path: Path, *readings: PageReading, settings: LoadSettings = SETTINGS) -> Content:
    return read_pdf(path, settings, None, readings)


def page_texts(content: Content) -> list[str]:
    return [content.text[page.start : page.end].strip() for page in content.pages]


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    return scanned_pdf(tmp_path / "scan.pdf", [("one",), ("two",)], dpi=40)


def test_lines_become_paragraphs_and_the_page_says_how_it_was_read(scan: Path) -> None:
    content = read(
        scan,
        lines(1, "Hold the blue button for seven seconds until", "the lamp blinks twice.", sure=0.87),
        lines(2, "Spare fuses are rated 3.15 A."),
    )
    assert page_texts(content)[0] == "Hold the blue button for seven seconds until the lamp blinks twice."
    first, second = content.pages
    assert (first.origin, first.confidence, first.why) == ("ocr", 0.87, "an image without text")
    assert (second.origin, second.start) == ("ocr", first.end)
    assert content.wanted == ()


def test_pages_without_a_reading_are_still_wanted(scan: Path) -> None:
    content = read(scan, lines(1, "Hold the blue button."))
    assert [page.number for page in content.wanted] == [2]
    assert [page.origin for page in content.pages] == ["ocr", "text"]


def test_a_layer_that_looks_like_a_cipher_stays_where_the_picture_says_the_same(tmp_path: Path) -> None:
    codes = "ldr str cmp bne sub lsl rsb mvn tst cmn bls bgt msr mrs svc nop"
    path = text_pdf(tmp_path / "codes.pdf", [[codes] * 6])
    (page,) = read(path).wanted
    assert page.why == "letters without meaning"
    misread = read(path, lines(1, *[codes.replace("lsl", "1s1")] * 6))
    assert page_texts(misread)[0].split() == (f"{codes} " * 6).split()
    assert [(page.origin, page.why) for page in misread.pages] == [
        ("text", "letters without meaning; the picture says the same")
    ]
    other = read(path, lines(1, *["The relay is mounted on the rear panel, and draws 40 mA."] * 6))
    assert [page.origin for page in other.pages] == ["ocr"]


def test_two_columns_are_read_one_after_the_other(scan: Path) -> None:
    left = lines(1, *(f"The left side says its line number {n} here" for n in range(8)), left=20)
    right = lines(1, *(f"And on the right there stands line {n} too" for n in range(8)), left=330)
    content = read(scan, replace(left, lines=(*right.lines, *left.lines)))
    text = page_texts(content)[0]
    assert text.index("line number 7") < text.index("stands line 0")


def test_running_headers_are_found_over_both_kinds_of_pages(tmp_path: Path) -> None:
    drawn = pymupdf.open(scanned_pdf(tmp_path / "scan.pdf", [("-",)] * 2, dpi=40))
    for number in (1, 2, 3):
        text_page(drawn, ("Heron field guide", "", f"What page {number} says by its text layer."))
    drawn.save(tmp_path / "both.pdf")
    content = read(
        tmp_path / "both.pdf",
        lines(1, "Heron field guide", "", "What the first scan says of relays.", top=28),
        lines(2, "Heron field guide", "", "What the second scan says of fuses.", top=28),
    )
    assert "Heron field guide" not in content.text
    assert page_texts(content)[0] == "What the first scan says of relays."
    assert content.dropped["running header or footer"] == 5 * len("Heron field guide")


MARKDOWN = """## Revenue

Growth came from *relay* stations.

| Quarter | Revenue |
|---|---|
| Q4 | $180M |
"""


def test_markdown_becomes_paragraphs_and_tables(scan: Path) -> None:
    native = PageReading(1, "native", markdown=MARKDOWN, confidence=0.5, why="no text layer to compare with")
    content = read(scan, native, lines(2, "Spare fuses."))
    assert page_texts(content)[0].startswith("Revenue\n\nGrowth came from relay stations.\n\n|")
    table = next(block for block in content.blocks if block.kind == "table")
    assert "| Q4 | $180M |" in content.text[table.start : table.end]
    page = content.pages[0]
    assert (page.origin, page.confidence) == ("native", 0.5)
    assert page.why == "an image without text; no text layer to compare with"


def test_a_reading_that_keeps_the_text_layer_leaves_its_reason(tmp_path: Path) -> None:
    path = text_pdf(tmp_path / "text.pdf", [("The relay is mounted on the rear panel.",)])
    content = read(path, PageReading(1, "text", why="asked for; native failed: a refusal"))
    assert page_texts(content) == ["The relay is mounted on the rear panel."]
    page = content.pages[0]
    assert (page.origin, page.confidence, page.why) == ("text", None, "asked for; native failed: a refusal")


def stamped(path: Path, *texts: str) -> Path:
    document = pymupdf.open(scanned_pdf(path, [("-",)], dpi=40))
    for row, text in enumerate(texts):
        document[0].insert_text((24, 40 + 20 * row), text)
    document.save(path.with_name("stamped.pdf"))
    return path.with_name("stamped.pdf")


def test_a_picture_that_holds_no_more_words_than_the_layer_does_not_replace_it(tmp_path: Path) -> None:
    path = stamped(tmp_path / "s.pdf", "Chapter III", "Relays")
    kept = read(path, lines(1, "Chopter lll", "Relays"))
    assert page_texts(kept) == ["Chapter III\n\nRelays"]
    assert (kept.pages[0].origin, kept.pages[0].confidence) == ("text", None)
    assert kept.pages[0].why.endswith("the picture holds no more words")
    more = read(path, lines(1, "Chapter III", "Relays", "and all that the scan says of them below"))
    assert more.pages[0].origin == "ocr"


def test_a_picture_without_words_is_no_failure_of_the_others(scan: Path) -> None:
    content = read(scan, PageReading(1, "ocr", why="no text in its picture"), lines(2, "Spare fuses."))
    first = content.pages[0]
    assert (first.start, first.end, first.why) == (0, 0, "an image without text; no text in its picture")


def test_a_document_of_which_nothing_could_be_read_in_any_way(scan: Path) -> None:
    with pytest.raises(NoText, match="2 pages: an image without text; ocr failed"):
        read(
            scan,
            *(
                PageReading(n, "text", why="an image without text; ocr failed: model call error")
                for n in (1, 2)
            ),
        )


def chunks_of(content: Content, size: int) -> Sequence[tuple[str, float | None, tuple[int, int] | None]]:
    document = Document("7" * 8 + "-0000-4000-8000-" + "0" * 12, "a.pdf", "A", content=content)
    chunks = cut(document, load_tokenizer("words"), ChunkSettings(size=size, tokenizer="words"))
    return [(chunk.origin, chunk.confidence, chunk.pages) for chunk in chunks]


def test_a_chunk_over_pages_read_in_different_ways_is_as_sure_as_its_parts(tmp_path: Path) -> None:
    document = pymupdf.open(scanned_pdf(tmp_path / "a.pdf", [("-",)] * 2, dpi=40))
    page = document.new_page(width=WIDTH, height=HEIGHT)
    page.insert_textbox(page.rect, "The text layer of the third page says by far the most of them all. " * 4)
    document.save(tmp_path / "b.pdf")
    content = read(tmp_path / "b.pdf", lines(1, "First scan.", sure=0.8), lines(2, "Second scan.", sure=0.6))
    ((origin, sure, over),) = chunks_of(content, 500)
    assert (origin, over) == ("text", (1, 3))
    assert sure is not None
    assert 0.9 < sure < 1
    ocr, sure, over = chunks_of(content, 20)[0]
    assert (ocr, over) == ("ocr", (1, 2))
    assert sure == pytest.approx(0.7, abs=0.03)
    assert chunks_of(content, 20)[-1] == ("text", None, (3, 3))


@pytest.mark.parametrize("turned", [0.0, 90.0, 180.0, -90.0])
def test_a_passage_of_a_turned_page_stands_where_the_page_shows_it(scan: Path, turned: float) -> None:
    reading = replace(lines(1, "Hold the blue button for seven seconds."), turned=turned)
    (placed,) = read(scan, reading, lines(2)).placed
    x0, y0, x1, y1 = reading.lines[0].box
    across, down = (HEIGHT, WIDTH) if turned in (90.0, -90.0) else (WIDTH, HEIGHT)
    wanted = {
        0.0: (x0, y0, x1, y1),
        90.0: (y0, across - x1, y1, across - x0),
        180.0: (across - x1, down - y1, across - x0, down - y0),
        -90.0: (down - y1, x0, down - y0, x1),
    }[turned]
    box = placed.box
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx(wanted, abs=4)
    assert box.page == 1
