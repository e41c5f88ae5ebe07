"""Where on its page each passage of a PDF stands."""

from pathlib import Path

import numpy as np
import pymupdf
import pytest
from pictured_manual import CAPTION, FIGURE, GATE, OVERLEAF, write_manual
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.pages import PageBox, Placed, Places
from treegraph.indexer.types import Chunk, Content, Document

SAMPLE = Path(__file__).parents[3] / "corpora" / "sample" / "heron-field-guide.pdf"


def chunks_of(content: Content, size: int = 64) -> list[Chunk]:
    document = Document("7b1de0b5-3f3c-4a0e-8f43-4c0c6a6f52d1", "m.pdf", "m", content=content)
    return cut(document, load_tokenizer("words"), ChunkSettings(tokenizer="words", size=size))


def shown_words(page: pymupdf.Page, box: PageBox) -> set[str]:
    """The words whose middles are in ``box``, which is measured on the page as it is shown."""
    found = set()
    for x0, y0, x1, y1, word, *_ in page.get_text("words"):
        corners = pymupdf.Rect(x0, y0, x1, y1) * page.rotation_matrix
        middle = (corners.tl + corners.br) / 2
        if box.x0 <= middle.x <= box.x1 and box.y0 <= middle.y <= box.y1:
            found.add(word)
    return found


@pytest.fixture(scope="module")
def sample() -> Content:
    return read_pdf(SAMPLE, LoadSettings(), None)


def test_the_words_of_every_chunk_stand_in_its_boxes(sample: Content) -> None:
    chunks = chunks_of(sample)
    with pymupdf.open(SAMPLE) as document:
        for chunk in chunks:
            assert chunk.pages is not None
            assert [box.page for box in chunk.boxes] == list(range(chunk.pages[0], chunk.pages[1] + 1))
            inside = set().union(*(shown_words(document[box.page - 1], box) for box in chunk.boxes))
            said = {word for word in chunk.text.split() if word.isascii() and word.isalpha()}
            assert len(said - inside) <= max(2, 0.1 * len(said)), chunk.text  # some are divided
            for box in chunk.boxes:
                page = document[box.page - 1].rect
                assert 0 <= box.x0 < box.x1 <= page.width + 1
                assert 0 <= box.y0 < box.y1 <= page.height + 1


def test_places_are_sorted_apart_and_leave_out_no_word(sample: Content) -> None:
    reached = 0
    for placed in sample.placed:
        assert not sample.text[reached : placed.start].strip()
        assert reached <= placed.start < placed.end
        reached = placed.end
    assert not sample.text[reached:].strip()


def test_a_chunk_of_a_long_paragraph_has_only_its_own_lines(tmp_path: Path) -> None:
    document = pymupdf.open()
    words = " ".join(f"word{number}" for number in range(420))
    document.new_page().insert_textbox((72, 72, 540, 700), words, fontsize=10)
    document.save(tmp_path / "long.pdf")
    boxes = [chunk.boxes for chunk in chunks_of(read_pdf(tmp_path / "long.pdf", LoadSettings(), None), 100)]
    assert len(boxes) >= 4
    assert all(len(each) == 1 for each in boxes)
    whole = boxes[-1][0].y1 - boxes[0][0].y0
    assert all(each[0].y1 - each[0].y0 < 0.5 * whole for each in boxes)
    assert [each[0].y0 for each in boxes] == sorted(each[0].y0 for each in boxes)


def test_a_part_of_a_long_table_has_only_its_own_rows(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(40):
        cells = (f"Relay-{row}", f"switches the circuit {row}", f"{row * 37 % 50}")
        for x, cell in zip((72, 200, 400), cells if row else ("Name", "Use", "Amps"), strict=True):
            page.insert_text((x, 90 + 15 * row), cell)
    document.save(tmp_path / "table.pdf")
    content = read_pdf(tmp_path / "table.pdf", LoadSettings(), None)
    assert [block.kind for block in content.blocks] == ["table"]
    for chunk in chunks_of(content, 100):
        rows = [int(part.split()[0]) for part in chunk.text.split("Relay-")[1:]]
        (box,) = chunk.boxes
        assert box.y0 <= 90 + 15 * min(rows) <= 90 + 15 * max(rows) <= box.y1 + 1
        assert box.y1 - box.y0 < 15 * (len(rows) + 16)


def test_a_passage_that_goes_on_overleaf_has_a_place_on_both_pages(tmp_path: Path) -> None:
    content = read_pdf(write_manual(tmp_path / "m.pdf"), LoadSettings(), None)
    (chunk,) = (chunk for chunk in chunks_of(content, 192) if OVERLEAF[:20] in chunk.text)
    assert OVERLEAF in chunk.text
    below, above = (box for box in chunk.boxes if box.page in (2, 3))
    assert below.y0 == pytest.approx(750, abs=4)
    assert above.y0 == pytest.approx(80, abs=4)


def test_places_are_measured_on_the_page_as_it_is_shown(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "m.pdf")
    placed = read_pdf(path, LoadSettings(), None).placed[-1]
    with pymupdf.open(path) as document:
        page = document[3]
        assert (page.rect.width, page.rect.height) == (600, 400)
        # the line began 50 right and 200 below of the crop's corner, and is turned by a quarter
        assert placed.box.page == 4
        assert placed.box.x1 == pytest.approx(page.rect.width - 200 + 10, abs=12)
        assert placed.box.y0 == pytest.approx(50, abs=3)
        assert {"valve", "hand."} <= shown_words(page, placed.box)


def test_a_marked_page_is_tinted_where_the_passage_stands_and_nowhere_else(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "m.pdf")
    for number in (1, 4):
        with ParserPool(LoadSettings()) as pool:
            box = next(p.box for p in pool.parse(path, "application/pdf").placed if p.box.page == number)
            plain = pymupdf.Pixmap(pool.draw(path, "application/pdf", number, 72).png)
            marked = pymupdf.Pixmap(pool.draw(path, "application/pdf", number, 72, marks=[box]).png)
        pixels = [
            np.frombuffer(each.samples, np.uint8).reshape(each.height, each.width, 3)
            for each in (plain, marked)
        ]
        ys, xs = np.nonzero((pixels[0] != pixels[1]).any(axis=2))
        found = (xs.min(), ys.min(), xs.max(), ys.max())
        assert found == pytest.approx((box.x0 - 1.5, box.y0 - 1.5, box.x1 + 1.5, box.y1 + 1.5), abs=2)


def test_figures_are_found_with_their_captions_where_they_are_kept(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "m.pdf")
    assert not any(page.figures for page in read_pdf(path, LoadSettings(), None).pages)
    content = read_pdf(path, LoadSettings(keep_images=True), None)
    (figure,) = (figure for page in content.pages for figure in page.figures)
    corners = (figure.box.x0, figure.box.y0, figure.box.x1, figure.box.y1)
    assert (figure.box.page, figure.caption) == (1, CAPTION)
    assert corners == pytest.approx(tuple(FIGURE), abs=1)
    assert content.text[figure.at :].startswith(CAPTION)
    assert GATE in content.text


def test_a_picture_in_strips_is_one_and_icons_and_scans_are_none(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "A drawing follows.", fontsize=10)
    stripes = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 100, 20))
    stripes.clear_with(90)
    for top in range(100, 300, 20):
        page.insert_image((100, top, 300, top + 20), stream=stripes.tobytes("png"), keep_proportion=False)
    page.insert_image((400, 400, 420, 420), stream=stripes.tobytes("png"), keep_proportion=False)
    scan = document.new_page()
    scan.insert_image(scan.rect, stream=stripes.tobytes("png"), keep_proportion=False)
    document.save(tmp_path / "strips.pdf")
    content = read_pdf(tmp_path / "strips.pdf", LoadSettings(keep_images=True), None)
    (figure,) = (figure for page in content.pages for figure in page.figures)
    assert (figure.box.x0, figure.box.y0, figure.box.x1, figure.box.y1) == pytest.approx(
        (100, 100, 300, 300), abs=1
    )
    assert content.text[figure.at :].startswith("A drawing follows.")


def test_packed_places_are_the_same_places() -> None:
    each = [
        Placed(0, 10, PageBox(1, 72.5, 10.1, 300.0, 25.3)),
        Placed(12, 90, PageBox(2, -1.0, 0.0, 612.0, 791.9)),
    ]
    places = Places.of(each)
    assert (len(places), list(places), places[-1], places[:1]) == (2, each, each[1], (each[0],))
    assert places == Places.of(each) != Places()
    with pytest.raises(IndexError):
        places[2]
